// Files in and out: a mesh that is dropped on the page or chosen, and the report that is saved.

import { DataError } from "../frames/bytes.ts";
import { decoded } from "../source.ts";
import { element } from "../trouble.ts";
import type { SceneName, Size } from "./protocol.ts";
import { SCENES } from "./protocol.ts";

/** Files larger than this, in bytes, are refused before they are read. */
const MOST_BYTES = 256 << 20;

type Take = (name: string, bytes: ArrayBuffer) => void;

/** Takes meshes that are dropped on the page or chosen in a dialog. */
export function takeFiles(take: Take, complain: (error: unknown) => void): void {
  const drop = element("drop");
  const input = element<HTMLInputElement>("file");
  const read = async (file: File | undefined | null) => {
    try {
      if (!file) throw new DataError("What was dropped is no file. Drop a mesh: OBJ, OFF, STL, PLY or glTF.");
      if (file.size > MOST_BYTES) throw new DataError(`${file.name} has ${Math.round(file.size / 2 ** 20)} MiB; this page reads meshes of up to ${MOST_BYTES >> 20} MiB. \`fracas check\` reads larger ones.`);
      take(file.name, await file.arrayBuffer());
    } catch (error) {
      complain(error instanceof DataError ? error : new DataError(`${file?.name ?? "The file"} cannot be read: ${error instanceof Error ? error.message : String(error)}`));
    }
  };
  element("open").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    if (input.files?.length) void read(input.files[0]);
    // The same file can be chosen again.
    input.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) drop.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.hidden = true;
    void read(event.dataTransfer?.files[0]);
  });
}

/** Lets the browser save a page. */
export function download(name: string, page: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(page);
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** What a page begins with: a scene, and perhaps a mesh. */
export interface Wish {
  scene: SceneName;
  size: Size;
  mesh?: { name: string; bytes: ArrayBuffer };
  /** Drawn as well as can be, however slow, as for pictures. */
  isFine: boolean;
}

/**
 * What the page was written for, `<script type="text/plain" id="fracas-play" data-scene data-size data-name>` with the bytes of a mesh in
 * base64; or what its address asks for: `#bricks`, `#bricks,small` or `#bricks,small,fine`.
 */
export function wish(): Wish {
  const [scene, size, how] = decodeURIComponent(location.hash.slice(1)).split(",");
  const asked = document.getElementById("fracas-play");
  const one = <T extends string>(all: readonly T[], ...words: (string | undefined)[]) => words.find((word): word is T => all.includes(word as T));
  const sizes: Size[] = ["small", "paper", "large"];
  const found: Wish = { scene: one(SCENES, scene, asked?.dataset.scene) ?? "plates", size: one(sizes, size, asked?.dataset.size) ?? "paper", isFine: how === "fine" };
  const text = asked?.textContent?.trim();
  if (text) found.mesh = { name: asked?.dataset.name ?? "mesh", bytes: decoded(text).slice().buffer };
  else if (found.scene === "mesh") found.scene = "plates";
  return found;
}
