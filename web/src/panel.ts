// Words and numbers beside the scene: what to show, this frame, its pairs, and the table of means and maxima.

import type { Frame } from "./frames/group.ts";
import type { Header, Recording } from "./frames/recording.ts";
import { named, shown, summary, total } from "./numbers.ts";
import { BOX, COLLIDING, CONTACT, CRACK, FRAGMENTS } from "./palette.ts";
import type { Look } from "./stage.ts";

const MOST_LISTED = 300;

type Switch = Exclude<keyof Look, "level">;

/** The switches of what is shown. */
export function fillSwitches(place: HTMLElement, recording: Recording, look: Look, changed: () => void): () => void {
  const { header, triangles } = recording;
  const hasCracks = triangles.isCrack.includes(1);
  const hasPairs = findsPairs(header);
  const switches: [Switch, string, string[], boolean][] = [
    ["colliding", header.about.kind === "near" ? "Near triangles" : "Colliding triangles", [COLLIDING], hasPairs],
    ["closest", "Closest points", [CONTACT], (header.about.lines ?? []).length > 0],
    ["contacts", "Contacts and normals", [CONTACT], header.contacts > 0],
    ["fragments", header.about.kind === "run" ? "Fragments by colour" : "Meshes by colour", FRAGMENTS.slice(0, 4), header.about.kind === "run" || header.about.meshes.length > 1],
    ["cracks", "Crack faces", [CRACK], hasCracks],
    ["lines", "Mesh lines", [], true],
    ["seeThrough", "See through", [], true],
    ["follow", "Camera follows", [], header.frames > 1],
  ];
  const boxes = new Map<Switch, HTMLInputElement>();
  for (const [key, label, colours, isThere] of switches) {
    if (!isThere) continue;
    const line = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = look[key];
    box.dataset.key = key;
    box.addEventListener("change", () => {
      look[key] = box.checked;
      changed();
    });
    boxes.set(key, box);
    line.append(box, label, swatches(colours));
    place.append(line);
  }
  const level = document.createElement("select");
  level.id = "level";
  const add = (value: number, text: string) => level.append(new Option(text, String(value), value === -1, value === look.level));
  add(-1, "none");
  header.levels.forEach((count, k) => add(k, `level ${k}: ${shown(count)}`));
  level.addEventListener("change", () => {
    look.level = Number(level.value);
    changed();
  });
  if (header.levels.length > 0) {
    const line = document.createElement("label");
    line.className = "level";
    line.append("Tree boxes", level, swatches([BOX]));
    place.append(line);
    const depth = summary(header.counters.find((counter) => counter.name === "depth")?.values ?? [], 0)?.max ?? 0;
    if (depth >= header.levels.length) {
      const note = document.createElement("small");
      note.textContent = `Levels 0 to ${header.levels.length - 1} of ${depth} are recorded.`;
      place.append(note);
    }
  }
  return () => {
    for (const [key, box] of boxes) box.checked = look[key];
    level.value = String(look.level);
  };
}

export function swatches(colours: string[]): HTMLElement {
  const all = document.createElement("span");
  all.className = "swatches";
  for (const colour of colours) {
    const one = document.createElement("span");
    one.className = "swatch";
    one.style.background = colour;
    all.append(one);
  }
  return all;
}

/** The numbers of a frame. */
export function fillNow(place: HTMLElement, header: Header, frame: number): void {
  const rows = header.counters.map(({ name, values }) => row([named(name), shown(values[frame])]));
  if (header.phases.length > 0) rows.push(row(["Time of the step (ms)", shown(total(header.phases, frame + 1)[frame])]));
  place.replaceChildren(tableOf("This frame", [], rows));
}

/** The most telling numbers, over the scene. */
export function fillHud(place: HTMLElement, header: Header, frame: number): void {
  const chosen = ["triangles", "pieces", "pairs", "contacts", "distance", "near_features"];
  const entries = chosen.flatMap((name) => {
    const value = header.counters.find((counter) => counter.name === name)?.values[frame];
    if (value === null || value === undefined) return [];
    const entry = document.createElement("span");
    entry.className = name === "pairs" && value > 0 ? "hot" : "";
    const number = document.createElement("b");
    number.textContent = shown(value);
    entry.append(`${named(name)} `, number);
    return [entry];
  });
  place.replaceChildren(...entries);
}

/** Whether pairs were looked for: not in a mesh alone, and not in runs that find contacts instead. */
function findsPairs({ about, counters }: Header): boolean {
  return about.kind !== "mesh" && (about.kind !== "run" || counters.some((counter) => counter.name === "pairs"));
}

/** The pairs of a frame; a click looks at one. */
export function fillPairs(place: HTMLDetailsElement, recording: Recording, frame: Frame, focus: (triangles: number[]) => void): void {
  const count = frame.pairs.length / 2;
  place.hidden = !findsPairs(recording.header);
  const head = place.querySelector("summary") as HTMLElement;
  const how = recording.header.about.kind === "near" ? "near" : "colliding";
  head.textContent = count === 1 ? `1 ${how} pair` : `${shown(count)} ${how} pairs`;
  const table = place.querySelector(".pair-table") as HTMLElement;
  if (!place.open) {
    table.replaceChildren();
    return;
  }
  const lines: HTMLElement[] = [];
  for (let k = 0; k < Math.min(count, MOST_LISTED); k++) {
    const pair = [frame.pairs[2 * k], frame.pairs[2 * k + 1]];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = pair.map((triangle) => nameOf(recording.header, triangle)).join("  ×  ");
    button.addEventListener("click", () => focus(pair));
    lines.push(button);
  }
  if (count > MOST_LISTED) {
    const more = document.createElement("p");
    more.textContent = `… and ${shown(count - MOST_LISTED)} more`;
    lines.push(more);
  }
  table.replaceChildren(...lines);
}

/** A triangle by its number, and by its mesh where there are several. */
function nameOf({ about }: Header, triangle: number): string {
  if (about.meshes.length < 2) return shown(triangle);
  let first = 0;
  for (const { path, triangles } of about.meshes) {
    if (triangle < first + triangles) return `${path.replace(/^.*[/\\]/, "")} ${shown(triangle - first)}`;
    first += triangles;
  }
  return shown(triangle);
}

/** Means and maxima of everything; a click on a maximum goes to its frame. */
export function fillSummary(place: HTMLElement, header: Header, jump: (frame: number) => void): void {
  if (header.frames < 2) return;
  const line = (name: string, values: (number | null)[], from: number) => {
    const whole = summary(values, from);
    if (!whole) return [];
    const go = document.createElement("button");
    go.type = "button";
    go.textContent = shown(header.steps[whole.at]);
    go.setAttribute("aria-label", `Go to step ${header.steps[whole.at]}, where ${name} is greatest`);
    go.addEventListener("click", () => jump(whole.at));
    return [row([name, shown(whole.mean), shown(whole.max), go, shown(values[values.length - 1])])];
  };
  const heads = ["", "mean", "most", "at step", "last"];
  const times = header.phases.flatMap((phase) => line(phase.name, phase.values, 1));
  const all = line("all", total(header.phases, header.frames), 1);
  all.forEach((one) => (one.className = "all"));
  const counters = header.counters.flatMap((counter) => line(named(counter.name), counter.values, 0));
  const tables = [
    ...(times.length ? [tableOf("Milliseconds per step", heads, [...times, ...all])] : []),
    ...(counters.length ? [tableOf("Counters", heads, counters)] : []),
  ];
  place.replaceChildren(
    ...tables.map((table) => {
      const box = document.createElement("div");
      box.append(table);
      return box;
    }),
  );
}

export function row(cells: (string | HTMLElement)[]): HTMLTableRowElement {
  const line = document.createElement("tr");
  cells.forEach((content, k) => {
    const cell = document.createElement(k === 0 ? "th" : "td");
    if (k === 0) cell.setAttribute("scope", "row");
    cell.append(content);
    line.append(cell);
  });
  return line;
}

export function tableOf(title: string, heads: string[], rows: HTMLElement[]): HTMLTableElement {
  const table = document.createElement("table");
  const caption = table.createCaption();
  caption.textContent = title;
  if (heads.length > 0) {
    const head = table.createTHead().insertRow();
    for (const name of heads) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name;
      head.append(cell);
    }
  }
  const body = table.createTBody();
  body.append(...rows);
  return table;
}
