// What the page and its worker say to each other, and the layout of a frame.
//
//   page                                              worker (owns the wasm instance)
//   start, make, load, run, pause, step, speed  ───▶  makes a scene, steps it by its own clock
//   tool, look, save                            ───▶
//                                               ◀───  ready, made, checked, frame, said, saved, failed
//   taken (the buffer, to be used again)        ───▶
//
// At most one frame is under way: the worker posts the next one only after `taken`, and steps that pass in the meantime are not
// shown. So frames never queue up, however slow the page is. A frame is one buffer, handed over and not copied.
//
// Coordinates are those of the scene: metres, up is z. Where the user points is a ray from the eye, in the same coordinates; what it
// hits is found in the worker, not by the page.

/** The scenes there are, in the order of a list. `mesh` is the user's own, after `load`. */
export const SCENES = ["plates", "handful", "bricks", "piggybank", "cut", "mesh"] as const;
export type SceneName = (typeof SCENES)[number];
export type Size = "small" | "paper" | "large";
export type Vec3 = [number, number, number];

/** Where the user points: from the eye, of any length but zero. */
export interface Ray {
  from: Vec3;
  along: Vec3;
}

/** What the user does. Tools that find nothing under the ray do nothing, and say so. */
export type Tool =
  /** A ball falls onto the place under the ray; where there is nothing, onto the ground. */
  | { tool: "ball"; ray: Ray }
  /** A ball or a brick flies along the ray, in metres per second (1 to 40). */
  | { tool: "throw"; ray: Ray; what: "ball" | "brick"; speed: number }
  /** Takes the body under the ray by that point; `drag` moves the point in the plane that faced the eye, `release` lets go. */
  | { tool: "grab"; ray: Ray }
  | { tool: "drag"; ray: Ray }
  | { tool: "release" }
  /** A hammer strikes what is under the ray, in its direction. Strength from 0 to 1. */
  | { tool: "strike"; ray: Ray; strength: number }
  /** Cuts along a stroke: two or more rays, as the pointer went. */
  | { tool: "cut"; rays: Ray[] };

export type ToolName = Tool["tool"];

export type ToWorker =
  /** First of all. The module, and the report page that `save` fills. */
  | { do: "start"; wasm: ArrayBuffer; template: string }
  /** Makes a scene and pauses at its first frame; for `mesh` the one that was loaded last. */
  | { do: "make"; scene: SceneName; size: Size; seed: number }
  /** Reads a mesh and looks for intersections: answered by `checked` and a frame that shows it. `make` with `mesh` makes it a body. */
  | { do: "load"; name: string; bytes: ArrayBuffer }
  | { do: "run" }
  | { do: "pause" }
  /** So many steps at once, while paused. */
  | { do: "step"; count: number }
  /** How much of real time passes in the scene: 1 is as it is, 0.1 is slow motion. */
  | { do: "speed"; speed: number }
  | { do: "tool"; use: Tool }
  /** Up to how many boxes of trees frames hold; 0 for none. */
  | { do: "look"; boxes: number }
  /** The report page of what was played since the scene was made: answered by `saved`. */
  | { do: "save" }
  /** For tests: makes a scene beside the one that is played, does so many steps with tools used as in the native run, and answers with `proof`. */
  | { do: "prove"; scene: SceneName; size: Size; steps: number }
  /** The page is done with a frame, and gives its buffer back. */
  | { do: "taken"; buffer: ArrayBuffer };

/** What a scene says about itself when it is made. */
export interface Made {
  scene: SceneName;
  size: Size;
  /** What is to be seen and done, in one line. */
  text: string;
  /** Time in the scene from one step to the next. */
  stepSeconds: number;
  /** Height of the ground, if there is one. */
  ground: number | null;
  /** The box of all that is there at the beginning; the camera should see it. */
  low: Vec3;
  high: Vec3;
  /** The tools that do something here, the most natural first. */
  tools: ToolName[];
  /** The paper's figures, each beside the phase or counter of that name. */
  reported: { column: string; label: string; value: number }[];
}

/** What was found in the user's mesh. */
export interface Checked {
  name: string;
  vertices: number;
  triangles: number;
  /** How many pairs of triangles intersect: those of `fracas check`. The frame has them all. */
  pairs: number;
  /** Whether it encloses a body as it is. */
  closed: boolean;
  /** Milliseconds to read it and to find the pairs. */
  ms: { read: number; find: number };
  low: Vec3;
  high: Vec3;
}

export type FromWorker =
  /** The module is there; scenes can be made. */
  | { is: "ready"; version: string }
  | { is: "made"; made: Made }
  | { is: "checked"; checked: Checked }
  /** Milliseconds of each phase of the step, in order; all counters; how much of real time the scene keeps up with, 1 being all of it. */
  | { is: "frame"; buffer: ArrayBuffer; phases: [string, number][]; counters: [string, number][]; pace: number; running: boolean }
  /** What a tool did, in a sentence; `done` is false where it found nothing to do. */
  | { is: "said"; tool: ToolName; done: boolean; text: string }
  /** The report page, whole. */
  | { is: "saved"; name: string; page: Blob; frames: number }
  /** The hash of a run, and the milliseconds of each of its steps. */
  | { is: "proof"; scene: SceneName; size: Size; steps: number; hash: string; ms: number[] }
  /** What went wrong, in a sentence. What was there before is still there and goes on, unless `fatal`: then the worker has ended, and the page
   * makes another one. */
  | { is: "failed"; during: ToWorker["do"]; sentence: string; fatal: boolean };

// ---------------------------------------------------------------------------------------------------------------- a frame
//
// One buffer, little-endian, all words of four bytes:
//
//   header     16 words: version, step, flags, vertices, triangles, pairs, contacts, boxes, shown, generation, seconds (f32), 5 × 0
//   positions  f32 × 3 vertices
//   corners    u32 × 3 triangles     ┐
//   fragments  u32 × triangles       │ only if the flag TOPOLOGY is set; else those of the last frame still hold,
//   cracks     u32 × triangles, 0/1  │ and `triangles` is 0
//   ids        u32 × triangles       ┘
//   pairs      u32 × 2 pairs         places in the lists above, not ids
//   contacts   f32 × 7 contacts      point, normal, depth
//   boxes      f32 × 7 boxes         low, high, level; by level
//
// Only triangles that are there are listed, and vertices are numbered anew when they are, so buffers do not grow with all that ever
// was. `shown` is the number of triangles that hold now, whether listed or not. `generation` grows with each list.

export const VERSION = 1;
export const HEADER_WORDS = 16;
/** Flags: triangles are listed; everything is new, as after `make`. */
export const TOPOLOGY = 1;
export const FRESH = 2;

export interface PlayFrame {
  step: number;
  seconds: number;
  /** Everything is new: forget what was there. */
  fresh: boolean;
  generation: number;
  positions: Float32Array;
  /** Undefined where those of the frame before still hold. */
  triangles?: { corners: Uint32Array; fragments: Uint32Array; cracks: Uint32Array; ids: Uint32Array };
  shown: number;
  /** Two places in the list of triangles for each pair. */
  pairs: Uint32Array;
  contacts: Float32Array;
  boxes: Float32Array;
}

/** Views of a frame's buffer; nothing is copied, so they end when the buffer is given back. */
export function readFrame(buffer: ArrayBuffer): PlayFrame {
  const words = new Uint32Array(buffer, 0, HEADER_WORDS);
  const [version, step, flags, vertices, triangles, pairs, contacts, boxes, shown, generation] = words;
  if (version !== VERSION) throw new Error(`The worker's frame has version ${version}, and this page reads version ${VERSION}.`);
  let at = 4 * HEADER_WORDS;
  const floats = (count: number) => {
    at += 4 * count;
    return new Float32Array(buffer, at - 4 * count, count);
  };
  const integers = (count: number) => {
    at += 4 * count;
    return new Uint32Array(buffer, at - 4 * count, count);
  };
  const positions = floats(3 * vertices);
  const listed = {
    corners: integers(3 * triangles),
    fragments: integers(triangles),
    cracks: integers(triangles),
    ids: integers(triangles),
  };
  return {
    step,
    seconds: new Float32Array(buffer, 40, 1)[0],
    fresh: (flags & FRESH) !== 0,
    generation,
    positions,
    triangles: flags & TOPOLOGY ? listed : undefined,
    shown,
    pairs: integers(2 * pairs),
    contacts: floats(7 * contacts),
    boxes: floats(7 * boxes),
  };
}
