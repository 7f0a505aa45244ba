// Frames that are packed together: the other side of `crates/fracas-frames/src/group.rs`.

import { DataError, type Reader } from "./bytes.ts";
import { Memory, type Nodes } from "./lattice.ts";

/** The fragment of a triangle that is gone. */
export const DEAD = 0xffffffff;

/** One frame, unpacked. Arrays that did not change since the last frame may be shared with it. */
export interface Frame {
  /** Positions as whole numbers of steps. */
  nodes: Nodes;
  /** The fragment of every triangle slot so far, {@link DEAD} for those that are gone. */
  fragments: Uint32Array;
  /** Two triangles of each pair. */
  pairs: Uint32Array;
  /** Point, normal and depth of each contact, in the units of the scene. */
  contacts: Float32Array;
  /** Boxes of trees, from the roots down. */
  boxes: { levels: number[]; low: Nodes; high: Nodes };
}

/** Unpacks the frames of a group, in order. */
export class Packer {
  private readonly positions = new Memory();
  private readonly low = new Memory();
  private readonly high = new Memory();
  private fragments = new Uint32Array(0);
  private levels: number[] = [];

  take(bytes: Reader): Frame {
    const nodes = this.positions.take(bytes);
    this.fragments = takeFragments(bytes, this.fragments);
    const pairs = takePairs(bytes);
    const contacts = bytes.floats(7 * bytes.count(28));
    return { nodes, fragments: this.fragments, pairs, contacts, boxes: this.takeBoxes(bytes) };
  }

  private takeBoxes(bytes: Reader): Frame["boxes"] {
    const levels = Array.from({ length: bytes.count(1) }, () => bytes.varint());
    const isSame = levels.length === this.levels.length && levels.every((count, level) => count === this.levels[level]);
    if (!isSame) {
      this.low.clear();
      this.high.clear();
    }
    this.levels = levels;
    return { levels, low: this.low.take(bytes), high: this.high.take(bytes) };
  }
}

function takeFragments(bytes: Reader, before: Uint32Array): Uint32Array<ArrayBuffer> {
  const slots = bytes.varint();
  if (slots > before.length + 0xffffff) throw new DataError("The data of this page is damaged: it claims too many triangles.");
  let fragments = before as Uint32Array<ArrayBuffer>;
  if (slots !== before.length) {
    fragments = new Uint32Array(slots).fill(DEAD);
    fragments.set(before.subarray(0, slots));
  }
  for (let at = 0; at < slots; ) {
    at += bytes.varint();
    if (at >= slots) break;
    const run = bytes.varint();
    const value = (bytes.varint() - 1) >>> 0;
    if (fragments === before) fragments = before.slice() as Uint32Array<ArrayBuffer>;
    fragments.fill(value, at, at + run);
    at += run;
  }
  return fragments;
}

function takePairs(bytes: Reader): Uint32Array {
  const pairs = new Uint32Array(2 * bytes.count(2));
  let a = 0;
  let b = 0;
  for (let k = 0; k < pairs.length; k += 2) {
    const step = bytes.signed();
    a = (a + step) >>> 0;
    b = ((step === 0 ? b : a) + bytes.signed()) >>> 0;
    pairs[k] = a;
    pairs[k + 1] = b;
  }
  return pairs;
}
