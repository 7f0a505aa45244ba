// One chart: its caption with the present values, and its plot. Charts of recordings and of what is being simulated are made of these.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { shown } from "./numbers.ts";
import { SERIES } from "./palette.ts";

/** Pixels, where the letters of the page have 15. */
const HEIGHT = 132;
const LETTERS = 11;
/** Distances of ticks for numbers that are whole. */
const WHOLE = Array.from({ length: 12 }, (_, k) => [1, 2, 5].map((n) => n * 10 ** k)).flat();

/** A figure with a title and a legend, in which `values` has a place for the present number of each series. */
export interface Figure {
  box: HTMLElement;
  canvas: HTMLElement;
  values: HTMLElement[];
}

/** Builds a figure. A series without a label stands alone. */
export function figure(title: string, unit: string, labels: string[], stacked: boolean): Figure {
  const box = document.createElement("figure");
  box.className = "chart";
  const caption = document.createElement("figcaption");
  const heading = document.createElement("span");
  heading.className = "chart-title";
  heading.textContent = unit ? `${title} (${unit})` : title;
  caption.append(heading);
  const values: HTMLElement[] = [];
  const legend = document.createElement("span");
  legend.className = "chart-legend";
  labels.forEach((label, k) => {
    const entry = document.createElement("span");
    entry.className = label ? "" : "alone";
    entry.style.setProperty("--series", colour(stacked, k));
    const value = document.createElement("b");
    values.push(value);
    entry.append(...(label ? [`${label} `] : []), value);
    legend.append(entry);
  });
  caption.append(legend);
  const canvas = document.createElement("div");
  canvas.className = "chart-plot";
  canvas.setAttribute("role", "img");
  box.append(caption, canvas);
  return { box, canvas, values };
}

/** How a plot differs from others. */
export interface PlotOptions {
  /** Series in the order in which they are drawn: which colour, and whether it is a dashed line of someone else's. */
  series: { colour: string; stacked: boolean; dashed?: boolean }[];
  /** Words below the ticks. */
  ticks: (values: number[]) => string[];
  /** Only whole numbers come up. */
  whole: boolean;
  /** Up to where it reaches; the greatest value unless given. */
  top?: () => number;
  /** Shows a point for each value. */
  points?: boolean;
  draw?: (plot: uPlot) => void;
}

/** Puts a plot into a figure. */
export function plotIn(canvas: HTMLElement, data: uPlot.AlignedData, options: PlotOptions): uPlot {
  const soft = () => cssColour("--soft");
  const grown = scale();
  const axis: uPlot.Axis = { stroke: soft, font: `${Math.round(LETTERS * grown)}px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif`, grid: { stroke: () => cssColour("--rule"), width: 1 }, ticks: { show: false } };
  return new uPlot(
    {
      width: Math.max(120, canvas.clientWidth),
      height: Math.round(HEIGHT * grown),
      legend: { show: false },
      padding: [10, 10, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
      scales: {
        x: { time: false, range: (_, min, max) => [min ?? 0, Math.max(max ?? 1, (min ?? 0) + 1)] },
        y: { range: (_, min, max) => [Math.min(0, min ?? 0), (Math.max(options.top?.() ?? max ?? 0, 0) || 1) * 1.08] },
      },
      axes: [
        { ...axis, size: 22 * grown, gap: 4, grid: { show: false }, values: (_, ticks) => options.ticks(ticks) },
        { ...axis, size: (_, labels) => 16 + 6.4 * grown * Math.max(3, ...(labels ?? []).map((label) => label.length)), gap: 4, space: 26 * grown, ...(options.whole ? { incrs: WHOLE } : {}), values: (_, ticks) => ticks.map((tick) => shown(tick)) },
      ],
      series: [
        {},
        ...options.series.map(({ colour, stacked, dashed }): uPlot.Series =>
          dashed
            ? { stroke: soft, dash: [5, 4], width: 1.25, points: { show: false } }
            : { stroke: colour, fill: stacked ? colour : `${colour}1f`, width: stacked ? 0 : 1.5, points: { show: options.points ?? false } },
        ),
      ],
      hooks: options.draw ? { draw: [options.draw] } : {},
    },
    data,
    canvas,
  );
}

/** How much larger the letters of the page are than usual: on screens of very many pixels. */
function scale(): number {
  return Math.max(1, parseFloat(getComputedStyle(document.documentElement).fontSize) / 15);
}

/** Gives a plot the width of its place. */
export function fitWidth(plot: uPlot, box: HTMLElement): void {
  const width = box.querySelector(".chart-plot")?.clientWidth ?? 0;
  if (width > 0 && width !== plot.width) plot.setSize({ width, height: plot.height });
}

export function isWhole(values: (number | null)[]): boolean {
  return values.every((value) => value === null || Number.isInteger(value));
}

export function colour(stacked: boolean, series: number): string {
  return stacked ? SERIES[series % SERIES.length] : SERIES[0];
}

export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}
