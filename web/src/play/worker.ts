// The worker: owns the wasm instance, steps the scene by the clock, and posts frames.
//
// Steps are due at the scene's own pace times the speed. A step that takes longer than it should makes the scene slower, never the
// steps larger: time that was lost is not made up for. The loop yields after each step, so that messages are heard.

import initialise, { load, make, panic, version } from "../../wasm/fracas_web.js";
import type { Engine, Play } from "./engine.ts";
import type { FromWorker, Made, ToWorker } from "./protocol.ts";

const engine: Engine = { load, make, panic, version };
let memory: WebAssembly.Memory | undefined;
let template = "";
let play: Play | undefined;
let name = "";
let stepSeconds = 0.03;
let running = false;
let speed = 1;
let boxes = 0;
/** When the next step is due, in milliseconds. */
let due = 0;
/** Milliseconds that the last steps took, smoothed, to tell the pace. */
let took = 0;
/** Whether a frame is with the page, and whether there is something to show beside it. */
let isShown = true;
let isStale = false;
let spare: ArrayBuffer | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** A worker's own scope, as far as it is used here. */
const scope = self as unknown as {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  close(): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
};

function post(message: FromWorker, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

/** A sentence for what went wrong. A trap leaves the instance in no state to go on: the worker ends. */
function fail(during: ToWorker["do"], error: unknown): void {
  const fatal = error instanceof WebAssembly.RuntimeError;
  const said = error instanceof Error ? error.message : String(error);
  post({ is: "failed", during, sentence: fatal ? `The simulation has stopped: ${engine.panic() || said}` : said, fatal });
  if (fatal) scope.close();
}

/** Takes a scene in the place of the one before. */
function take(next: Play): void {
  play?.free();
  play = next;
  play.set_boxes(boxes);
  took = 0;
  pause();
  show();
}

/** Posts a frame, if the page has given back the last one. */
function show(): void {
  if (!play || !memory) return;
  if (!isShown) {
    isStale = true;
    return;
  }
  const bytes = play.write_frame();
  const view = new Uint8Array(memory.buffer, play.frame_at(), bytes);
  // Readers go by the header, so that a buffer may be longer than its frame.
  const buffer = spare && spare.byteLength >= bytes && spare.byteLength <= 4 * bytes ? spare : new ArrayBuffer(bytes + (bytes >> 2) + 64);
  spare = undefined;
  new Uint8Array(buffer).set(view);
  const { phases, counters } = JSON.parse(play.numbers()) as { phases: [string, number][]; counters: [string, number][] };
  const pace = took > 0 ? Math.min(1, (1000 * stepSeconds) / took) : 1;
  isShown = isStale = false;
  post({ is: "frame", buffer, phases, counters, pace, running }, [buffer]);
}

function step(count: number): void {
  if (!play) throw new Error("There is no scene yet: make one first.");
  for (let k = 0; k < count; k++) {
    const begin = performance.now();
    play.step();
    const now = performance.now() - begin;
    took = took === 0 ? now : took + 0.2 * (now - took);
  }
  show();
}

function pause(): void {
  running = false;
  if (timer !== undefined) clearTimeout(timer);
  timer = undefined;
}

/** Does a step if it is due, and comes back for the next one. */
function tick(): void {
  timer = undefined;
  if (!running) return;
  const now = performance.now();
  const interval = (1000 * stepSeconds) / speed;
  if (now >= due) {
    try {
      step(1);
    } catch (error) {
      pause();
      fail("run", error);
      return;
    }
    due = Math.max(due + interval, now);
  }
  timer = setTimeout(tick, Math.max(0, due - performance.now()));
}

function run(): void {
  if (!play) throw new Error("There is no scene yet: make one first.");
  if (running) return;
  running = true;
  due = performance.now();
  tick();
}

async function handle(message: ToWorker): Promise<void> {
  switch (message.do) {
    case "start":
      template = message.template;
      memory = (await initialise({ module_or_path: message.wasm })).memory;
      post({ is: "ready", version: engine.version() });
      return;
    case "make": {
      const next = engine.make(message.scene, message.size, message.seed);
      const made = JSON.parse(next.about()) as Made;
      stepSeconds = made.stepSeconds;
      name = message.scene;
      post({ is: "made", made });
      take(next);
      return;
    }
    case "load": {
      const next = engine.load(message.name, new Uint8Array(message.bytes));
      name = message.name;
      post({ is: "checked", checked: JSON.parse(next.about()) });
      take(next);
      return;
    }
    case "run":
      return run();
    case "pause":
      pause();
      return show();
    case "step":
      pause();
      return step(Math.max(1, Math.min(1000, message.count)));
    case "speed":
      speed = Math.max(0.01, Math.min(4, message.speed));
      due = performance.now();
      return;
    case "tool": {
      if (!play) throw new Error("There is no scene yet: make one first.");
      const { done, text } = JSON.parse(play.use_tool(JSON.stringify(message.use))) as { done: boolean; text: string };
      post({ is: "said", tool: message.use.tool, done, text });
      if (!running) show();
      return;
    }
    case "look":
      boxes = message.boxes;
      play?.set_boxes(boxes);
      if (!running) show();
      return;
    case "save": {
      if (!play) throw new Error("There is no scene yet: make one first.");
      const frames = play.recorded();
      const page = new Blob([play.saved(template) as Uint8Array<ArrayBuffer>], { type: "text/html" });
      post({ is: "saved", name: `fracas-${name.replace(/[^a-zA-Z0-9]+/g, "-")}.html`, page, frames });
      return;
    }
    case "prove": {
      const other = engine.make(message.scene, message.size, 0);
      try {
        const ms: number[] = [];
        for (let k = 0; k < message.steps; k++) {
          const begin = performance.now();
          other.rehearse();
          ms.push(performance.now() - begin);
        }
        post({ is: "proof", scene: message.scene, size: message.size, steps: message.steps, hash: other.hash(), ms });
      } finally {
        other.free();
      }
      return;
    }
    case "taken":
      spare = message.buffer;
      isShown = true;
      if (isStale) show();
      return;
  }
}

/** Messages are answered one after the other, also where one takes its time. */
let queue = Promise.resolve();
scope.onmessage = ({ data }) => {
  queue = queue.then(() => handle(data)).catch((error) => fail(data.do, error));
};
