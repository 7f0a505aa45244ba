// Measures steps in the page that is committed, in headless Chromium, and prints them as JSON: `node bench.mjs SIZE STEPS SCENE …`.
//
// A run is that of the native benchmark: the same scene, with the same tools used at the same steps. One line for each run: scene, hash, and the
// milliseconds of each step.

import { join } from "node:path";
import { launch, open } from "./test/common.mjs";

const [size, steps, ...scenes] = process.argv.slice(2);
const browser = await launch();
try {
  const file = join(import.meta.dirname, "../crates/fracas-cli/assets/play.html");
  const { page } = await open(browser, file, { hash: "#plates,small" });
  // Nothing else is to run meanwhile.
  await page.evaluate(() => window.fracas.link.post({ do: "pause" }));
  for (const scene of scenes) {
    const { hash, ms } = await page.evaluate(
      (asked) =>
        new Promise((resolve, reject) => {
          const { link } = window.fracas;
          link.worker.addEventListener("message", ({ data }) => {
            if (data.is === "proof") resolve(data);
            if (data.is === "failed") reject(new Error(data.sentence));
          });
          link.post({ do: "prove", ...asked });
        }),
      { scene, size, steps: Number(steps) },
    );
    console.log(JSON.stringify({ scene, hash, ms }));
  }
} finally {
  await browser.close();
}
