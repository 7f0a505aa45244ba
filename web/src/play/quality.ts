// Keeps drawing fast: where pictures come too slowly, shadows, careful shading and sharpness go, one after the other. Where there is no
// graphics card, drawing begins with little.

import type { Stage } from "../stage.ts";

/** From the best down. */
const LEVELS = [
  { shadows: true, plain: false, sharpness: 2 },
  { shadows: true, plain: false, sharpness: 1.25 },
  { shadows: true, plain: false, sharpness: 1 },
  { shadows: false, plain: true, sharpness: 1 },
  { shadows: false, plain: true, sharpness: 0.75 },
  { shadows: false, plain: true, sharpness: 0.5 },
];
/** Where it begins without a graphics card. */
const SOFTWARE = 4;
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

  /** With `isFixed`, everything stays at its best, however slow. */
  constructor(
    private readonly stage: Stage,
    isSoftware: boolean,
    private readonly isFixed = false,
  ) {
    if (isSoftware && !isFixed) this.apply(SOFTWARE);
  }

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
    if (!this.isFixed && mean > SLOW && this.level + 1 < LEVELS.length) this.apply(this.level + 1);
  }

  /** Tries again, with another scene. Shadows only where there are few triangles. */
  reset(withShadows: boolean): void {
    this.sum = this.count = 0;
    // What was too slow for one scene is a good guess for the next.
    this.apply(Math.max(0, this.level - (this.level < SOFTWARE ? 1 : 0)), withShadows);
  }

  /** What is drawn, from 0, the best. */
  get step(): number {
    return this.level;
  }

  private apply(level: number, withShadows = true): void {
    this.level = level;
    const { shadows, plain, sharpness } = LEVELS[level];
    this.stage.setShadows(shadows && withShadows);
    this.stage.setPlain(plain);
    // Round corners and blurred grounds of words cost time for each pixel, too.
    document.body.classList.toggle("plain", plain);
    this.stage.setSharpness(sharpness);
  }
}

/** Whether the browser draws on the processor. */
export function drawsInSoftware(): boolean {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name = String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}
