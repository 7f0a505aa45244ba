// Dark or light: as chosen on the page, else as the system has it.

import { element } from "./trouble.ts";

type Change = (isDark: boolean) => void;

/** Applies the theme and listens to the button. The function returned tells what else changes with it, now and later. */
export function applyThemes(): (change: Change) => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const changes: Change[] = [];
  let chosen: boolean | undefined;
  const isDark = () => chosen ?? system.matches;
  const apply = () => {
    document.documentElement.dataset.theme = isDark() ? "dark" : "light";
    changes.forEach((change) => change(isDark()));
  };
  system.addEventListener("change", apply);
  element("theme").addEventListener("click", () => {
    chosen = !isDark();
    apply();
  });
  apply();
  return (change) => {
    changes.push(change);
    change(isDark());
  };
}
