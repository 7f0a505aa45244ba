// The page in which people break things: ties stage, hand, worker, charts and words together.

import "../style.css";
import "./play.css";
import { DataError } from "../frames/bytes.ts";
import { spaceAround } from "../space.ts";
import { type Look, type Picture, Stage } from "../stage.ts";
import { applyThemes } from "../theme.ts";
import { element, sentenceOf, staged } from "../trouble.ts";
import { download, takeFiles, wish } from "./files.ts";
import { Hand, type HandTool } from "./hand.ts";
import { Link } from "./link.ts";
import { Live } from "./live.ts";
import { factsInWords, fillFacts, fillHud, fillPairs, fillSwitches, HOW, nextLevel } from "./panels.ts";
import { type Checked, type FromWorker, type Made, type PlayFrame, readFrame, type SceneName, type Size } from "./protocol.ts";
import { drawsInSoftware, Quality } from "./quality.ts";
import { Running } from "./running.ts";

/** Boxes that a frame has at most, where boxes are shown. */
const MOST_BOXES = 20_000;
/** The camera follows bodies within so many times the radius of the first view. */
const NEAR = 1.5;
/** Frames after which the camera looks where the bodies are. */
const FOLLOW_EVERY = 8;
/** Milliseconds between two sentences about what broke. */
const TOLD_EVERY = 1200;
/** Milliseconds between two fillings of numbers and pairs. */
const WORDED_EVERY = 120;
const FEW_FOR_SHADOWS = 60_000;
const TOOLS: HandTool[] = ["ball", "throw", "grab", "strike", "cut"];

type Shown = Extract<FromWorker, { is: "frame" }>;

/** Says what went wrong; the page goes on. */
function complain(error: unknown): void {
  element("trouble").textContent = sentenceOf(error);
  element("trouble-box").hidden = false;
  settle();
}

/** Nothing is waited for any more. */
function settle(): void {
  element("waiting").hidden = true;
  element("main").setAttribute("aria-busy", "false");
}

async function start(): Promise<void> {
  const scene = element<HTMLSelectElement>("scene");
  const size = element<HTMLSelectElement>("size");
  const speed = element<HTMLSelectElement>("speed");
  const pairList = element<HTMLDetailsElement>("pair-list");
  const canvas = element<HTMLCanvasElement>("canvas");
  const look: Look = { fragments: true, cracks: true, colliding: true, closest: false, contacts: true, lines: false, seeThrough: false, follow: true, level: -1 };
  const first = wish();
  const isSoftware = drawsInSoftware();
  const stage = staged(() => new Stage(canvas, spaceAround([], null), look, 0, first.isFine || !isSoftware));
  const live = new Live();
  const quality = new Quality(stage, isSoftware, first.isFine);
  const running = new Running(element("phases"), element("charts"), element("paper"));

  let made: Made | undefined;
  let checked: Checked | undefined;
  /** What the user wants, whatever the worker does at the moment. */
  let isWanted = !matchMedia("(prefers-reduced-motion: reduce)").matches;
  let isRunning = false;
  /** A frame that came and is not shown yet. */
  let waiting: Shown | undefined;
  let shown: { frame: PlayFrame; picture: Picture; numbers: Record<string, number>; isStill: boolean } | undefined;
  const proofs: string[] = [];
  let makes = 0;
  let count = 0;
  let told = { at: 0, pieces: 0 };
  let worded = 0;
  let ends: number[] = [];

  /** The last sentences that were said. */
  const sayings: string[] = [];
  const say = (text: string) => {
    element("said").textContent = text;
    sayings.push(text);
    if (sayings.length > 100) sayings.shift();
  };
  const link = await Link.open((message) => hear(message));
  const hand = new Hand(stage, canvas, document.getElementById("overlay") as unknown as SVGSVGElement, (use) => link.post({ do: "tool", use }));

  const make = (name: SceneName) => {
    element("main").setAttribute("aria-busy", "true");
    scene.value = name;
    link.post({ do: "make", scene: name, size: size.value as Size, seed: 0 });
  };
  const load = (name: string, bytes: ArrayBuffer) => {
    element("main").setAttribute("aria-busy", "true");
    link.post({ do: "load", name, bytes });
  };
  const run = (isOn: boolean) => {
    isWanted = isOn;
    link.post({ do: isOn ? "run" : "pause" });
    showRunning(isOn);
  };
  const showRunning = (isOn: boolean) => {
    isRunning = isOn;
    element("transport").classList.toggle("playing", isOn);
    element("run").setAttribute("aria-label", isOn ? "Pause" : "Run");
  };
  const step = () => {
    isWanted = false;
    link.post({ do: "step", count: 1 });
    showRunning(false);
  };
  const setSpeed = () => link.post({ do: "speed", speed: Number(speed.value) });
  const choose = (tool: HandTool) => {
    const buttons = [...document.querySelectorAll<HTMLButtonElement>("#tools button")];
    if (buttons.find((button) => button.dataset.tool === tool)?.hidden) return;
    hand.choose(tool);
    for (const button of buttons) {
      const isChosen = button.dataset.tool === tool;
      button.setAttribute("aria-checked", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
    }
    element("thrown-label").hidden = tool !== "throw";
    element("how").textContent = HOW[tool];
  };
  /** Offers the tools that do something in the scene; in another scene the most natural one is taken in hand. */
  const offer = (tools: readonly string[], isOther: boolean) => {
    for (const button of document.querySelectorAll<HTMLButtonElement>("#tools button")) {
      button.hidden = button.dataset.tool !== "look" && !tools.includes(button.dataset.tool ?? "");
    }
    const fits = hand.tool === "look" || tools.includes(hand.tool);
    choose(fits && !isOther ? hand.tool : (TOOLS.find((tool) => tool === tools[0]) ?? "look"));
  };

  const begin = (words: string, title: string) => {
    element("trouble-box").hidden = true;
    element("title").textContent = title;
    document.title = `${title} · Fracas`;
    say(words);
    told = { at: performance.now(), pieces: 0 };
    settle();
  };

  function hear(message: FromWorker): void {
    switch (message.is) {
      case "ready":
        element("footer").textContent = `fracas ${message.version} · everything runs in this page, and nothing leaves it`;
        setSpeed();
        if (look.level >= 0) link.post({ do: "look", boxes: MOST_BOXES });
        if (first.mesh && !checked) load(first.mesh.name, first.mesh.bytes.slice(0));
        else make(made?.scene === "mesh" ? "plates" : (made?.scene ?? first.scene));
        return;
      case "made": {
        const isOther = made?.scene !== message.made.scene;
        made = message.made;
        makes++;
        if (made.scene !== "mesh") checked = undefined;
        scene.value = made.scene;
        size.value = made.size;
        offer(made.tools, isOther);
        running.begin(made.reported);
        begin(made.text, scene.selectedOptions[0]?.textContent ?? made.scene);
        fillFacts(element("mesh-facts"), checked);
        element("break").hidden = true;
        if (isWanted && !document.hidden) run(true);
        else showRunning(false);
        return;
      }
      case "checked":
        checked = message.checked;
        made = undefined;
        for (const option of scene.options) if (option.value === "mesh") option.disabled = false;
        scene.value = "mesh";
        offer([], true);
        running.begin([]);
        begin(factsInWords(checked), checked.name);
        fillFacts(element("mesh-facts"), checked);
        element("break").hidden = false;
        pairList.open = checked.pairs > 0;
        showRunning(false);
        return;
      case "frame":
        // Shown with the next picture; the worker waits with others until its buffer comes back.
        waiting = message;
        return;
      case "said":
        // A drag says nothing new with every move.
        if (message.tool !== "drag") say(message.text);
        return;
      case "saved":
        download(message.name, message.page);
        say(`${message.name} has ${message.frames === 1 ? "one frame" : `${message.frames} frames`}; the browser saves it.`);
        return;
      case "proof":
        proofs.push(`${message.scene} ${message.size} ${message.steps} ${message.hash}`);
        return;
      case "failed":
        complain(new DataError(message.sentence));
        if (made) scene.value = made.scene;
        else if (checked) scene.value = "mesh";
        if (message.during === "run") showRunning(false);
        if (message.fatal) again();
    }
  }

  /** Starts another worker, but not for ever. */
  const again = () => {
    waiting = undefined;
    ends = [...ends, performance.now()].slice(-3);
    if (ends.length === 3 && ends[2] - ends[0] < 20_000) return;
    link.start();
  };

  /** Shows a frame that came, and gives its buffer back. */
  const take = (message: Shown, now: number) => {
    const frame = readFrame(message.buffer);
    const isFresh = frame.fresh;
    const picture = live.take(frame, now, message.running);
    if (isFresh) {
      const ground = made ? made.ground : null;
      const few = frame.shown <= FEW_FOR_SHADOWS;
      stage.enter(spaceAround(picture.nodes, ground), frame.shown, NEAR);
      quality.reset(few);
    }
    const level = Math.min(look.level, picture.boxes.levels.length - 1);
    stage.update(live.surface, frame.step, picture, level);
    if (isFresh) stage.reset();
    else if (++count % FOLLOW_EVERY === 0 && !hand.isBusy && message.running) stage.follow();
    shown = { frame: { ...frame, triangles: undefined }, picture, numbers: Object.fromEntries([...message.phases, ...message.counters]), isStill: !message.running };
    if (frame.step > 0) running.add(frame.step, message.phases, message.counters, now);
    // Words need not change as often as the scene.
    const isDue = !message.running || isFresh || now - worded > WORDED_EVERY;
    if (isDue) fillHud(element("hud"), message.counters, message.running ? message.pace : undefined);
    const hasPairs = checked !== undefined && !made ? true : message.counters.some(([name]) => name === "pairs");
    if (isDue) fillPairs(pairList, picture.pairs, live, hasPairs, (places) => stage.focus(places));
    if (isRunning !== message.running && !isWanted) showRunning(message.running);
    if (isDue) worded = now;
    tell(message.counters, now);
    link.post({ do: "taken", buffer: message.buffer });
  };

  /** Says what broke, now and then. What was thrown is a fragment too, but did not break. */
  const tell = (counters: [string, number][], now: number) => {
    const [all, thrown] = ["pieces", "thrown"].map((name) => counters.find((counter) => counter[0] === name)?.[1] ?? 0);
    const pieces = all - thrown;
    if (told.pieces === 0 || pieces <= told.pieces) {
      told.pieces = pieces;
      return;
    }
    if (now - told.at < TOLD_EVERY) return;
    say(`${pieces - told.pieces === 1 ? "One fragment" : `${pieces - told.pieces} fragments`} more: ${all} now.`);
    told = { at: now, pieces };
  };

  stage.onTick = (now) => {
    const message = waiting;
    waiting = undefined;
    try {
      if (message) take(message, now);
    } catch (error) {
      complain(error);
    }
    const places = live.at(now);
    if (places) stage.place(places);
    hand.tick(now);
    quality.tick(now);
  };

  const refresh = () => {
    link.post({ do: "look", boxes: look.level >= 0 ? MOST_BOXES : 0 });
    if (shown) stage.refresh(Math.min(look.level, shown.picture.boxes.levels.length - 1));
  };
  const showSwitches = fillSwitches(element("show"), look, refresh);
  const change = (edit: () => void) => {
    edit();
    showSwitches();
    refresh();
  };
  pairList.addEventListener("toggle", () => shown && fillPairs(pairList, shown.picture.pairs, live, !pairList.hidden, (places) => stage.focus(places)));

  scene.addEventListener("change", () => make(scene.value as SceneName));
  size.addEventListener("change", () => make((made?.scene ?? scene.value) as SceneName));
  speed.addEventListener("change", setSpeed);
  const restart = () => make((made?.scene ?? scene.value) as SceneName);
  const save = () => link.post({ do: "save" });
  const help = element<HTMLDialogElement>("help");
  const thrown = element<HTMLSelectElement>("thrown");
  thrown.addEventListener("change", () => (hand.thrown = thrown.value as "ball" | "brick"));
  const buttons: Record<string, () => void> = {
    run: () => run(!isWanted),
    step,
    again: restart,
    save,
    break: () => make("mesh"),
    dismiss: () => (element("trouble-box").hidden = true),
    "reset-view": () => stage.reset(),
    "help-button": () => help.showModal(),
  };
  for (const [id, action] of Object.entries(buttons)) element(id).addEventListener("click", action);
  const tools = element("tools");
  tools.addEventListener("click", (event) => {
    const tool = (event.target as HTMLElement).closest("button")?.dataset.tool;
    if (tool) choose(tool as HandTool);
  });
  // A group of choices: arrows move within it.
  tools.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    const buttons = [...tools.querySelectorAll<HTMLButtonElement>("button:not([hidden])")];
    const next = buttons[(buttons.findIndex((button) => button.dataset.tool === hand.tool) + by + buttons.length) % buttons.length];
    choose(next.dataset.tool as HandTool);
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  });
  takeFiles(load, complain);

  const faster = (by: number) => {
    const next = speed.options[speed.selectedIndex + by];
    if (!next) return;
    speed.value = next.value;
    setSpeed();
    say(`Speed ${next.textContent}`);
  };
  const keys: Record<string, () => void> = {
    " ": () => run(!isWanted),
    ".": step,
    "+": () => faster(1),
    "=": () => faster(1),
    "-": () => faster(-1),
    n: restart,
    w: () => stage.nudge(0, -0.1, 1),
    s: () => stage.nudge(0, 0.1, 1),
    a: () => stage.nudge(-0.12, 0, 1),
    d: () => stage.nudge(0.12, 0, 1),
    q: () => stage.nudge(0, 0, 1 / 1.15),
    e: () => stage.nudge(0, 0, 1.15),
    r: () => stage.reset(),
    b: () => change(() => (look.level = nextLevel(look.level))),
    c: () => change(() => (look.contacts = !look.contacts)),
    x: () => change(() => (look.seeThrough = !look.seeThrough)),
    f: () => change(() => (look.follow = !look.follow)),
    o: () => element("open").click(),
    p: save,
    t: () => element("theme").click(),
    "?": () => help.showModal(),
    ...Object.fromEntries(TOOLS.map((tool, k) => [String(k + 1), () => choose(tool)])),
    "0": () => choose("look"),
  };
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (help.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target === canvas && hand.key(event)) {
      event.preventDefault();
      return;
    }
    // Lists of choices and buttons keep the keys that are theirs.
    if (target.tagName === "SELECT" || (event.key === " " && ["BUTTON", "SUMMARY", "INPUT"].includes(target.tagName))) return;
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    // Who takes a tool by its key goes on by keys.
    if (/^[0-5]$/.test(event.key)) canvas.focus({ preventScroll: true });
    action();
  });
  // A page that is not seen does not simulate.
  document.addEventListener("visibilitychange", () => {
    if (isWanted && made) link.post({ do: document.hidden ? "pause" : "run" });
  });
  onTheme((isDark) => {
    stage.setTheme(isDark);
    running.draw();
  });
  size.value = first.size;
  scene.value = first.scene;
  // For tests, pictures and the curious.
  const now = () => ({ step: shown?.frame.step ?? -1, shown: shown?.frame.shown ?? 0, numbers: shown?.numbers ?? {}, isStill: shown?.isStill ?? false, isRunning, made, makes, checked, quality: quality.step, rate: quality.rate });
  const pairs = () => [...(shown?.picture.pairs ?? [])].map((place) => live.id(place));
  Object.assign(window, { fracas: { stage, live, hand, link, look, run, now, pairs, proofs, sayings, refresh: () => change(() => {}), picture: () => shown?.picture } });
}

const onTheme = applyThemes();
start().catch(complain);
