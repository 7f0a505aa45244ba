// Takes the pictures of the README and the docs: `node pictures.mjs PROGRAM RUNS PICTURES`.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "./test/common.mjs";

const [program, runs, pictures] = process.argv.slice(2);

/**
 * Which scene at which frame; `look` changes what is shown, `from` from where (degrees around and above, distance). With `stage`,
 * the scene alone is taken, that many pixels wide and high; otherwise the page.
 */
const PICTURES = [
  ...["light", "dark"].map((scheme) => ({ name: `bricks-${scheme}`, scene: "bricks", frame: -1, stage: [1200, 500], look: { contacts: false }, from: [150, 24], scheme })),
  { name: "cut", scene: "apple", frame: 640, stage: [800, 520], from: [-38, 20] },
  { name: "boxes", scene: "triceratops", frame: 9, stage: [800, 520], look: { level: 6 }, from: [-42, 18] },
  { name: "pumpkin", scene: "pumpkin", frame: 62, stage: [800, 520], from: [-38, 16] },
  { name: "report", scene: "apple", frame: 640, size: [1360, 860] },
  { name: "report-dark", scene: "apple", frame: 640, size: [1360, 860], scheme: "dark" },
];

mkdirSync(runs, { recursive: true });
mkdirSync(pictures, { recursive: true });
for (const scene of new Set(PICTURES.map((picture) => picture.scene))) {
  execFileSync(program, ["run", scene, "--out", runs], { stdio: "inherit" });
}
const browser = await launch();
for (const { name, scene, frame, stage, look, from, size = [1320, 860], scheme = "light" } of PICTURES) {
  const options = { viewport: { width: size[0], height: size[1] }, colorScheme: scheme };
  const { page, troubles, context } = await open(browser, join(runs, scene, "report.html"), options);
  await page.evaluate(
    async ({ frame, look, from, stage }) => {
      const { fracas } = window;
      await fracas.jump(frame < 0 ? fracas.recording.header.frames + frame : frame);
      Object.assign(fracas.look, look);
      fracas.refresh();
      if (stage) {
        // The scene alone, without words on it.
        document.querySelector(".stage").style.cssText = `width: ${stage[0]}px; height: ${stage[1]}px; border: 0; border-radius: 0`;
        document.getElementById("canvas").style.borderRadius = "0";
        document.querySelectorAll(".hud, .on-stage").forEach((part) => part.remove());
        await new Promise((done) => setTimeout(done, 300));
      }
      if (from) fracas.stage.lookFrom(...from);
    },
    { frame, look, from, stage },
  );
  await page.waitForTimeout(800);
  const target = stage ? page.locator(".stage") : page;
  await target.screenshot({ path: join(pictures, `${name}.png`) });
  if (troubles.length > 0) throw new Error(`${name}: ${troubles.join("; ")}`);
  await context.close();
}
await browser.close();
