// Takes the pictures of the README and the docs: `node pictures.mjs PROGRAM RUNS PICTURES`.

import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, open } from "./test/common.mjs";

const PLAY = join(import.meta.dirname, "../crates/fracas-cli/assets/play.html");

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

/**
 * Pictures of the page that is played: what is done, in order. Steps are done one by one while the page is paused, so that pictures come out
 * alike. A point is one of the scene, and tools are used where it is seen.
 */
const BRICKS = [["step", 60], ["throw", [0, 0, 0.4]], ["step", 16]];
const PLAYED = [
  { name: "play", scene: "bricks", size: [1360, 860], acts: BRICKS },
  { name: "play-dark", scene: "bricks", size: [1360, 860], scheme: "dark", acts: BRICKS },
  { name: "play-plates", scene: "plates", size: [1360, 860], acts: [["step", 4], ["ball", [-0.7, 0, 1.55]], ["step", 12], ["ball", [0.7, 0, 1.55]], ["step", 8], ["ball", [-0.7, -0.4, 0.75]], ["step", 14]] },
  { name: "play-cut", scene: "cut", size: [1360, 860], acts: [["step", 20], ["cut", [0.12, 0.62, 0.5]], ["step", 30], ["cut", [0.62, 0.95, 0.45]], ["step", 40]] },
  { name: "play-phone", scene: "handful", size: [390, 844], phone: true, acts: [["step", 30], ["strike", 0], ["step", 12], ["strike", 2], ["step", 20]] },
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
for (const { name, scene, size: [width, height], scheme = "light", phone = false, acts } of PLAYED) {
  const options = { viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce", deviceScaleFactor: phone ? 2 : 1, isMobile: phone, hasTouch: phone };
  const { page, troubles, context } = await open(browser, PLAY, { hash: `#${scene},paper,fine`, ...options });
  await page.waitForFunction(() => window.fracas?.now().step === 0, undefined, { timeout: 120_000 });
  for (const [act, value] of acts) {
    await page.evaluate(
      async ([act, value]) => {
        const { link, now, stage, picture, live } = window.fracas;
        const wait = () => new Promise((done) => setTimeout(done, 10));
        const canvas = document.getElementById("canvas").getBoundingClientRect();
        const rayTo = (point) => {
          const [x, y] = stage.seen(point);
          return stage.ray(canvas.left + x, canvas.top + y);
        };
        if (act === "step") {
          // One by one, so that charts have a point for each; what is not looked at is not drawn.
          stage.draw = () => stage.draws++;
          for (let k = 0; k < value; k++) {
            const before = now().step;
            link.post({ do: "step", count: 1 });
            while (now().step === before) await wait();
          }
          delete stage.draw;
        } else if (act === "ball") {
          link.post({ do: "tool", use: { tool: "ball", ray: rayTo(value) } });
        } else if (act === "throw") {
          link.post({ do: "tool", use: { tool: "throw", ray: rayTo(value), what: "brick", speed: 20 } });
        } else if (act === "strike") {
          // The body that comes so many places after the first.
          const { nodes, fragments } = picture();
          const body = [...new Set(fragments)].sort((a, b) => a - b)[value];
          const { corners } = live.surface;
          const sum = [0, 0, 0, 0];
          fragments.forEach((fragment, t) => {
            if (fragment !== body) return;
            for (let axis = 0; axis < 3; axis++) sum[axis] += nodes[3 * corners[3 * t] + axis];
            sum[3]++;
          });
          link.post({ do: "tool", use: { tool: "strike", ray: rayTo(sum.slice(0, 3).map((x) => x / sum[3])), strength: 1 } });
        } else if (act === "cut") {
          // From one share of the width to another, at a share of the height.
          const [from, to, height] = value;
          const at = (share) => stage.ray(canvas.left + share * canvas.width, canvas.top + (height + 0.06 * (share - 0.5)) * canvas.height);
          link.post({ do: "tool", use: { tool: "cut", rays: Array.from({ length: 24 }, (_, k) => at(from + ((to - from) * k) / 23)) } });
        }
      },
      [act, value],
    );
  }
  await page.evaluate(() => window.fracas.stage.reset());
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(pictures, `${name}.png`) });
  if (troubles.length > 0) throw new Error(`${name}: ${troubles.join("; ")}`);
  await context.close();
}
await browser.close();
