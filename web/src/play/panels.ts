// Words, numbers and switches beside the scene that is played.

import { named, shown } from "../numbers.ts";
import { BOX, COLLIDING, CONTACT, CRACK, FRAGMENTS } from "../palette.ts";
import { row, swatches, tableOf } from "../panel.ts";
import type { Look } from "../stage.ts";
import type { HandTool } from "./hand.ts";
import type { Live } from "./live.ts";
import type { Checked } from "./protocol.ts";

const MOST_LISTED = 300;
/** Levels of trees to choose from; the deepest there is stands for those below it. */
const LEVELS = 12;

type Switch = Exclude<keyof Look, "level" | "closest">;

/** How each tool is used, in a line over the scene: with a pointer. */
export const HOW: Record<HandTool, string> = {
  ball: "Click where a ball shall fall.",
  throw: "Drag towards the target and let go; the longer, the faster.",
  grab: "Press on a body and drag it.",
  strike: "Press on a body and let go; the longer, the harder.",
  cut: "Draw a stroke across a body.",
  look: "Drag to turn, pinch or scroll to zoom.",
};

/** The switches of what is shown; the function returned sets them as they are. */
export function fillSwitches(place: HTMLElement, look: Look, changed: () => void): () => void {
  const switches: [Switch, string, string[]][] = [
    ["colliding", "Colliding triangles", [COLLIDING]],
    ["contacts", "Contacts and normals", [CONTACT]],
    ["fragments", "Fragments by colour", FRAGMENTS.slice(0, 4)],
    ["cracks", "Crack faces", [CRACK]],
    ["lines", "Mesh lines", []],
    ["seeThrough", "See through", []],
    ["follow", "Camera follows", []],
  ];
  const boxes = switches.map(([key, label, colours]) => {
    const line = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.dataset.key = key;
    box.addEventListener("change", () => {
      look[key] = box.checked;
      changed();
    });
    line.append(box, label, swatches(colours));
    place.append(line);
    return { key, box };
  });
  const level = document.createElement("select");
  level.id = "level";
  level.append(new Option("none", "-1"), ...Array.from({ length: LEVELS }, (_, k) => new Option(`level ${k}`, String(k))));
  level.addEventListener("change", () => {
    look.level = Number(level.value);
    changed();
  });
  const line = document.createElement("label");
  line.className = "level";
  line.append("Tree boxes", level, swatches([BOX]));
  place.append(line);
  const set = () => {
    for (const { key, box } of boxes) box.checked = look[key];
    level.value = String(look.level);
  };
  set();
  return set;
}

/** The next level of boxes, for the key. */
export function nextLevel(level: number): number {
  return level + 1 >= LEVELS ? -1 : level + 1;
}

/** The most telling numbers, over the scene. */
export function fillHud(place: HTMLElement, counters: [string, number][], pace: number | undefined): void {
  const entries = ["triangles", "pieces", "pairs", "contacts"].flatMap((name) => {
    const value = counters.find((counter) => counter[0] === name)?.[1];
    return value === undefined ? [] : [entry(named(name), shown(value), name === "pairs" && value > 0)];
  });
  if (pace !== undefined && pace < 0.95) entries.push(entry("Slower than real time:", `${pace.toFixed(2)}×`, false));
  place.replaceChildren(...entries);
}

function entry(name: string, value: string, isHot: boolean): HTMLElement {
  const made = document.createElement("span");
  made.className = isHot ? "hot" : "";
  const number = document.createElement("b");
  number.textContent = value;
  made.append(`${name} `, number);
  return made;
}

/** What was found in the user's mesh. */
export function fillFacts(place: HTMLElement, checked: Checked | undefined): void {
  place.hidden = !checked;
  if (!checked) return;
  const { name, vertices, triangles, pairs, closed, ms } = checked;
  const rows = [
    row(["Triangles", shown(triangles)]),
    row(["Vertices", shown(vertices)]),
    row(["Pairs that intersect", shown(pairs)]),
    row(["Closed", closed ? "yes" : "no"]),
    row(["Read in (ms)", shown(ms.read)]),
    row(["Pairs found in (ms)", shown(ms.find)]),
  ];
  place.replaceChildren(tableOf(name, [], rows));
}

/** A sentence about the user's mesh. */
export function factsInWords({ name, triangles, pairs, closed }: Checked): string {
  const found = pairs === 0 ? "no triangles intersect" : pairs === 1 ? "one pair of triangles intersects" : `${shown(pairs)} pairs of triangles intersect`;
  return `${name}: ${shown(triangles)} triangles, ${found}; the surface is ${closed ? "closed" : "not closed"}.`;
}

/** The pairs of the present frame, by the triangles' own numbers; a click looks at one. */
export function fillPairs(place: HTMLDetailsElement, pairs: Uint32Array, live: Live, isWanted: boolean, focus: (places: number[]) => void): void {
  const count = pairs.length / 2;
  place.hidden = !isWanted;
  const head = place.querySelector("summary") as HTMLElement;
  head.textContent = count === 1 ? "1 colliding pair" : `${shown(count)} colliding pairs`;
  const table = place.querySelector(".pair-table") as HTMLElement;
  if (!place.open || place.hidden) {
    table.replaceChildren();
    return;
  }
  const lines: HTMLElement[] = [];
  for (let k = 0; k < Math.min(count, MOST_LISTED); k++) {
    const pair = [pairs[2 * k], pairs[2 * k + 1]];
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = pair.map((triangle) => shown(live.id(triangle))).join("  ×  ");
    button.addEventListener("click", () => focus(pair));
    lines.push(button);
  }
  if (count > MOST_LISTED) {
    const more = document.createElement("p");
    more.textContent = `… and ${shown(count - MOST_LISTED)} more`;
    lines.push(more);
  }
  table.replaceChildren(...lines);
}
