// The same numbers: runs in WebAssembly are those of the native library, by hash, in Node.js and in the page.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FIXTURES, launch, open } from "./common.mjs";

const PACKAGE = join(import.meta.dirname, "../wasm");
const PAGE = join(import.meta.dirname, "../../crates/fracas-cli/assets/play.html");
const HASHES = join(FIXTURES, "hashes.txt");
const missing = [join(PACKAGE, "fracas_web.js"), HASHES].find((file) => !existsSync(file));
const skip = missing && `there is no ${missing}: \`cargo xtask web\` makes it`;

/** Scene, size, number of steps and hash of each native run. */
function runs() {
  const lines = readFileSync(HASHES, "utf8").trim().split("\n");
  assert.equal(lines.length, 5);
  return lines.map((line) => line.split(" "));
}

test("the steps of every scene are those of the native run", { skip }, async () => {
  const { initSync, make } = await import("../wasm/fracas_web.js");
  initSync({ module: readFileSync(join(PACKAGE, "fracas_web_bg.wasm")) });
  for (const [scene, size, steps, hash] of runs()) {
    const play = make(scene, size, 0);
    const before = play.hash();
    for (let k = 0; k < Number(steps); k++) play.rehearse();
    assert.notEqual(play.hash(), before);
    assert.equal(play.hash(), hash, `${scene}, ${size}, ${steps} steps`);
    play.free();
  }
});

test("so they are in the page", { skip }, async () => {
  const browser = await launch();
  try {
    const { page, troubles } = await open(browser, PAGE, { hash: "#plates,small" });
    await page.evaluate(() => window.fracas.link.post({ do: "pause" }));
    for (const [scene, size, steps, hash] of runs()) {
      await page.evaluate((asked) => window.fracas.link.post({ do: "prove", ...asked }), { scene, size, steps: Number(steps) });
      const line = `${scene} ${size} ${steps} `;
      const found = await page.waitForFunction((begin) => window.fracas.proofs.find((proof) => proof.startsWith(begin)), line, { timeout: 120_000 });
      assert.equal(await found.jsonValue(), line + hash);
    }
    assert.deepEqual(troubles, []);
  } finally {
    await browser.close();
  }
});
