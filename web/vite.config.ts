// Builds the viewer into one file that needs nothing beside itself, and puts it where the command takes it from.

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { defineConfig, type Plugin } from "vite";

const TARGET = resolve(import.meta.dirname, "../crates/fracas-cli/assets/report.html");

/** The licences of what becomes part of the page, which ask to be kept with it. */
function notices(): string {
  const texts = ["three", "uplot"].map((name) => {
    const text = readFileSync(resolve(import.meta.dirname, "node_modules", name, "LICENSE"), "utf8").trim();
    return `${name}\n${text}`;
  });
  return `<!--\nThis page holds parts of three.js and uPlot, under these licences:\n\n${texts.join("\n\n")}\n-->`;
}

/** Puts the one script and the one style sheet into the page, and drops their files. */
function oneFile(): Plugin {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("there is no index.html");
      let html = String(page.source);
      for (const [name, file] of Object.entries(bundle)) {
        if (name === "index.html") continue;
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
      page.source = html;
      writeFileSync(TARGET, html);
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [oneFile()],
  build: { target: "es2022", modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 1 << 20, chunkSizeWarningLimit: 2000 },
});
