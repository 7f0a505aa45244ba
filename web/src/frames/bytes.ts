// Numbers from bytes: the other side of `crates/fracas-frames/src/bytes.rs`.

/** Why data cannot be shown, in a sentence for the reader of the page. */
export class DataError extends Error {}

const DAMAGED = "The data of this page is damaged";

/** Takes numbers off the front of bytes. */
export class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get isEmpty(): boolean {
    return this.at >= this.bytes.length;
  }

  byte(): number {
    if (this.at >= this.bytes.length) throw new DataError(`${DAMAGED}: a part of it ends early.`);
    return this.bytes[this.at++];
  }

  varint(): number {
    const { bytes } = this;
    let value = bytes[this.at++];
    if (value < 0x80) return value;
    value &= 0x7f;
    for (let shift = 7; shift < 35; shift += 7) {
      const next = bytes[this.at++];
      // Past the end there is `undefined`, which is no number below 128 or above.
      if (next === undefined) break;
      value += (next & 0x7f) * 2 ** shift;
      if (next < 0x80) return value;
    }
    throw new DataError(`${DAMAGED}: a part of it ends early.`);
  }

  signed(): number {
    const folded = this.varint();
    return folded & 1 ? -((folded + 1) / 2) | 0 : (folded / 2) | 0;
  }

  /** A number of items of at least so many bytes each. */
  count(leastBytes: number): number {
    const count = this.varint();
    if (count * leastBytes > this.bytes.length - this.at) throw new DataError(`${DAMAGED}: it claims more than it holds.`);
    return count;
  }

  floats(count: number): Float32Array {
    const end = this.at + 4 * count;
    if (end > this.bytes.length) throw new DataError(`${DAMAGED}: a part of it ends early.`);
    const floats = new Float32Array(this.bytes.slice(this.at, end).buffer);
    this.at = end;
    return floats;
  }
}

/** Unpacks a zlib stream. */
export async function inflate(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new DataError(`${DAMAGED}: a part of it cannot be unpacked.`);
  }
}
