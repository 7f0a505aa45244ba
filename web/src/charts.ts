// Charts over all frames; a click goes to a frame. Small multiples in place of one crowded chart.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Header } from "./frames/recording.ts";
import { named, shown, summary, total } from "./numbers.ts";
import { SERIES } from "./palette.ts";

/** Counters that get a chart, in this order, if they ever change or stand alone. */
const FIRST = ["pairs", "contacts", "pieces", "q", "depth", "triangles"];
const HEIGHT = 132;

interface Chart {
  plot: uPlot;
  box: HTMLElement;
  values: HTMLElement[];
  columns: (number | null)[][];
}

export class Charts {
  private readonly charts: Chart[] = [];
  private frame = 0;

  constructor(
    place: HTMLElement,
    private readonly header: Header,
    private readonly jump: (frame: number) => void,
  ) {
    const { phases, counters } = header;
    if (phases.length > 0) this.add(place, "Time by phase", "ms", phases.map((phase) => ({ ...phase, label: phase.name })), true);
    const chosen = FIRST.map((name) => counters.find((counter) => counter.name === name)).filter((counter) => counter !== undefined);
    for (const counter of chosen) this.add(place, named(counter.name), "", [{ ...counter, label: "" }], false);
    new ResizeObserver(() => this.resize()).observe(place);
  }

  /** Marks a frame. */
  mark(frame: number): void {
    this.frame = frame;
    for (const chart of this.charts) {
      chart.values.forEach((value, k) => (value.textContent = shown(chart.columns[k][frame])));
      chart.plot.redraw(false, false);
    }
  }

  /** Redraws everything, after the colours of the page have changed. */
  recolour(): void {
    for (const chart of this.charts) chart.plot.redraw(false, true);
  }

  private add(place: HTMLElement, title: string, unit: string, series: { name: string; label: string; values: (number | null)[] }[], stacked: boolean): void {
    const { steps, about } = this.header;
    const box = document.createElement("figure");
    box.className = "chart";
    box.dataset.column = stacked ? "phases" : series[0].name;
    const caption = document.createElement("figcaption");
    const heading = document.createElement("span");
    heading.className = "chart-title";
    heading.textContent = unit ? `${title} (${unit})` : title;
    caption.append(heading);
    const values: HTMLElement[] = [];
    const legend = document.createElement("span");
    legend.className = "chart-legend";
    series.forEach((one, k) => {
      const entry = document.createElement("span");
      entry.className = one.label ? "" : "alone";
      entry.style.setProperty("--series", colour(stacked, k));
      const value = document.createElement("b");
      values.push(value);
      entry.append(...(one.label ? [`${one.label} `] : []), value);
      legend.append(entry);
    });
    caption.append(legend);
    const canvas = document.createElement("div");
    canvas.className = "chart-plot";
    canvas.setAttribute("role", "img");
    const sums = stacked ? total(series, steps.length) : series[0].values;
    const whole = summary(sums, stacked ? 1 : 0);
    canvas.setAttribute("aria-label", `${title} over ${steps.length} frames: mean ${shown(whole?.mean)}, most ${shown(whole?.max)} at step ${steps[whole?.at ?? 0]}.`);
    box.append(caption, canvas);
    place.append(box);

    const frames = steps.map((_, frame) => frame);
    // Stacked phases are drawn from the sum of all down to the first alone.
    const stacks = series.map((_, k) => (stacked ? total(series.slice(0, k + 1), steps.length) : series[k].values));
    const drawn = stacked ? [...stacks.keys()].reverse() : [0];
    const reported = about.reported.filter((figure) => series.some((one) => one.name === figure.column));
    const most = summary(sums, stacked ? 1 : 0)?.max ?? 0;
    const near = stacked ? [] : reported.filter((figure) => figure.value <= 1.6 * most);
    const data: uPlot.AlignedData = [frames, ...drawn.map((k) => stacks[k]), ...near.map((figure) => frames.map(() => figure.value))];
    const soft = () => cssColour("--soft");
    const axis: uPlot.Axis = { stroke: soft, font: FONT, grid: { stroke: () => cssColour("--rule"), width: 1 }, ticks: { show: false } };
    const plot = new uPlot(
      {
        width: Math.max(120, canvas.clientWidth),
        height: HEIGHT,
        legend: { show: false },
        padding: [10, 10, 0, 0],
        cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
        scales: {
          x: { time: false, range: (_, min, max) => [min, Math.max(max, min + 1)] },
          y: { range: (_, min, max) => [Math.min(0, min ?? 0), (Math.max(max ?? 0, 0) || 1) * 1.08] },
        },
        axes: [
          { ...axis, size: 22, gap: 4, grid: { show: false }, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? shown(steps[tick] ?? tick) : "")) },
          { ...axis, size: (_, labels) => 16 + 6.4 * Math.max(3, ...(labels ?? []).map((label) => label.length)), gap: 4, space: 26, ...(isWhole(sums) ? { incrs: WHOLE } : {}), values: (_, ticks) => ticks.map((tick) => shown(tick)) },
        ],
        series: [
          {},
          ...drawn.map((k): uPlot.Series => ({
            stroke: colour(stacked, k),
            fill: stacked ? colour(stacked, k) : `${colour(stacked, k)}1f`,
            width: stacked ? 0 : 1.5,
            points: { show: steps.length < 3 },
          })),
          ...near.map((): uPlot.Series => ({ stroke: soft, dash: [5, 4], width: 1.25, points: { show: false } })),
        ],
        hooks: { draw: [(u) => this.drawMark(u)] },
      },
      data,
      canvas,
    );
    plot.over.addEventListener("click", (event) => this.jump(this.frameAt(plot, event)));
    if (reported.length > 0) box.append(beside(reported, series));
    this.charts.push({ plot, box, values, columns: series.map((one) => one.values) });
  }

  private frameAt(plot: uPlot, event: MouseEvent): number {
    const left = event.clientX - plot.over.getBoundingClientRect().left;
    return Math.max(0, Math.min(this.header.frames - 1, Math.round(plot.posToVal(left, "x"))));
  }

  private drawMark(plot: uPlot): void {
    const { ctx, bbox } = plot;
    const x = Math.round(plot.valToPos(this.frame, "x", true));
    ctx.save();
    ctx.strokeStyle = cssColour("--ink");
    ctx.lineWidth = Math.max(1, window.devicePixelRatio);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - 4);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  private resize(): void {
    for (const { plot, box } of this.charts) {
      const width = box.querySelector(".chart-plot")?.clientWidth ?? 0;
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT });
    }
  }
}

const FONT = "11px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif";

/** Distances of ticks for numbers that are whole. */
const WHOLE = Array.from({ length: 12 }, (_, k) => [1, 2, 5].map((n) => n * 10 ** k)).flat();

function isWhole(values: (number | null)[]): boolean {
  return values.every((value) => value === null || Number.isInteger(value));
}

function colour(stacked: boolean, series: number): string {
  return stacked ? SERIES[series % SERIES.length] : SERIES[0];
}

/** What others have reported, with ours beside it. */
function beside(reported: Header["about"]["reported"], series: { name: string; values: (number | null)[] }[]): HTMLElement {
  const list = document.createElement("p");
  list.className = "chart-paper";
  for (const { column, label, value } of reported) {
    const values = series.find((one) => one.name === column)?.values ?? [];
    const ours = summary(values, 1);
    const line = document.createElement("span");
    const theirs = document.createElement("b");
    theirs.textContent = shown(value);
    const here = document.createElement("b");
    here.textContent = shown(ours?.mean);
    line.append(`${label} `, theirs, " · here, mean ", here, ", most ", shown(ours?.max));
    list.append(line);
  }
  return list;
}

export function cssColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
}
