// The built page, from disk, in a browser.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { FIXTURES, jump, launch, open, SHOTS, state } from "./common.mjs";

const truth = JSON.parse(readFileSync(join(FIXTURES, "truth.json"), "utf8"));
const page_ = join(FIXTURES, "truth.html");
const last = truth.frames.length - 1;
const broken = join(FIXTURES, "broken");
let browser;

before(async () => {
  mkdirSync(broken, { recursive: true });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(broken, { recursive: true, force: true });
});

/** Memory of a process, where the system tells. */
function residentBytes(id) {
  try {
    return 1024 * Number(readFileSync(`/proc/${id}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]);
  } catch {
    return 0;
  }
}

const unique = (pairs) => [...new Set(pairs.flat())].sort((a, b) => a - b);

test("a report from disk shows every frame as it was, without errors or requests", async () => {
  const { page, troubles, context } = await open(browser, page_);
  for (let k = 0; k <= last; k += 1) {
    await jump(page, k);
    const [now, true_] = [await state(page), truth.frames[k]];
    assert.equal(now.frame, k);
    assert.deepEqual(now.colliding, unique(true_.pairs), `frame ${k}`);
    assert.equal(now.groups.reduce((sum, group) => sum + group.triangles, 0), true_.alive.length);
    assert.equal(now.parts.contacts, true_.contacts.length);
    assert.match(await page.locator("#hud").innerText(), new RegExp(`Fragments\\s+${true_.pieces}\\b`));
  }
  // Colours of fragments differ as long as there are fewer of them than colours, and so do their crack faces.
  const whole = truth.frames[last];
  assert.equal((await state(page)).groups.length, 2 * whole.pieces);
  await page.getByLabel("Colliding triangles").uncheck();
  assert.deepEqual((await state(page)).colliding, []);
  await page.getByLabel("Crack faces").uncheck();
  assert.equal((await state(page)).groups.length, whole.pieces);
  await page.getByLabel("Fragments by colour").uncheck();
  assert.equal((await state(page)).groups.length, 1);
  for (const level of [0, 3, whole.levels.length - 1]) {
    await page.locator("#level").selectOption(String(level));
    assert.equal((await state(page)).parts.boxes, whole.levels[level]);
  }
  assert.deepEqual(troubles, []);
  await context.close();
});

test("something is drawn", async () => {
  const { page, context } = await open(browser, page_);
  const colours = await page.evaluate(() => {
    const { stage } = window.fracas;
    const canvas = document.getElementById("canvas");
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [200, 120];
    stage.draw();
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0, 200, 120);
    const { data } = context.getImageData(0, 0, 200, 120);
    const seen = new Set();
    for (let k = 0; k < data.length; k += 4) seen.add(`${data[k] >> 3} ${data[k + 1] >> 3} ${data[k + 2] >> 3}`);
    return seen.size;
  });
  assert.ok(colours > 20, `${colours} colours`);
  await context.close();
});

test("bodies fill the view throughout a run, and what the user has turned and zoomed stays", async () => {
  const { page, context } = await open(browser, page_);
  const seen = () =>
    page.evaluate(() => {
      const { camera, controls, share } = window.fracas.stage;
      const arm = camera.position.clone().sub(controls.target);
      return { share: Math.max(...share), direction: arm.clone().normalize().toArray(), position: camera.position.toArray() };
    });
  for (const k of [0, 30, 60, last]) {
    await jump(page, k);
    const { share } = await seen();
    // The ground below a body that falls belongs to the view, too.
    assert.ok(share > (k < 60 ? 0.4 : 0.8) && share < 0.95, `frame ${k}: ${share}`);
  }
  await page.evaluate(() => window.fracas.stage.nudge(0.6, 0.1, 1.5));
  await page.waitForTimeout(200);
  const turned = await seen();
  await jump(page, 60);
  const followed = await seen();
  turned.direction.forEach((x, axis) => assert.ok(Math.abs(x - followed.direction[axis]) < 1e-3, "the direction of view"));
  assert.ok(followed.share > 1.2, `still near: ${followed.share}`);
  await page.getByLabel("Camera follows").uncheck();
  const still = await seen();
  await jump(page, last);
  assert.deepEqual((await seen()).position, still.position);
  await page.keyboard.press("r");
  assert.ok((await seen()).share < 0.95);
  await context.close();
});

test("the camera glides after bodies while a run plays", async () => {
  const { page, context } = await open(browser, page_);
  await page.locator("#speed").selectOption("4");
  await page.locator("#play").click();
  await page.waitForFunction((to) => window.fracas.player.shown.number === to && !window.fracas.player.isPlaying, last);
  // Drawing must come to an end. A busy machine draws fewer frames per second, so the camera may take longer to arrive.
  let drawn = -1;
  for (let tries = 0; tries < 40 && (await state(page)).draws !== drawn; tries++) {
    drawn = (await state(page)).draws;
    await page.waitForTimeout(500);
  }
  assert.equal((await state(page)).draws, drawn, "nothing is drawn once the camera has arrived");
  const share = Math.max(...(await page.evaluate(() => window.fracas.stage.share)));
  assert.ok(share > 0.8 && share < 0.95, `${share}`);
  await context.close();
});

for (const scheme of ["light", "dark"]) {
  test(`the ground can be told from the background (${scheme})`, async () => {
    const { page, context } = await open(browser, page_, { colorScheme: scheme });
    const { contrast, lines } = await page.evaluate(() => {
      const { stage } = window.fracas;
      stage.lookFrom(0, 12, 1.2);
      stage.draw();
      const canvas = document.getElementById("canvas");
      const copy = document.createElement("canvas");
      [copy.width, copy.height] = [canvas.width, canvas.height];
      const context = copy.getContext("2d");
      context.drawImage(canvas, 0, 0);
      const row = (share) => [...context.getImageData(0, Math.round(share * canvas.height), canvas.width, 1).data].filter((_, k) => k % 4 === 0);
      const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
      const [below, above] = [row(0.98), row(0.02)];
      const face = median(below);
      return { contrast: Math.abs(face - median(above)), lines: below.filter((x) => Math.abs(x - face) > 6).length };
    });
    assert.ok(contrast > 8, `${contrast} levels between ground and background`);
    assert.ok(lines > 2, `${lines} pixels of lines`);
    await context.close();
  });
}

for (const [name, options] of [
  ["desktop", { viewport: { width: 1440, height: 900 } }],
  ["360 px", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 }],
]) {
  test(`plays, steps, scrubs and jumps (${name})`, async () => {
    const { page, troubles, context } = await open(browser, page_, options);
    const press = (selector) => (options.hasTouch ? page.locator(selector).tap() : page.locator(selector).click());
    // Slowly, so that it is still playing when it is to pause, however busy the machine is.
    await page.locator("#speed").selectOption("0.1");
    await press("#play");
    assert.equal(await page.locator("#play").getAttribute("aria-label"), "Pause");
    await page.waitForFunction(() => window.fracas.player.shown.number > 3);
    await press("#play");
    const paused = (await state(page)).frame;
    await page.waitForTimeout(150);
    assert.deepEqual([(await state(page)).frame, (await state(page)).isPlaying], [paused, false]);

    await page.locator("#scrub").fill("40");
    await page.waitForFunction(() => window.fracas.player.shown.number === 40);
    assert.equal(await page.locator("#step").innerText(), `Step 40 of ${last}`);
    await press("#on");
    await page.waitForFunction(() => window.fracas.player.shown.number === 41);
    await press("#back");
    await page.waitForFunction(() => window.fracas.player.shown.number === 40);

    const charts = page.locator(".chart");
    for (const [chart, share] of [[0, 0.25], [1, 0.8]]) {
      const over = charts.nth(chart).locator(".u-over");
      await over.scrollIntoViewIfNeeded();
      const { width, height } = await over.boundingBox();
      await over.click({ position: { x: share * width, y: height / 2 } });
      const frame = Math.round((Math.round(share * width * 100) / 100 / width) * last);
      await page.waitForFunction((to) => Math.abs(window.fracas.player.shown.number - to) <= 1, frame);
    }
    const names = await charts.evaluateAll((all) => all.map((chart) => chart.dataset.column));
    assert.deepEqual(names, ["phases", "pairs", "contacts", "pieces", "q", "depth", "triangles"]);

    const most = page.locator("#summary tbody tr", { hasText: "Colliding pairs" });
    const pairs = truth.frames.map((frame) => frame.pairs.length);
    assert.equal(await most.locator("td").nth(1).innerText(), Math.max(...pairs).toLocaleString("en-GB"));
    await most.getByRole("button").click();
    await page.waitForFunction((to) => window.fracas.player.shown.number === to, pairs.indexOf(Math.max(...pairs)));

    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= options.viewport.width, `the page is ${wide} px wide`);
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(SHOTS, `run-${name.replace(" ", "")}.png`) });
    await page.screenshot({ path: join(SHOTS, `run-${name.replace(" ", "")}-whole.png`), fullPage: true });
    assert.deepEqual(troubles, []);
    await context.close();
  });
}

test("keys do what they say, and everything has a name", async () => {
  const { page, context } = await open(browser, page_, { colorScheme: "dark" });
  const frame = async () => (await state(page)).frame;
  await page.keyboard.press("ArrowRight");
  assert.equal(await frame(), 1);
  await page.keyboard.press("Shift+ArrowRight");
  assert.equal(await frame(), 11);
  await page.keyboard.press("End");
  await page.waitForFunction((to) => window.fracas.player.shown.number === to, last);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => window.fracas.player.shown.number === 0);
  await page.keyboard.press("Space");
  assert.equal((await state(page)).isPlaying, true);
  await page.keyboard.press("Space");
  await page.keyboard.press("b");
  assert.equal((await state(page)).parts.boxes, truth.frames[await frame()].levels[0]);
  const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
  assert.equal(await theme(), "dark");
  await page.keyboard.press("t");
  assert.equal(await theme(), "light");
  const view = () => page.evaluate(() => window.fracas.stage.camera.position.toArray());
  await page.waitForTimeout(1500);
  const home = await view();
  await page.mouse.move(400, 400);
  await page.mouse.down();
  await page.mouse.move(520, 430, { steps: 4 });
  await page.mouse.up();
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(400);
  assert.notDeepEqual(await view(), home);
  await page.keyboard.press("r");
  await page.waitForTimeout(300);
  (await view()).forEach((x, axis) => assert.ok(Math.abs(x - home[axis]) < 1e-3, "reset"));
  await page.keyboard.press("?");
  assert.ok(await page.getByRole("dialog", { name: "Keys" }).isVisible());
  await page.keyboard.press("Escape");
  const nameless = await page.evaluate(() =>
    [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden]):not(.uplot canvas)")].filter((part) => !(part.getAttribute("aria-label") || part.textContent.trim() || part.labels?.[0]?.textContent.trim())).map((part) => part.outerHTML),
  );
  assert.deepEqual(nameless, []);
  await context.close();
});

test("broken pages say what is wrong", async () => {
  const text = readFileSync(page_, "latin1");
  const [head] = text.match(/(?<=id="fracas-head">)[^<]*/);
  const older = Buffer.from(head, "base64");
  older.writeUInt32LE(0, 8);
  const groups = [...text.matchAll(/id="fracas-group-\d+">/g)];
  const template = readFileSync(join(import.meta.dirname, "../../crates/fracas-cli/assets/report.html"), "latin1");
  const cases = [
    ["older", text.replace(head, older.toString("base64")), /version 0 of the format/],
    ["head", text.slice(0, text.indexOf(head) + head.length / 2), /ends early, so nothing can be shown/],
    ["first", text.slice(0, groups[0].index + 200), /ends early, so frames from 0 on are missing/],
    ["empty", template, /has no data/],
    ["other", text.replace(head, "AAAA".repeat(30)), /not a recording of Fracas/],
  ];
  for (const [name, content, sentence] of cases) {
    const file = join(broken, `${name}.html`);
    writeFileSync(file, content, "latin1");
    const { page, context } = await open(browser, file);
    assert.match(await page.getByRole("alert").innerText(), sentence, name);
    await context.close();
  }
  // What is whole can be seen; the rest has a sentence.
  const file = join(broken, "last.html");
  writeFileSync(file, text.slice(0, groups[groups.length - 1].index + 500), "latin1");
  const { page, context } = await open(browser, file);
  assert.equal(await page.getByRole("alert").count(), 0);
  await page.keyboard.press("End");
  await page.getByRole("alert").waitFor();
  assert.match(await page.getByRole("alert").innerText(), /frames from \d+ on are missing/);
  await page.screenshot({ path: join(SHOTS, "broken.png") });
  await context.close();
});

test("frames beside the page are loaded as they are needed", async () => {
  const { page, troubles, context } = await open(browser, join(FIXTURES, "beside/report.html"));
  for (const k of [last, 0, 50]) {
    await jump(page, k);
    assert.deepEqual((await state(page)).colliding, unique(truth.frames[k].pairs));
  }
  assert.deepEqual(troubles, []);
  await context.close();
  const alone = join(broken, "alone.html");
  copyFileSync(join(FIXTURES, "beside/report.html"), alone);
  const lonely = await open(browser, alone);
  assert.match(await lonely.page.getByRole("alert").innerText(), /frames\/0\.js.*must lie beside the page/);
  await lonely.context.close();
});

test("the result of a check lists its pairs", async () => {
  const { page, troubles, context } = await open(browser, join(FIXTURES, "check.html"));
  const { pairs } = JSON.parse(readFileSync(join(FIXTURES, "check.json"), "utf8"));
  const triangles = pairs.map(([, a, , b]) => [a, b]);
  assert.deepEqual((await state(page)).colliding, unique(triangles));
  const listed = await page.locator(".pair-table button").allInnerTexts();
  const grouped = (n) => n.toLocaleString("en-GB");
  assert.deepEqual(listed.map((line) => line.split(/\s*×\s*/)), triangles.slice(0, 300).map((pair) => pair.map(grouped)));
  const before_ = await page.evaluate(() => window.fracas.stage.controls.target.toArray());
  await page.locator(".pair-table button").first().click();
  assert.notDeepEqual(await page.evaluate(() => window.fracas.stage.controls.target.toArray()), before_);
  assert.ok(await page.locator("#transport").isHidden());
  await page.screenshot({ path: join(SHOTS, "check.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("200 frames of 250,000 triangles open within 5 seconds", async () => {
  const file = join(FIXTURES, "large.html");
  const { page, troubles, context, openedIn } = await open(browser, file);
  await page.waitForFunction(() => window.fracas.stage.draws > 0);
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  const heap = metrics.find((metric) => metric.name === "JSHeapUsedSize").value;
  const buffers = await page.evaluate(() => [...window.fracas.recording.kept.values()].reduce((sum, group) => sum + group.bytes, 0));
  const all = await browser.newBrowserCDPSession();
  const { processInfo } = await all.send("SystemInfo.getProcessInfo");
  const most = Math.max(0, ...processInfo.filter(({ type }) => type === "renderer").map(({ id }) => residentBytes(id)));
  const mb = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
  console.log(`a page of ${mb(statSync(file).size)} opens in ${(openedIn / 1000).toFixed(2)} s; ${mb(heap)} of script heap, ${mb(buffers)} of unpacked frames, ${most ? mb(most) : "unknown"} of memory in the page's process`);
  assert.ok(openedIn < 5000, `${openedIn} ms`);
  const { header } = await page.evaluate(() => ({ header: { frames: window.fracas.recording.header.frames, triangles: window.fracas.recording.header.triangles } }));
  assert.ok(header.frames === 200 && header.triangles >= 245_000);
  await jump(page, 199);
  assert.equal((await state(page)).frame, 199);
  await page.screenshot({ path: join(SHOTS, "large.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});

test("near features are lines between their closest points", async () => {
  const { page, troubles, context } = await open(browser, join(FIXTURES, "near.html"));
  const found = JSON.parse(readFileSync(join(FIXTURES, "near.json"), "utf8"));
  const features = found.vertex_triangle.length + found.edge_edge.length;
  assert.ok(features > 10);
  const now = await state(page);
  assert.equal(now.parts.closest, features);
  const near = new Set(found.vertex_triangle.map(([, , , triangle]) => triangle));
  assert.ok(near.size > 0 && [...near].every((triangle) => now.colliding.includes(triangle)));
  assert.match(await page.locator("#pair-list summary").innerText(), /^[\d,]+ near pairs$/);
  assert.match(await page.locator("#hud").innerText(), new RegExp(`Near pairs of features\\s+${features.toLocaleString("en-GB")}\\b`));
  await page.screenshot({ path: join(SHOTS, "near.png") });
  await page.getByLabel("Closest points").uncheck();
  assert.equal((await state(page)).parts.closest, 0);
  await page.getByLabel("Near triangles").uncheck();
  assert.deepEqual((await state(page)).colliding, []);
  assert.deepEqual(troubles, []);
  await context.close();
});
