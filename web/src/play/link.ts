// The page's side of the worker: starts it, hands on what it says, and starts another one if it has ended.
//
// The module and the template of reports are in texts of the page, packed. They are unpacked once and kept, since a worker that ends
// takes its copy with it.

import { DataError, inflate } from "../frames/bytes.ts";
import { decoded } from "../source.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import PlayWorker from "./worker.ts?worker&inline";

export class Link {
  private worker?: Worker;

  private constructor(
    private readonly wasm: ArrayBuffer,
    private readonly template: string,
    private readonly hear: (message: FromWorker) => void,
  ) {}

  /** Unpacks what the page has and starts a worker; what it says goes to `hear`. */
  static async open(hear: (message: FromWorker) => void): Promise<Link> {
    const [wasm, template] = await Promise.all(["fracas-wasm", "fracas-template"].map(unpacked));
    const link = new Link(wasm.slice().buffer, new TextDecoder().decode(template), hear);
    link.start();
    return link;
  }

  /** Starts a worker in the place of one that has ended. */
  start(): void {
    this.worker?.terminate();
    const worker = new PlayWorker();
    this.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.hear({ is: "failed", during: "start", sentence: `The simulation cannot go on: ${event.message || "this browser does not let the page start a worker"}.`, fatal: true });
    };
    this.post({ do: "start", wasm: this.wasm, template: this.template });
  }

  post(message: ToWorker): void {
    const transfer = message.do === "taken" ? [message.buffer] : message.do === "load" ? [message.bytes] : [];
    this.worker?.postMessage(message, transfer);
  }
}

/** A packed text of the page. */
async function unpacked(id: string): Promise<Uint8Array> {
  const text = document.getElementById(id)?.textContent;
  if (!text) throw new DataError("This page is not whole: the simulation is missing from it. `fracas play` writes it anew.");
  return inflate(decoded(text));
}
