// The user's hand: turns what pointer and keys do on the canvas into tools.
//
//   ball     a click                          strike   press and let go; the longer, the harder
//   throw    a drag; the longer, the faster   cut      a stroke
//   grab     press, drag, let go              look     the first button turns the view, too
//
// The other mouse buttons, the wheel and two fingers always move the camera. With keys, arrows move a sight over the canvas and Enter
// uses the tool there: once for a ball, a throw and a blow, at both ends for a grab and a cut.

import { MOUSE, TOUCH } from "three";
import type { Stage } from "../stage.ts";
import type { Ray, Tool, ToolName } from "./protocol.ts";

/** Tools of the hand: those that act on bodies at once, and the one that only looks. */
export type HandTool = Exclude<ToolName, "drag" | "release"> | "look";
type Place = [number, number];

/** Metres per second of a throw without a drag, at least and at most. */
const THROW = { plain: 14, least: 6, most: 34 };
/** Seconds after which a blow is as hard as can be. */
const FULL_BLOW = 0.9;
const LEAST_BLOW = 0.35;
/** Pixels between two rays of a stroke, and rays at most. */
const STROKE_STEP = 5;
const MOST_RAYS = 96;
/** Pixels below which a drag is a click. */
const CLICK = 6;

interface Gesture {
  tool: Exclude<HandTool, "look">;
  pointer: number;
  points: Place[];
  begun: number;
}

export class Hand {
  tool: HandTool = "ball";
  /** What is thrown. */
  thrown: "ball" | "brick" = "brick";
  private gesture?: Gesture;
  /** Where a held body is dragged to, told once per picture. */
  private drag?: Place;
  /** The sight of the keyboard, in pixels of the canvas, and what it has begun. */
  private sight: Place = [0, 0];
  private held?: { tool: "grab" | "cut"; points: Place[] };
  private readonly parts;

  constructor(
    private readonly stage: Stage,
    private readonly canvas: HTMLCanvasElement,
    private readonly overlay: SVGSVGElement,
    private readonly use: (tool: Tool) => void,
  ) {
    const part = <K extends keyof SVGElementTagNameMap>(name: K, className: string) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      made.setAttribute("class", className);
      overlay.append(made);
      return made;
    };
    this.parts = { stroke: part("polyline", "stroke"), ring: part("circle", "ring"), speed: part("text", "speed-text"), sight: part("path", "sight") };
    canvas.addEventListener("pointerdown", (event) => this.begin(event));
    canvas.addEventListener("pointermove", (event) => this.go(event));
    canvas.addEventListener("pointerup", (event) => this.end(event));
    canvas.addEventListener("pointercancel", () => this.cancel());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("blur", () => {
      this.letGo();
      this.showSight(false);
    });
    this.choose("ball");
  }

  /** Takes a tool in hand. */
  choose(tool: HandTool): void {
    this.cancel();
    this.letGo();
    this.tool = tool;
    const { controls } = this.stage;
    const isLook = tool === "look";
    controls.mouseButtons = { LEFT: isLook ? MOUSE.ROTATE : null, MIDDLE: MOUSE.PAN, RIGHT: isLook ? MOUSE.PAN : MOUSE.ROTATE };
    controls.touches = { ONE: isLook ? TOUCH.ROTATE : null, TWO: isLook ? TOUCH.DOLLY_PAN : TOUCH.DOLLY_ROTATE };
    this.canvas.dataset.tool = tool;
  }

  /** Whether something is being done, so that the camera should stay. */
  get isBusy(): boolean {
    return this.gesture !== undefined || this.held !== undefined;
  }

  /** Does what is done once per picture. */
  tick(now: number): void {
    if (this.drag) this.use({ tool: "drag", ray: this.ray(this.drag) });
    this.drag = undefined;
    if (this.gesture?.tool === "strike") this.ring(this.gesture.points[0], 10 + 22 * blow(now - this.gesture.begun));
  }

  /** Drops what is being done. */
  cancel(): void {
    if (this.gesture?.tool === "grab") this.use({ tool: "release" });
    this.gesture = undefined;
    this.drag = undefined;
    this.clear();
  }

  private begin(event: PointerEvent): void {
    // A second finger means the camera.
    if (this.gesture) return this.cancel();
    if (this.tool === "look" || event.button !== 0 || !event.isPrimary) return;
    this.letGo();
    this.showSight(false);
    const place = this.placeOf(event);
    this.gesture = { tool: this.tool, pointer: event.pointerId, points: [place], begun: performance.now() };
    this.canvas.setPointerCapture(event.pointerId);
    if (this.tool === "grab") {
      this.use({ tool: "grab", ray: this.ray(place) });
      this.ring(place, 12);
    }
  }

  private go(event: PointerEvent): void {
    const { gesture } = this;
    if (!gesture || event.pointerId !== gesture.pointer) return;
    const place = this.placeOf(event);
    const last = gesture.points[gesture.points.length - 1];
    if (gesture.tool === "grab") {
      this.drag = place;
      this.ring(place, 12);
    } else if (gesture.tool === "throw") {
      gesture.points[1] = place;
      this.line(gesture.points);
      this.word(place, `${Math.round(this.speedOf(gesture.points))} m/s`);
    } else if (gesture.tool === "cut" && apart(place, last) >= STROKE_STEP) {
      gesture.points.push(place);
      this.line(gesture.points);
    }
  }

  private end(event: PointerEvent): void {
    const { gesture } = this;
    if (!gesture || event.pointerId !== gesture.pointer) return;
    this.gesture = undefined;
    this.drag = undefined;
    const place = this.placeOf(event);
    const ray = this.ray(place);
    if (gesture.tool === "ball") this.use({ tool: "ball", ray });
    else if (gesture.tool === "throw") this.use({ tool: "throw", ray, what: this.thrown, speed: this.speedOf([gesture.points[0], place]) });
    else if (gesture.tool === "grab") this.use({ tool: "release" });
    else if (gesture.tool === "strike") this.use({ tool: "strike", ray: this.ray(gesture.points[0]), strength: blow(performance.now() - gesture.begun) });
    else this.cut([...gesture.points, place]);
    this.clear();
  }

  /** Cuts along places of the canvas; a stroke of no length cuts nothing. */
  private cut(points: Place[]): void {
    const stroke = points.filter((place, k) => k === 0 || apart(place, points[k - 1]) > 0.5);
    if (stroke.length < 2) return;
    const every = Math.max(1, (stroke.length - 1) / (MOST_RAYS - 1));
    const rays = Array.from({ length: Math.floor((stroke.length - 1) / every) + 1 }, (_, k) => this.ray(stroke[Math.round(k * every)]));
    this.use({ tool: "cut", rays });
  }

  /** A key on the canvas; says whether it was one of the hand's. */
  key(event: KeyboardEvent): boolean {
    const by = (event.shiftKey ? 0.08 : 0.02) * this.canvas.clientHeight;
    const moves: Record<string, Place> = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] };
    const move = moves[event.key];
    if (move) {
      this.showSight(true);
      const [x, y] = this.sight;
      this.sight = [Math.max(0, Math.min(this.canvas.clientWidth, x + move[0])), Math.max(0, Math.min(this.canvas.clientHeight, y + move[1]))];
      this.showSight(true);
      if (this.held?.tool === "grab") this.drag = this.sight;
      if (this.held?.tool === "cut") {
        this.held.points.push(this.sight);
        this.line(this.held.points);
      }
      return true;
    }
    if (event.key === "Escape") {
      const had = this.isBusy;
      this.cancel();
      this.held = undefined;
      return had;
    }
    if (event.key !== "Enter") return false;
    if (!event.repeat) this.press(event.shiftKey);
    return true;
  }

  /** Uses the tool where the sight is. */
  private press(isHard: boolean): void {
    this.showSight(true);
    const ray = this.ray(this.sight);
    if (this.held) return this.letGo();
    if (this.tool === "ball") this.use({ tool: "ball", ray });
    else if (this.tool === "throw") this.use({ tool: "throw", ray, what: this.thrown, speed: isHard ? THROW.most : THROW.plain });
    else if (this.tool === "strike") this.use({ tool: "strike", ray, strength: isHard ? 1 : 0.6 });
    else if (this.tool === "grab" || this.tool === "cut") {
      this.held = { tool: this.tool, points: [this.sight] };
      if (this.tool === "grab") this.use({ tool: "grab", ray });
      this.showSight(true);
    }
  }

  /** Ends what the keyboard has begun. */
  private letGo(): void {
    const { held } = this;
    this.held = undefined;
    if (held?.tool === "grab") this.use({ tool: "release" });
    if (held?.tool === "cut") this.cut(held.points);
    if (held) this.clear();
  }

  private speedOf([from, to]: Place[]): number {
    const length = to ? apart(from, to) : 0;
    if (length < CLICK) return THROW.plain;
    return Math.min(THROW.most, THROW.least + (40 * length) / this.canvas.clientHeight);
  }

  private placeOf(event: PointerEvent): Place {
    const { left, top } = this.canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  private ray([x, y]: Place): Ray {
    const { left, top } = this.canvas.getBoundingClientRect();
    return this.stage.ray(left + x, top + y);
  }

  // What is drawn over the canvas; a layer without anything on it would cost time in every picture.

  private reveal(): void {
    const { stroke, ring, sight } = this.parts;
    const isEmpty = !stroke.hasAttribute("points") && !sight.hasAttribute("d") && !Number(ring.getAttribute("r"));
    this.overlay.style.display = isEmpty ? "none" : "";
  }

  private showSight(isVisible: boolean): void {
    if (!isVisible) {
      this.parts.sight.removeAttribute("d");
      this.reveal();
      return;
    }
    if (this.sight[0] === 0 && this.sight[1] === 0) this.sight = [0.5 * this.canvas.clientWidth, 0.55 * this.canvas.clientHeight];
    const [x, y] = this.sight;
    const gap = this.held ? 3 : 6;
    this.parts.sight.setAttribute("d", `M${x - 18} ${y}H${x - gap}M${x + gap} ${y}H${x + 18}M${x} ${y - 18}V${y - gap}M${x} ${y + gap}V${y + 18}`);
    this.reveal();
  }

  private ring([x, y]: Place, radius: number): void {
    for (const [name, value] of Object.entries({ cx: x, cy: y, r: radius })) this.parts.ring.setAttribute(name, value.toFixed(1));
    this.reveal();
  }

  private line(points: Place[]): void {
    this.parts.stroke.setAttribute("points", points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" "));
    this.reveal();
  }

  private word([x, y]: Place, text: string): void {
    this.parts.speed.textContent = text;
    // It stays on the canvas.
    this.parts.speed.setAttribute("x", String(Math.min(x + 12, this.overlay.clientWidth - 64)));
    this.parts.speed.setAttribute("y", String(Math.max(18, y - 10)));
  }

  private clear(): void {
    this.parts.stroke.removeAttribute("points");
    this.parts.ring.setAttribute("r", "0");
    this.parts.speed.textContent = "";
    this.reveal();
  }
}

/** The strength of a blow for which the pointer was held so many milliseconds. */
function blow(milliseconds: number): number {
  return Math.min(1, LEAST_BLOW + ((1 - LEAST_BLOW) * milliseconds) / (1000 * FULL_BLOW));
}

function apart(a: Place, b: Place): number {
  return Math.hypot(a[0] - b[0], a[1] - b[1]);
}
