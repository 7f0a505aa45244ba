// The decoder of the page on bytes that Rust has written, value by value.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { before, test } from "node:test";
import { build } from "vite";
import { FIXTURES } from "./common.mjs";

const bytes = new Uint8Array(readFileSync(join(FIXTURES, "truth.bin")));
const truth = JSON.parse(readFileSync(join(FIXTURES, "truth.json"), "utf8"));
let Recording;

before(async () => {
  const entry = join(import.meta.dirname, "../src/frames/recording.ts");
  const output = await build({ configFile: false, logLevel: "error", build: { write: false, minify: false, lib: { entry, formats: ["es"], fileName: "recording" } } });
  const folder = mkdtempSync(join(tmpdir(), "fracas-"));
  const file = join(folder, "recording.mjs");
  writeFileSync(file, output[0].output[0].code);
  ({ Recording } = await import(pathToFileURL(file).href));
  rmSync(folder, { recursive: true });
});

/** A recording from whole bytes: groups are cut out by the lengths at the beginning. */
function open(whole) {
  const view = new DataView(whole.buffer, whole.byteOffset, whole.byteLength);
  const count = view.getUint32(12, true);
  const lengths = Array.from({ length: count }, (_, k) => view.getUint32(16 + 4 * k, true));
  const begins = lengths.map((_, k) => 16 + 4 * count + lengths.slice(0, k).reduce((a, b) => a + b, 0));
  const head = whole.subarray(0, begins[2] ?? whole.length);
  return Recording.open(head, async (group) => whole.subarray(begins[group + 2], begins[group + 2] + lengths[group + 2]));
}

test("every frame is what Rust wrote", async () => {
  const recording = await open(bytes);
  assert.equal(recording.header.frames, truth.frames.length);
  const { step, origin } = truth;
  // Backwards, so that every group is entered at its end.
  for (let k = truth.frames.length - 1; k >= 0; k--) {
    const [frame, true_] = [await recording.frame(k), truth.frames[k]];
    const place = (nodes, n, axis) => nodes[3 * n + axis] * step + origin[axis];
    assert.equal(frame.nodes.length, 3 * true_.positions.length);
    true_.positions.forEach((p, n) => p.forEach((x, axis) => assert.ok(Math.abs(place(frame.nodes, n, axis) - x) <= 0.501 * step)));
    assert.deepEqual([...frame.fragments], true_.fragments);
    assert.deepEqual([...frame.pairs], true_.pairs.flat());
    assert.deepEqual([...frame.contacts], true_.contacts.flat().map(Math.fround));
    assert.deepEqual(frame.boxes.levels, true_.levels);
    true_.boxes.forEach(([low, high], n) => {
      for (let axis = 0; axis < 3; axis++) {
        const [below, above] = [low[axis] - place(frame.boxes.low, n, axis), place(frame.boxes.high, n, axis) - high[axis]];
        assert.ok(Math.min(below, above) >= -1e-6 * step && Math.max(below, above) <= 1.001 * step);
      }
    });
    const alive = [];
    for (let t = 0; t < recording.triangles.count; t++) if (recording.triangles.isIn(t, k)) alive.push(t);
    assert.deepEqual(alive, true_.alive);
    for (const [name, value] of true_.counters) {
      const column = recording.header.counters.find((counter) => counter.name === name);
      assert.ok(Math.abs(column.values[k] - value) <= 1e-6 * Math.abs(value), name);
    }
  }
});

test("frames with other triangles have another version", async () => {
  const { triangles } = await open(bytes);
  for (let k = 1; k < truth.frames.length; k++) {
    const isSame = truth.frames[k].alive.join() === truth.frames[k - 1].alive.join();
    assert.equal(triangles.version(k) === triangles.version(k - 1), isSame);
  }
});

test("what cannot be read is refused with a sentence", async () => {
  const older = bytes.slice();
  older[8] = 0;
  await assert.rejects(open(older), /has version 0 of the format, and the page reads version 1/);
  await assert.rejects(Recording.open(bytes.subarray(0, 40)), /ends early, so nothing can be shown/);
  await assert.rejects(Recording.open(new Uint8Array(100)), /not a recording of Fracas/);
  const cut = await open(bytes.subarray(0, bytes.length - 1000));
  await assert.rejects(cut.frame(truth.frames.length - 1), /ends early, so frames from \d+ on are missing/);
  assert.ok(await cut.frame(0));
  for (let k = 0; k < 60; k++) {
    const damaged = bytes.slice();
    damaged[200 + Math.floor((k * (bytes.length - 200)) / 60)] ^= 0x55;
    const all = async () => {
      const recording = await open(damaged);
      for (let frame = 0; frame < recording.header.frames; frame++) await recording.frame(frame);
    };
    await assert.rejects(all(), Error);
  }
});
