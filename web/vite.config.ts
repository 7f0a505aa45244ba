// Builds a page into one file that needs nothing beside itself, and puts it where the command takes it from:
//
//   vite build               index.html   ->  crates/fracas-cli/assets/report.html
//   vite build --mode play   play.html    ->  crates/fracas-cli/assets/play.html
//
// The page that is played holds its worker as text, the module and the template of reports packed (zlib, in base64), and a policy that
// allows no request at all. Reports are built first, since their page is the template.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const here = (path: string) => resolve(import.meta.dirname, path);
const ASSETS = here("../crates/fracas-cli/assets");

/** The licences of what becomes part of the page, which ask to be kept with it. */
function notices(): string {
  const texts = ["three", "uplot"].map((name) => {
    const text = readFileSync(here(`node_modules/${name}/LICENSE`), "utf8").trim();
    return `${name}\n${text}`;
  });
  return `<!--\nThis page holds parts of three.js and uPlot, under these licences:\n\n${texts.join("\n\n")}\n-->`;
}

/** Puts the one script and the one style sheet into the page, drops their files, and writes the page. */
function oneFile(source: string, target: string, finish: (html: string, before: string) => string): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle[source];
      if (page?.type !== "asset") throw new Error(`there is no ${source}`);
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (name === source) continue;
        if (file.type === "chunk") {
          // A text inside the script must not end it; a comment must not hide what follows.
          const code = file.code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
          html = html.replace(new RegExp(`<script[^>]*src="[^"]*${file.fileName}"[^>]*></script>`), () => `<script type="module">${code}</script>`);
        } else if (name.endsWith(".css")) {
          html = html.replace(new RegExp(`<link[^>]*href="[^"]*${file.fileName}"[^>]*>`), () => `<style>${String(file.source).trim()}</style>`);
        } else {
          throw new Error(`${name} does not fit into the page`);
        }
        delete bundle[name];
      }
      if (/<script[^>]*\ssrc=|<link[^>]*stylesheet/.test(html)) throw new Error("something was left outside of the page");
      html = html.replace("<head>", () => `<head>\n${notices().replaceAll("\r", "")}`);
      const path = resolve(ASSETS, target);
      html = finish(html, existsSync(path) ? readFileSync(path, "utf8") : "");
      page.source = html;
      writeFileSync(path, html);
    },
  };
}

/**
 * Bytes as a packed text of the page. Other versions of zlib pack otherwise, so a text that is there already and unpacks to the same
 * bytes is kept: then the page that is built does not depend on the machine.
 */
function packed(id: string, bytes: Buffer, before: string): string {
  const old = before.match(new RegExp(`id="${id}">([^<]*)<`))?.[1];
  const isSame = (text: string) => {
    try {
      return inflateSync(Buffer.from(text, "base64")).equals(bytes);
    } catch {
      return false;
    }
  };
  const text = old && isSame(old) ? old : deflateSync(bytes, { level: 9 }).toString("base64");
  return `<script type="text/plain" id="${id}">${text}</script>`;
}

/** What the page may do: run its own script, the worker and the module, and nothing that leaves it. */
function policy(html: string): string {
  const script = html.match(/<script type="module">([\s\S]*?)<\/script>/)?.[1];
  if (script === undefined) throw new Error("the page has no script");
  const hash = createHash("sha256").update(script).digest("base64");
  const rules = [
    "default-src 'none'",
    `script-src 'sha256-${hash}' 'wasm-unsafe-eval' blob:`,
    "worker-src blob:",
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<meta http-equiv="Content-Security-Policy" content="${rules.join("; ")}" />`;
}

function finishPlay(html: string, before: string): string {
  const texts = [packed("fracas-wasm", readFileSync(here("wasm/fracas_web_bg.wasm")), before), packed("fracas-template", readFileSync(resolve(ASSETS, "report.html")), before)];
  return html.replace("<!--fracas-policy-->", () => policy(html)).replace("<!--fracas-packed-->", () => texts.join("\n    "));
}

/** The page hands the module over, so the worker must not look for a file of it. */
function noModuleFile(): Plugin {
  return {
    name: "no-module-file",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/wasm/fracas_web.js")) return undefined;
      return { code: code.replace(/new URL\([^)]*import\.meta\.url\)/g, "undefined"), map: null };
    },
  };
}

export default defineConfig(({ mode }) => {
  const isPlay = mode === "play";
  const page = isPlay ? oneFile("play.html", "play.html", finishPlay) : oneFile("index.html", "report.html", (html) => html);
  return {
    base: "./",
    plugins: [page],
    worker: { format: "iife" as const, plugins: () => [noModuleFile()] },
    build: {
      target: "es2022",
      modulePreload: false,
      cssCodeSplit: false,
      assetsInlineLimit: 1 << 20,
      chunkSizeWarningLimit: 4000,
      emptyOutDir: false,
      rolldownOptions: { input: here(isPlay ? "play.html" : "index.html") },
    },
  };
});
