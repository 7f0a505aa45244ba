// What the stage shows of a simulation: the triangles that hold now, and positions between the last two frames.
//
// A frame is shown over the time until the next one is expected, so motion is smooth where steps are slower than the screen, as in
// slow motion. The price is one frame of delay.
//
//   frames        a ─────────── b ─────────── c
//   on screen     ·  from a to b ·  from b to c ·      each from where it has come to
//
// When triangles are listed anew, their vertices are too. Triangles that were there before are known by their ids, and so are the
// places from which their vertices come; vertices of new triangles are at once where they belong.

import type { Picture, Surface } from "../stage.ts";
import type { PlayFrame } from "./protocol.ts";

/** Frames are shown over no more than this, in milliseconds. */
const LONGEST = 400;

export class Live {
  private triangles: Triangles = new Triangles(new Uint32Array(0), new Uint32Array(0), new Uint32Array(0), 0);
  private fragments = new Uint32Array(0);
  private ids = new Uint32Array(0);
  private from = new Float32Array(0);
  private to = new Float32Array(0);
  private now = new Float32Array(0);
  private arrived = 0;
  private over = 0;
  private isMoving = false;

  /** The triangles that hold now. */
  get surface(): Surface {
    return this.triangles;
  }

  /** The id of the triangle at a place of the list. */
  id(place: number): number {
    return this.ids[place] ?? place;
  }

  /** Takes a frame, copying all that is kept. Motion to it takes about as long as frames have been on screen lately, if `isSmooth`. */
  take(frame: PlayFrame, at: number, isSmooth: boolean): Picture {
    const isFresh = frame.fresh || this.to.length === 0;
    // As far as it has come by now: frames may come as often as pictures.
    this.at(at);
    if (frame.triangles) {
      const { corners, fragments, cracks, ids } = frame.triangles;
      const [before, beforeIds] = [this.triangles, this.ids];
      this.triangles = new Triangles(corners.slice(), fragments, cracks, frame.generation);
      this.fragments = fragments.slice();
      this.ids = ids.slice();
      this.from = frame.positions.slice();
      if (!isFresh) this.carry(before, beforeIds, this.now);
    } else {
      this.from = filled(this.from, this.now);
    }
    this.to = filled(this.to, frame.positions);
    const since = Math.min(LONGEST, Math.max(0, at - this.arrived));
    this.over = this.over === 0 ? since : this.over + 0.2 * (since - this.over);
    this.arrived = at;
    this.isMoving = isSmooth && !isFresh && this.over > 0;
    this.now = filled(this.now, this.isMoving ? this.from : this.to);
    return { nodes: this.now, fragments: this.fragments, pairs: frame.pairs.slice(), contacts: frame.contacts.slice(), boxes: boxesOf(frame.boxes) };
  }

  /** Positions on screen at a time; undefined if nothing moves any more. */
  at(now: number): Float32Array | undefined {
    if (!this.isMoving) return undefined;
    const share = Math.min(1, (now - this.arrived) / this.over);
    const { from, to, now: mixed } = this;
    for (let k = 0; k < to.length; k++) mixed[k] = from[k] + share * (to[k] - from[k]);
    this.isMoving = share < 1;
    return mixed;
  }

  /** Puts vertices of triangles that were there before where they were last. */
  private carry({ corners: old }: Triangles, oldIds: Uint32Array, come: Float32Array): void {
    const placeOf = new Map<number, number>();
    oldIds.forEach((id, place) => placeOf.set(id, place));
    const { corners } = this.triangles;
    this.ids.forEach((id, place) => {
      const was = placeOf.get(id);
      if (was === undefined) return;
      for (let c = 0; c < 3; c++) {
        const [vertex, before] = [3 * corners[3 * place + c], 3 * old[3 * was + c]];
        this.from[vertex] = come[before];
        this.from[vertex + 1] = come[before + 1];
        this.from[vertex + 2] = come[before + 2];
      }
    });
  }
}

/** A copy of numbers, in the memory of another one where it fits. */
function filled(memory: Float32Array<ArrayBuffer>, from: Float32Array): Float32Array<ArrayBuffer> {
  if (memory.length !== from.length) return from.slice() as Float32Array<ArrayBuffer>;
  memory.set(from);
  return memory;
}

/** A list of triangles that are all there. */
class Triangles implements Surface {
  readonly isCrack: Uint8Array;
  readonly count: number;

  constructor(
    readonly corners: Uint32Array,
    fragments: Uint32Array,
    cracks: Uint32Array,
    private readonly generation: number,
  ) {
    this.count = fragments.length;
    this.isCrack = Uint8Array.from(cracks);
  }

  isIn(): boolean {
    return true;
  }

  version(): number {
    return this.generation;
  }
}

/** Boxes by level, as recordings have them. */
function boxesOf(boxes: Float32Array): Picture["boxes"] {
  const count = boxes.length / 7;
  const levels: number[] = [];
  const [low, high] = [new Float32Array(3 * count), new Float32Array(3 * count)];
  for (let b = 0; b < count; b++) {
    const level = boxes[7 * b + 6];
    while (levels.length <= level) levels.push(0);
    levels[level]++;
    low.set(boxes.subarray(7 * b, 7 * b + 3), 3 * b);
    high.set(boxes.subarray(7 * b + 3, 7 * b + 6), 3 * b);
  }
  return { levels, low, high };
}
