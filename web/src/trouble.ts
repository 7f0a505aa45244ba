// Sentences about what went wrong.

import { DataError } from "./frames/bytes.ts";

export const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** A sentence about an error. */
export function sentenceOf(error: unknown): string {
  return error instanceof DataError ? error.message : `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
}

/** Says in a sentence why something cannot be shown. */
export function complain(error: unknown): void {
  const place = element("trouble");
  place.textContent = sentenceOf(error);
  place.hidden = false;
  element("waiting").hidden = true;
  element("main").setAttribute("aria-busy", "false");
}

/** Sets up the scene, or says what a browser lacks for it. */
export function staged<T>(make: () => T): T {
  try {
    return make();
  } catch {
    throw new DataError("This browser cannot draw in three dimensions, which the scene needs: WebGL is missing or switched off.");
  }
}
