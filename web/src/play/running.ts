// Charts that run while a scene is simulated, and a table with the paper's figures beside what was measured here.

import type uPlot from "uplot";
import { colour, figure, type Figure, fitWidth, plotIn } from "../chart.ts";
import { named, shown } from "../numbers.ts";
import { row, tableOf } from "../panel.ts";
import type { Made } from "./protocol.ts";

/** Steps that a chart shows. */
const WINDOW = 240;
/** Milliseconds between two drawings. */
const PACE = 120;
/** Counters with a chart of their own, if a scene has them. */
const COUNTERS = ["contacts", "pieces"];

/** Mean and maximum of all values so far. */
class Tally {
  private sum = 0;
  private count = 0;
  most = -Infinity;
  now = 0;

  add(value: number): void {
    this.now = value;
    this.sum += value;
    this.count++;
    this.most = Math.max(this.most, value);
  }

  get mean(): number | undefined {
    return this.count > 0 ? this.sum / this.count : undefined;
  }
}

interface Chart {
  names: string[];
  stacked: boolean;
  figure: Figure;
  plot: uPlot;
}

export class Running {
  private charts: Chart[] = [];
  private steps: number[] = [];
  private columns = new Map<string, (number | undefined)[]>();
  private tallies = new Map<string, Tally>();
  private reported: Made["reported"] = [];
  private drawn = 0;

  /** Places for the chart of phases, for those of counters, and for the paper's figures. */
  constructor(
    private readonly phases: HTMLElement,
    private readonly counters: HTMLElement,
    private readonly paper: HTMLElement,
  ) {
    const observer = new ResizeObserver(() => this.charts.forEach(({ plot, figure }) => fitWidth(plot, figure.box)));
    [phases, counters].forEach((place) => observer.observe(place));
  }

  /** Begins anew with a scene. */
  begin(reported: Made["reported"]): void {
    this.charts.forEach(({ plot }) => plot.destroy());
    this.charts = [];
    this.phases.replaceChildren();
    this.counters.replaceChildren();
    this.steps = [];
    this.columns = new Map();
    this.tallies = new Map();
    this.reported = reported;
    this.drawn = 0;
    this.showPaper();
  }

  /** Takes the numbers of a step. */
  add(step: number, phases: [string, number][], counters: [string, number][], now: number): void {
    if (step === this.steps[this.steps.length - 1]) return;
    if (this.steps.length >= WINDOW) this.steps.shift();
    this.steps.push(step);
    const values = new Map([...phases, ...counters]);
    if (phases.length > 0) values.set("all", phases.reduce((sum, [, ms]) => sum + ms, 0));
    for (const [name, value] of values) {
      const tally = this.tallies.get(name) ?? new Tally();
      tally.add(value);
      this.tallies.set(name, tally);
      if (!this.columns.has(name)) this.columns.set(name, Array(this.steps.length - 1).fill(undefined));
    }
    for (const [name, column] of this.columns) {
      if (column.length >= WINDOW) column.shift();
      column.push(values.get(name));
    }
    if (phases.length > 0 && this.charts.length === 0) this.make(phases.map(([name]) => name), counters.map(([name]) => name));
    if (now - this.drawn < PACE) return;
    this.drawn = now;
    this.draw();
  }

  /** Draws all there is, as when colours have changed. */
  draw(): void {
    for (const { names, stacked, figure, plot } of this.charts) {
      plot.setData(this.dataOf(names, stacked));
      names.forEach((name, k) => (figure.values[k].textContent = shown(this.tallies.get(name)?.now)));
      const all = stacked ? this.tallies.get("all") : this.tallies.get(names[0]);
      const title = figure.box.querySelector(".chart-title")?.textContent ?? "";
      figure.canvas.setAttribute("aria-label", `${title} over the last ${this.steps.length} steps: mean so far ${shown(all?.mean)}, most ${shown(all?.most)}.`);
    }
    this.showPaper();
  }

  private make(phases: string[], counters: string[]): void {
    this.addChart("Time by phase", "ms", phases, true);
    for (const name of COUNTERS) if (counters.includes(name)) this.addChart(named(name), "", [name], false);
  }

  private addChart(title: string, unit: string, names: string[], stacked: boolean): void {
    const made = figure(title, unit, stacked ? names : [""], stacked);
    made.box.dataset.column = stacked ? "phases" : names[0];
    (stacked ? this.phases : this.counters).append(made.box);
    const drawn = stacked ? names.map((_, k) => names.length - 1 - k) : [0];
    const plot = plotIn(made.canvas, this.dataOf(names, stacked), {
      series: drawn.map((k) => ({ colour: colour(stacked, k), stacked })),
      ticks: (ticks) => ticks.map((tick) => (Number.isInteger(tick) ? shown(tick) : "")),
      whole: !stacked,
      ...(stacked ? { top: () => this.usual("all") } : {}),
    });
    this.charts.push({ names, stacked, figure: made, plot });
  }

  /** Stacked phases from the sum of all down to the first alone; else the column. */
  private dataOf(names: string[], stacked: boolean): uPlot.AlignedData {
    const columns = names.map((name) => this.columns.get(name) ?? []);
    if (!stacked) return [this.steps, columns[0].map((value) => value ?? null)];
    const sums = columns.map((_, last) => this.steps.map((_, k) => columns.slice(0, last + 1).reduce((sum, column) => sum + (column[k] ?? 0), 0)));
    return [this.steps, ...sums.reverse()];
  }

  /** The greatest value of a column's window, but for a few that would flatten all others, such as the very first step. */
  private usual(name: string): number {
    const sorted = (this.columns.get(name) ?? []).filter((value) => value !== undefined).sort((a, b) => a - b);
    return Math.min(sorted[sorted.length - 1] ?? 0, 1.5 * (sorted[Math.floor(0.96 * (sorted.length - 1))] ?? 0)) || (sorted[sorted.length - 1] ?? 0);
  }

  /** The paper's figures, with what was measured here. */
  private showPaper(): void {
    this.paper.hidden = this.reported.length === 0;
    if (this.paper.hidden) return;
    // The source, which all labels begin with, goes into the heading.
    const source = this.reported[0].label.split(":")[0];
    const rows = this.reported.map(({ column, label, value }) => {
      const tally = this.tallies.get(column);
      const what = label.startsWith(`${source}: `) ? label.slice(source.length + 2) : label;
      const isMost = /\bmost\b|\bmax/.test(what);
      const isMean = /\bmean\b|\baverage\b/.test(what);
      return row([capital(what), shown(value), shown(isMost ? tally && tally.most : isMean ? tally?.mean : tally?.now)]);
    });
    this.paper.replaceChildren(tableOf(source, ["", "paper", "here"], rows));
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
