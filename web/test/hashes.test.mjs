// The same numbers: runs in WebAssembly are those of the native library, by hash.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FIXTURES } from "./common.mjs";

const PACKAGE = join(import.meta.dirname, "../wasm");
const HASHES = join(FIXTURES, "hashes.txt");
const missing = [join(PACKAGE, "fracas_web.js"), HASHES].find((file) => !existsSync(file));

test("300 steps of every scene are those of the native run", { skip: missing && `there is no ${missing}: \`cargo xtask web\` makes it` }, async () => {
  const { initSync, make } = await import("../wasm/fracas_web.js");
  initSync({ module: readFileSync(join(PACKAGE, "fracas_web_bg.wasm")) });
  const lines = readFileSync(HASHES, "utf8").trim().split("\n");
  assert.equal(lines.length, 5);
  for (const line of lines) {
    const [scene, size, steps, hash] = line.split(" ");
    const play = make(scene, size, 0);
    const before = play.hash();
    for (let k = 0; k < Number(steps); k++) play.rehearse();
    assert.notEqual(play.hash(), before);
    assert.equal(play.hash(), hash, `${scene}, ${size}, ${steps} steps`);
    play.free();
  }
});
