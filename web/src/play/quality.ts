// Keeps drawing fast: where pictures come too slowly, shadows and sharpness go, one after the other.

import type { Stage } from "../stage.ts";

/** From the best down. */
const LEVELS = [
  { shadows: true, sharpness: 2 },
  { shadows: true, sharpness: 1.25 },
  { shadows: true, sharpness: 1 },
  { shadows: false, sharpness: 1 },
  { shadows: false, sharpness: 0.75 },
  { shadows: false, sharpness: 0.5 },
];
/** Milliseconds between two pictures that are too long, as the mean over so many milliseconds, and of so many pictures at least. */
const SLOW = 24;
const SPAN = 500;
const FEWEST = 4;
/** Longer gaps are pauses. */
const PAUSE = 1500;

export class Quality {
  private level = 0;
  private last = 0;
  private draws = 0;
  private sum = 0;
  private count = 0;
  /** Pictures per second lately. */
  rate = 60;

  constructor(private readonly stage: Stage) {}

  /** Notes a picture. Only those count in which something was drawn. */
  tick(now: number): void {
    const since = now - this.last;
    this.last = now;
    const isDrawn = this.stage.draws !== this.draws;
    this.draws = this.stage.draws;
    if (!isDrawn || since > PAUSE) return;
    this.sum += since;
    this.count++;
    if (this.sum < SPAN || this.count < FEWEST) return;
    const mean = this.sum / this.count;
    this.rate = 1000 / mean;
    this.sum = this.count = 0;
    if (mean > SLOW && this.level + 1 < LEVELS.length) this.apply(this.level + 1);
  }

  /** Tries again, with another scene. Shadows only where there are few triangles. */
  reset(withShadows: boolean): void {
    this.sum = this.count = 0;
    // What was too slow for one scene is a good guess for the next.
    this.apply(Math.max(0, this.level - 1), withShadows);
  }

  /** What is drawn, from 0, the best. */
  get step(): number {
    return this.level;
  }

  private apply(level: number, withShadows = true): void {
    this.level = level;
    const { shadows, sharpness } = LEVELS[level];
    this.stage.setShadows(shadows && withShadows);
    this.stage.setSharpness(sharpness);
  }
}
