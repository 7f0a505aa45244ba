// All triangles of a recording: the other side of `crates/fracas-frames/src/triangles.rs`.

import { Reader } from "./bytes.ts";

/** Triangles by their number. */
export class Triangles {
  readonly count: number;
  /** Three vertices of each. */
  readonly corners: Uint32Array;
  readonly isCrack: Uint8Array;
  /** The first frame with it; past all frames if there never was such a triangle. */
  readonly born: Int32Array;
  /** The first frame without it again; past all frames if it lives on. */
  readonly died: Int32Array;
  /** Frames in which triangles come or go, ascending. */
  readonly changes: number[];

  constructor(unpacked: Uint8Array) {
    const NEVER = 0x7fffffff;
    const bytes = new Reader(unpacked);
    this.count = bytes.count(5);
    this.corners = new Uint32Array(3 * this.count);
    this.isCrack = new Uint8Array(this.count);
    this.born = new Int32Array(this.count);
    this.died = new Int32Array(this.count);
    let before = 0;
    for (let t = 0; t < this.count; t++) {
      before += bytes.signed();
      this.born[t] = before === 0 ? NEVER : before - 1;
    }
    for (let t = 0; t < this.count; t++) {
      const age = bytes.varint();
      this.died[t] = age === 0 ? NEVER : this.born[t] + age - 1;
    }
    for (let at = 0, isCrack = 0; at < this.count; isCrack ^= 1) {
      const run = bytes.varint();
      this.isCrack.fill(isCrack, at, at + run);
      at += run;
    }
    for (let corner = 0; corner < 3; corner++) {
      let last = 0;
      for (let t = 0; t < this.count; t++) {
        last = (last + bytes.signed()) >>> 0;
        this.corners[3 * t + corner] = last;
      }
    }
    const changes = new Set<number>();
    for (let t = 0; t < this.count; t++) {
      changes.add(this.born[t]);
      changes.add(this.died[t]);
    }
    changes.delete(NEVER);
    this.changes = [...changes].sort((a, b) => a - b);
  }

  isIn(triangle: number, frame: number): boolean {
    return this.born[triangle] <= frame && frame < this.died[triangle];
  }

  /** A number that two frames share if they have the same triangles. */
  version(frame: number): number {
    let low = 0;
    let high = this.changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.changes[middle] <= frame) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
