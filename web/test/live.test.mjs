// How bodies move between frames.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { before, test } from "node:test";
import { build } from "vite";

let Live;

before(async () => {
  const entry = join(import.meta.dirname, "../src/play/live.ts");
  const output = await build({ configFile: false, logLevel: "error", build: { write: false, minify: false, lib: { entry, formats: ["es"], fileName: "live" } } });
  const folder = mkdtempSync(join(tmpdir(), "fracas-"));
  const file = join(folder, "live.mjs");
  writeFileSync(file, output[0].output[0].code);
  ({ Live } = await import(pathToFileURL(file).href));
  rmSync(folder, { recursive: true });
});

/** A frame of triangles, each with three vertices of its own at one height. */
function frame(heights, ids, generation, fresh = false) {
  const positions = Float32Array.from(heights.flatMap((z) => [0, 0, z, 1, 0, z, 0, 1, z]));
  const corners = Uint32Array.from({ length: 3 * heights.length }, (_, k) => k);
  const none = new Uint32Array(heights.length);
  const triangles = ids && { corners, fragments: none, cracks: none, ids: Uint32Array.from(ids) };
  return { step: 0, seconds: 0, fresh, generation, positions, triangles, shown: heights.length, pairs: new Uint32Array(0), contacts: new Float32Array(0), boxes: new Float32Array(0) };
}

const height = (picture, triangle) => picture.nodes[9 * triangle + 2];

test("bodies move on where frames come as often as pictures", () => {
  const live = new Live();
  live.take(frame([0], [7], 1, true), 0, true);
  let shown;
  for (let k = 1; k <= 20; k++) {
    shown = live.take(frame([k], undefined, 1), 30 * k, true);
    live.at(30 * k);
  }
  // At most one frame behind.
  assert.ok(height(shown, 0) >= 18.5, `${height(shown, 0)}`);
});

test("positions are between the last two frames, and come to rest on the last one", () => {
  const live = new Live();
  live.take(frame([0], [7], 1, true), 0, true);
  live.take(frame([0], undefined, 1), 100, true);
  live.take(frame([1], undefined, 1), 200, true);
  assert.ok(Math.abs(live.at(250)[2] - 0.5) < 1e-6);
  assert.equal(live.at(900)[2], 1);
  assert.equal(live.at(901), undefined, "nothing moves any more");
  assert.equal(height(live.take(frame([5], undefined, 1), 1000, false), 0), 5, "a single step is shown at once");
});

test("triangles that are numbered anew go on from where they were, and new ones are where they belong", () => {
  const live = new Live();
  live.take(frame([0, 10], [7, 8], 1, true), 0, true);
  live.take(frame([0, 10], undefined, 1), 100, true);
  const picture = live.take(frame([11, 40, 1], [8, 9, 7], 2), 200, true);
  assert.deepEqual([0, 1, 2].map((t) => height(picture, t)), [10, 40, 0]);
  const halfway = live.at(250);
  assert.deepEqual([0, 1, 2].map((t) => halfway[9 * t + 2]), [10.5, 40, 0.5]);
  assert.deepEqual([0, 1, 2].map((place) => live.id(place)), [8, 9, 7]);
});
