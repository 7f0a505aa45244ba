// Numbers and names for people.

import type { Column } from "./frames/recording.ts";

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** A number with as many digits as help. */
export function shown(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e12) return whole.format(value);
  if (size >= 1e6) return value.toExponential(2);
  if (size >= 1000) return whole.format(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.01) return value.toFixed(size >= 1 ? 2 : 3);
  return size === 0 ? "0" : value.toPrecision(2);
}

const NAMES: Record<string, string> = {
  pairs: "Colliding pairs",
  near_features: "Near pairs of features",
  contacts: "Contacts",
  pieces: "Fragments",
  q: "Q of the trees",
  sah: "Area of boxes",
  depth: "Depth of the trees",
  triangles: "Triangles",
  removed: "Triangles removed",
  added: "Triangles added",
  vertices: "Vertices",
  free: "Free vertices",
  energy: "Energy",
  asleep: "Fragments at rest",
  asked: "Pairs of bodies queried",
  visited: "Points visited",
  colliding: "Colliding points",
  handed: "Contacts handed over",
  levels: "Levels of the grid",
  cells: "Cells of the grid",
};

/** The name of a counter. */
export function named(name: string): string {
  return NAMES[name] ?? name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

export interface Summary {
  mean: number;
  max: number;
  /** The frame with the greatest value. */
  at: number;
}

/** Mean and maximum of a column; frame 0 counts only where it stands alone or `from` says so. */
export function summary(values: (number | null)[], from: number): Summary | undefined {
  let [sum, count, max, at] = [0, 0, -Infinity, 0];
  values.forEach((value, frame) => {
    if (value === null || (frame < from && values.length > from)) return;
    sum += value;
    count++;
    if (value > max) [max, at] = [value, frame];
  });
  return count ? { mean: sum / count, max, at } : undefined;
}

/** The sum of all columns, frame by frame. */
export function total(columns: Column[], frames: number): number[] {
  return Array.from({ length: frames }, (_, frame) => columns.reduce((sum, column) => sum + (column.values[frame] ?? 0), 0));
}
