// A recording: what it is about at once, frames when they are asked for. The layout is described in
// `crates/fracas-frames/src/lib.rs`.

import { DataError, inflate, Reader } from "./bytes.ts";
import { type Frame, Packer } from "./group.ts";
import { Triangles } from "./triangles.ts";

export const VERSION = 1;
const MAGIC = "FRACASFR";

/** A number for each frame. */
export interface Column {
  name: string;
  values: (number | null)[];
}

export interface Header {
  about: {
    kind: "run" | "check" | "mesh" | "near";
    title: string;
    text: string;
    size: string;
    steps: number;
    step_seconds: number;
    ground: number | null;
    meshes: { path: string; vertices: number; triangles: number }[];
    reported: { column: string; label: string; value: number }[];
    /** Lines that are drawn on top, each between two points. */
    lines?: [[number, number, number], [number, number, number]][];
    program: string;
  };
  origin: [number, number, number];
  step: number;
  frames: number;
  steps: number[];
  seconds: number[];
  phases: Column[];
  counters: Column[];
  groups: number[];
  vertices: number;
  triangles: number;
  contacts: number;
  low: [number, number, number];
  high: [number, number, number];
  levels: number[];
}

/** Where packed groups come from. */
export type GroupSource = (group: number) => Promise<Uint8Array>;

/** Unpacked groups are kept up to about so many bytes. */
const MOST_KEPT = 192 << 20;

export class Recording {
  /** Unpacked groups, the one used last at the end. */
  private readonly kept = new Map<number, { frames: Frame[]; bytes: number }>();
  private readonly coming = new Map<number, Promise<Frame[]>>();

  private constructor(
    readonly header: Header,
    readonly triangles: Triangles,
    private readonly lengths: number[],
    private readonly source: GroupSource,
  ) {}

  /** Opens a recording from its beginning; throws a {@link DataError} if it cannot be shown. */
  static async open(head: Uint8Array, source: GroupSource): Promise<Recording> {
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    if (head.length < 8 || String.fromCharCode(...head.subarray(0, 8)) !== MAGIC) {
      throw new DataError("The data of this page is not a recording of Fracas.");
    }
    const word = (k: number) => {
      if (8 + 4 * k + 4 > head.length) throw endsEarly();
      return view.getUint32(8 + 4 * k, true);
    };
    const version = word(0);
    if (version !== VERSION) {
      throw new DataError(
        `The data of this page has version ${version} of the format, and the page reads version ${VERSION}. Run the scene again to make a new one.`,
      );
    }
    const count = word(1);
    if (count < 2 || count > head.length) throw endsEarly();
    const lengths = Array.from({ length: count }, (_, k) => word(2 + k));
    const begin = 8 + 4 * (2 + count);
    if (head.length < begin + lengths[0] + lengths[1]) throw endsEarly();
    const [text, triangles] = await Promise.all([
      inflate(head.subarray(begin, begin + lengths[0])),
      inflate(head.subarray(begin + lengths[0], begin + lengths[0] + lengths[1])),
    ]);
    const header = JSON.parse(new TextDecoder().decode(text)) as Header;
    if (header.frames === 0) throw new DataError("The recording in this page has no frames.");
    return new Recording(header, new Triangles(triangles), lengths.slice(2), source);
  }

  groupOf(frame: number): number {
    const { groups } = this.header;
    let group = groups.length - 1;
    while (group > 0 && groups[group] > frame) group--;
    return group;
  }

  /** A frame, if it is at hand. */
  at(frame: number): Frame | undefined {
    const group = this.groupOf(frame);
    const kept = this.kept.get(group);
    if (!kept) return undefined;
    this.kept.delete(group);
    this.kept.set(group, kept);
    return kept.frames[frame - this.header.groups[group]];
  }

  /** A frame, unpacked if it has to be. */
  async frame(frame: number): Promise<Frame> {
    const group = this.groupOf(frame);
    await this.unpack(group);
    const found = this.at(frame);
    if (!found) throw new DataError(`The data of this page is damaged: frame ${frame} is missing.`);
    return found;
  }

  /** Unpacks the group of a frame in the background. */
  prepare(frame: number): void {
    if (frame < this.header.frames) this.unpack(this.groupOf(frame)).catch(() => {});
  }

  private unpack(group: number): Promise<Frame[]> {
    const kept = this.kept.get(group);
    if (kept) return Promise.resolve(kept.frames);
    let coming = this.coming.get(group);
    if (!coming) {
      coming = this.unpackNow(group).finally(() => this.coming.delete(group));
      this.coming.set(group, coming);
    }
    return coming;
  }

  private async unpackNow(group: number): Promise<Frame[]> {
    const packed = await this.source(group);
    if (packed.length !== this.lengths[group]) throw endsEarly(this.header.groups[group]);
    const bytes = new Reader(await inflate(packed));
    const packer = new Packer();
    const frames: Frame[] = [];
    while (!bytes.isEmpty) frames.push(packer.take(bytes));
    const size = frames.reduce((sum, f) => sum + f.nodes.byteLength + f.fragments.byteLength + f.pairs.byteLength + 2 * f.boxes.low.byteLength, 0);
    this.kept.set(group, { frames, bytes: size });
    this.forget(group);
    return frames;
  }

  /** Lets go of the groups used longest ago, but never of this one. */
  private forget(but: number): void {
    let all = 0;
    for (const { bytes } of this.kept.values()) all += bytes;
    for (const [group, { bytes }] of this.kept) {
      if (all <= MOST_KEPT) break;
      if (group === but) continue;
      this.kept.delete(group);
      all -= bytes;
    }
  }
}

function endsEarly(frame?: number): DataError {
  const what = frame === undefined ? "nothing can be shown" : `frames from ${frame} on are missing`;
  return new DataError(`The data of this page ends early, so ${what}. The file was not written or copied whole.`);
}
