// How the coordinates of a scene become places on the stage: the first frame is about one unit long and stands around the origin.

import { Box3, Vector3 } from "three";
import type { Frame } from "./frames/group.ts";
import type { Recording } from "./frames/recording.ts";

type Triple = [number, number, number];

export class Space {
  constructor(
    /** A node `n` of a frame is the point `origin + step · n` of the scene… */
    readonly origin: Triple,
    readonly step: number,
    /** …and the place `offset + scale · n` on the stage. */
    readonly scale: number,
    readonly offset: Triple,
    /** What the first view holds. */
    readonly home: Box3,
    /** Height of the ground on the stage. */
    readonly ground?: number,
  ) {}

  /** Where a coordinate of the scene is on the stage. */
  place(x: number, axis: number): number {
    return ((x - this.origin[axis]) / this.step) * this.scale + this.offset[axis];
  }

  /** The point of the scene at a place of the stage. */
  point(place: Vector3): Triple {
    return [0, 1, 2].map((axis) => this.origin[axis] + (this.step * (place.getComponent(axis) - this.offset[axis])) / this.scale) as Triple;
  }

  /** A length of the scene on the stage. */
  length(x: number): number {
    return (x / this.step) * this.scale;
  }

  get centre(): Vector3 {
    return this.home.getCenter(new Vector3());
  }

  get radius(): number {
    return Math.max(0.05, 0.5 * this.home.getSize(new Vector3()).length());
  }
}

/** Around what nodes span and `more`, in nodes too, which the view holds as far as it is not much larger. */
function around(nodes: ArrayLike<number>, origin: Triple, step: number, ground: number | null, more?: [Triple, Triple]): Space {
  const [low, high] = [[0, 1, 2].map(() => Infinity), [0, 1, 2].map(() => -Infinity)];
  for (let k = 0; k < nodes.length; k++) {
    low[k % 3] = Math.min(low[k % 3], nodes[k]);
    high[k % 3] = Math.max(high[k % 3], nodes[k]);
  }
  const groundNode = ground === null ? undefined : (ground - origin[2]) / step;
  if (groundNode !== undefined) low[2] = Math.min(low[2], groundNode);
  const isKnown = low.every((x, axis) => Number.isFinite(high[axis] - x));
  const sides = [0, 1, 2].map((axis) => (isKnown ? high[axis] - low[axis] : 0));
  const longest = Math.max(...sides);
  const scale = longest > 0 ? 1 / longest : 1;
  const offset = [0, 1, 2].map((axis) => (isKnown ? -0.5 * (low[axis] + high[axis]) * scale : 0)) as Triple;
  const ends = [0, 1, 2].map((axis) => {
    if (!isKnown) return [-0.5, 0.5];
    const slack = 0.6 * longest;
    const bottom = more ? Math.max(low[axis] - slack, Math.min(low[axis], more[0][axis])) : low[axis];
    const top = more ? Math.min(high[axis] + slack, Math.max(high[axis], more[1][axis])) : high[axis];
    return [bottom * scale + offset[axis], top * scale + offset[axis]];
  });
  const home = new Box3(new Vector3(...ends.map((end) => end[0])), new Vector3(...ends.map((end) => end[1])));
  return new Space(origin, step, scale, offset, home, groundNode === undefined ? undefined : groundNode * scale + offset[2]);
}

/** The space of a recording. The view holds all of the run, unless it spreads far beyond its beginning. */
export function spaceOf({ header }: Recording, first: Frame): Space {
  const { about, origin, step } = header;
  const node = (ends: Triple) => ends.map((x, axis) => (x - origin[axis]) / step) as Triple;
  return around(first.nodes, origin, step, about.ground, [node(header.low), node(header.high)]);
}

/** The space of bodies whose coordinates are those of the scene. */
export function spaceAround(positions: ArrayLike<number>, ground: number | null): Space {
  return around(positions, [0, 0, 0], 1, ground);
}
