// The strip above the slider: where the time went, and in which frames triangles collide.

import { cssColour } from "./chart.ts";
import type { Header } from "./frames/recording.ts";
import { total } from "./numbers.ts";
import { SERIES } from "./palette.ts";

export class Strip {
  private frame = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly header: Header,
  ) {
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  mark(frame: number): void {
    this.frame = frame;
    this.draw();
  }

  draw(): void {
    const { canvas, header } = this;
    const ratio = Math.min(2, window.devicePixelRatio);
    const [width, height] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (width === 0) return;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, width, height);
    // The knob of the slider keeps half its width from both ends.
    const edge = 8 * ratio;
    const place = (frame: number) => edge + ((width - 2 * edge) * frame) / Math.max(1, header.frames - 1);
    const sums = total(header.phases, header.frames);
    // A single long step must not flatten all others.
    const sorted = sums.slice(1).sort((a, b) => a - b);
    const most = Math.max(1e-9, sorted[Math.floor(0.99 * sorted.length)] ?? 0);
    const columns = Math.max(1, Math.min(header.frames, Math.floor((width - 2 * edge) / (2 * ratio))));
    const wide = (width - 2 * edge) / columns;
    const foot = height - 5 * ratio;
    const pairs = header.counters.find((counter) => counter.name === "pairs")?.values;
    for (let column = 0; column < columns; column++) {
      const from = Math.floor((column * header.frames) / columns);
      const until = Math.max(from + 1, Math.floor(((column + 1) * header.frames) / columns));
      const left = columns === header.frames && header.frames > 1 ? place(column) - 0.5 * wide : edge + column * wide;
      let y = foot;
      header.phases.forEach((phase, k) => {
        let mean = 0;
        for (let f = from; f < until; f++) mean += (phase.values[f] ?? 0) / (until - from);
        const tall = Math.min(y, (mean / most) * foot);
        context.fillStyle = SERIES[k % SERIES.length];
        context.fillRect(left, y - tall, Math.max(1, wide - 0.5 * ratio), tall);
        y -= tall;
      });
      if (pairs?.slice(from, until).some((count) => (count ?? 0) > 0)) {
        context.fillStyle = cssColour("--red");
        context.fillRect(left, foot + 2 * ratio, Math.max(1, wide), 3 * ratio);
      }
    }
    context.fillStyle = cssColour("--ink");
    context.fillRect(Math.round(place(this.frame)) - 0.5 * ratio, 0, Math.max(1, ratio), height);
  }
}
