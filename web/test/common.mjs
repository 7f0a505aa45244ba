// What the tests share: the browser, the fixtures, and a page that notices everything that goes wrong.

import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

/** Where `web_fixtures` has written to. */
export const FIXTURES = resolve(process.env.FRACAS_FIXTURES ?? join(import.meta.dirname, "../../target/web"));
/** Screenshots, for people to look at. */
export const SHOTS = join(import.meta.dirname, "../test-output");
mkdirSync(SHOTS, { recursive: true });

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** A browser of the system: that of the variable CHROMIUM, or the first on the path. */
export function browserPath() {
  const named = process.env.CHROMIUM;
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = named ?? folders.flatMap((folder) => NAMES.map((name) => join(folder, name))).find((file) => existsSync(file));
  if (!found) throw new Error("There is no Chromium on the path: install it, or name it in the variable CHROMIUM.");
  return found;
}

export function launch() {
  const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  const software = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];
  return chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", ...quiet, ...software] });
}

/** Opens a file; `troubles` lists console messages, errors and requests for anything but files. */
export async function open(browser, file, { hash = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (message) => {
    // Software rendering tells how slow it is; that is known.
    if (["error", "warning"].includes(message.type()) && !message.text().includes("GPU stall")) troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) troubles.push(`request for ${request.url()}`);
  });
  const begun = performance.now();
  await page.goto(pathToFileURL(file).href + hash);
  await page.locator("#main[aria-busy=false]").waitFor({ timeout: 60_000 });
  return { page, troubles, context, openedIn: performance.now() - begun };
}

/** What the page shows now. */
export const state = (page) =>
  page.evaluate(() => {
    const { stage, player } = window.fracas;
    return { frame: player.shown.number, isPlaying: player.isPlaying, colliding: stage.colliding, groups: stage.drawnGroups, parts: stage.drawnParts, draws: stage.draws };
  });

/** Goes to a frame and waits until it is there. */
export const jump = (page, frame) => page.evaluate((to) => window.fracas.jump(to), frame);
