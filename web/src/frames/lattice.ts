// Lists of points as whole numbers: the other side of `crates/fracas-frames/src/lattice.rs`.

import { DataError, type Reader } from "./bytes.ts";

/** x, y, z of one point after the other. */
export type Nodes = Int32Array;

const BEFORE = 0;
const ONWARD = 2;

/** The points of a list in the last two frames of a group. */
export class Memory {
  private last: Nodes = new Int32Array(0);
  private earlier: Nodes = new Int32Array(0);

  clear(): void {
    this.last = this.earlier = new Int32Array(0);
  }

  /** Takes a list: each number is a difference to a guess. */
  take(bytes: Reader): Nodes {
    const count = bytes.count(3);
    const guess = bytes.byte();
    if (guess > ONWARD) throw new DataError("The data of this page is damaged: positions cannot be read.");
    const { last, earlier } = this;
    const nodes = new Int32Array(3 * count);
    const fromLast = guess === BEFORE ? 0 : Math.min(last.length, nodes.length);
    const onward = guess === ONWARD ? Math.min(earlier.length, fromLast) : 0;
    for (let axis = 0; axis < 3; axis++) {
      let k = axis;
      for (; k < onward; k += 3) nodes[k] = 2 * last[k] - earlier[k] + bytes.signed();
      for (; k < fromLast; k += 3) nodes[k] = last[k] + bytes.signed();
      for (; k < nodes.length; k += 3) nodes[k] = (k >= 3 ? nodes[k - 3] : 0) + bytes.signed();
    }
    this.earlier = last.length > nodes.length ? last.subarray(0, nodes.length) : last;
    this.last = nodes;
    return nodes;
  }
}

