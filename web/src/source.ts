// Where the data is: in texts of the page, or in scripts beside it.

import { DataError } from "./frames/bytes.ts";
import type { GroupSource } from "./frames/recording.ts";

/** Bytes of a text in base64. Space at the ends is dropped; what is missing at the end is simply not there. */
export function decoded(text: string): Uint8Array {
  const whole = text.trim();
  try {
    const characters = atob(whole.slice(0, whole.length - (whole.length % 4)));
    const bytes = new Uint8Array(characters.length);
    for (let k = 0; k < characters.length; k++) bytes[k] = characters.charCodeAt(k);
    return bytes;
  } catch {
    throw new DataError("The data of this page is damaged: it is not what was written.");
  }
}

declare global {
  interface Window {
    fracasGroup?: (group: number, text: string) => void;
  }
}

/** The beginning of the recording, and a way to its groups. */
export function dataOfPage(): { head: Uint8Array; source: GroupSource } {
  const head = document.getElementById("fracas-head");
  if (!head) throw new DataError("This page has no data. It is a template: `fracas run SCENE` writes one that has.");
  const beside = head.dataset.beside;
  return { head: decoded(head.textContent ?? ""), source: beside ? groupsBeside(beside) : groupsInside };
}

async function groupsInside(group: number): Promise<Uint8Array> {
  const text = document.getElementById(`fracas-group-${group}`)?.textContent;
  return decoded(text ?? "");
}

/** Groups as scripts: a page from disk may load these, and no other files. */
function groupsBeside(folder: string): GroupSource {
  const waiting = new Map<number, (text: string) => void>();
  window.fracasGroup = (group, text) => waiting.get(group)?.(text);
  return (group) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${folder}/${group}.js`;
      waiting.set(group, (text) => {
        waiting.delete(group);
        script.remove();
        try {
          resolve(decoded(text));
        } catch (error) {
          reject(error);
        }
      });
      script.onerror = () => reject(new DataError(`The file ${folder}/${group}.js, which belongs to this page, cannot be read. It must lie beside the page.`));
      document.head.append(script);
    });
}
