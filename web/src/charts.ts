// Charts over all frames; a click goes to a frame. Small multiples in place of one crowded chart.

import type uPlot from "uplot";
import { colour, cssColour, figure, fitWidth, isWhole, plotIn } from "./chart.ts";
import type { Header } from "./frames/recording.ts";
import { named, shown, summary, total } from "./numbers.ts";

/** Counters that get a chart, in this order, if they ever change or stand alone. */
const FIRST = ["pairs", "contacts", "pieces", "q", "depth", "triangles"];

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
    const { box, canvas, values } = figure(title, unit, series.map((one) => one.label), stacked);
    box.dataset.column = stacked ? "phases" : series[0].name;
    const sums = stacked ? total(series, steps.length) : series[0].values;
    const whole = summary(sums, stacked ? 1 : 0);
    canvas.setAttribute("aria-label", `${title} over ${steps.length} frames: mean ${shown(whole?.mean)}, most ${shown(whole?.max)} at step ${steps[whole?.at ?? 0]}.`);
    place.append(box);

    const frames = steps.map((_, frame) => frame);
    // Stacked phases are drawn from the sum of all down to the first alone.
    const stacks = series.map((_, k) => (stacked ? total(series.slice(0, k + 1), steps.length) : series[k].values));
    const drawn = stacked ? [...stacks.keys()].reverse() : [0];
    const reported = about.reported.filter((figure) => series.some((one) => one.name === figure.column));
    const near = stacked ? [] : reported.filter((figure) => figure.value <= 1.6 * (whole?.max ?? 0));
    const plot = plotIn(canvas, [frames, ...drawn.map((k) => stacks[k]), ...near.map((figure) => frames.map(() => figure.value))], {
      series: [...drawn.map((k) => ({ colour: colour(stacked, k), stacked })), ...near.map(() => ({ colour: "", stacked: false, dashed: true }))],
      ticks: (ticks) => ticks.map((tick) => (Number.isInteger(tick) ? shown(steps[tick] ?? tick) : "")),
      whole: isWhole(sums),
      points: steps.length < 3,
      draw: (plot) => this.drawMark(plot),
    });
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
    for (const { plot, box } of this.charts) fitWidth(plot, box);
  }
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
