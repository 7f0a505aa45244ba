// The part of the wasm module that the worker uses; `crates/fracas-web` implements it.

/** A scene, or a mesh that is looked at. Methods that cannot do what they are asked throw a sentence and change nothing. */
export interface Play {
  /** What `Made` or `Checked` of the protocol says, as JSON. */
  about(): string;
  /** Does a step. */
  step(): void;
  /** Does what a patient user would do, always the same, then a step that is not recorded: for tests and benchmarks. */
  rehearse(): void;
  /** Uses a tool of the protocol, as JSON; returns what it did, as JSON: `done` and `text`. */
  use_tool(tool: string): string;
  /** Up to how many boxes frames hold. */
  set_boxes(most: number): void;
  /** Writes the state as a frame; returns its number of bytes. They are at `frame_at` until the next call. */
  write_frame(): number;
  frame_at(): number;
  /** Milliseconds of phases and counters of the last step, as JSON: `phases` and `counters`. */
  numbers(): string;
  /** The recording of all steps so far, packed into the page that is given. */
  saved(template: string): Uint8Array;
  /** How many frames `saved` has. */
  recorded(): number;
  /** A hash of all that every step so far has left behind. */
  hash(): string;
  free(): void;
}

export interface Engine {
  /** Makes a scene; for the scene `mesh`, of the mesh that was loaded last. */
  make(scene: string, size: string, seed: number): Play;
  /** Reads a mesh and finds its intersections. */
  load(name: string, bytes: Uint8Array): Play;
  version(): string;
  /** What a trap was about, in a sentence; empty if there was none. */
  panic(): string;
}
