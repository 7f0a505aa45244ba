// The page: reads its data, builds the parts, and ties them together.

import "./style.css";
import { Charts } from "./charts.ts";
import { Recording } from "./frames/recording.ts";
import { shown } from "./numbers.ts";
import { fillHud, fillNow, fillPairs, fillSummary, fillSwitches } from "./panel.ts";
import { Player, type Shown } from "./player.ts";
import { dataOfPage } from "./source.ts";
import { spaceOf } from "./space.ts";
import { type Look, Stage } from "./stage.ts";
import { Strip } from "./strip.ts";
import { applyThemes } from "./theme.ts";
import { complain, element, staged } from "./trouble.ts";

async function start(): Promise<void> {
  const { head, source } = dataOfPage();
  const recording = await Recording.open(head, source);
  const { header } = recording;
  const { about } = header;
  document.title = `${about.title} · Fracas`;
  element("title").textContent = about.title;
  const done = header.steps[header.frames - 1] ?? 0;
  const partly = about.kind === "run" && done < about.steps ? ` · ${shown(done)} of ${shown(about.steps)} steps` : "";
  element("text").textContent = about.text + partly;
  element("footer").textContent = [about.program, about.size && `size ${about.size}`, header.frames > 1 && `${shown(header.frames)} frames`, ...about.meshes.map((mesh) => mesh.path)].filter(Boolean).join(" · ");

  const first = await recording.frame(0);
  const look: Look = { fragments: true, cracks: true, colliding: true, closest: true, contacts: true, lines: false, seeThrough: false, follow: true, level: -1 };
  const stage = staged(() => new Stage(element<HTMLCanvasElement>("canvas"), spaceOf(recording, first), look, header.triangles));
  stage.placeLines(about.lines ?? []);
  const pairList = element<HTMLDetailsElement>("pair-list");
  const scrub = element<HTMLInputElement>("scrub");
  const strip = header.frames > 1 ? new Strip(element<HTMLCanvasElement>("strip"), header) : undefined;

  const onFrame = ({ number, data }: Shown) => {
    stage.show(recording.triangles, number, data, player.isPlaying);
    scrub.value = String(number);
    const words = `Step ${shown(header.steps[number])} of ${shown(done)}`;
    scrub.setAttribute("aria-valuetext", words);
    element("step").textContent = words;
    fillHud(element("hud"), header, number);
    fillNow(element("now"), header, number);
    fillPairs(pairList, recording, data, (triangles) => stage.focus(triangles));
    strip?.mark(number);
    charts?.mark(number);
  };
  const onState = () => {
    element("transport").classList.toggle("playing", player.isPlaying);
    element("play").setAttribute("aria-label", player.isPlaying ? "Pause" : "Play");
    element("repeat").setAttribute("aria-pressed", String(player.repeats));
    element<HTMLSelectElement>("speed").value = String(player.speed);
  };
  const player = new Player(recording, first, onFrame, onState, complain);
  const jump = (frame: number) => {
    if (player.isPlaying) player.pause();
    return player.jump(frame);
  };
  const charts = header.frames > 1 ? new Charts(element("charts"), header, jump) : undefined;
  fillSummary(element("summary"), header, jump);
  const showSwitches = fillSwitches(element("show"), recording, look, () => stage.refresh());
  pairList.open = about.kind === "check" || about.kind === "near";
  pairList.addEventListener("toggle", () => fillPairs(pairList, recording, player.shown.data, (triangles) => stage.focus(triangles)));

  element("transport").hidden = header.frames < 2;
  scrub.max = String(header.frames - 1);
  scrub.addEventListener("input", () => jump(Number(scrub.value)));
  element("play").addEventListener("click", () => player.toggle());
  element("back").addEventListener("click", () => player.step(-1));
  element("on").addEventListener("click", () => player.step(1));
  element("reset").addEventListener("click", () => stage.reset());
  const repeat = () => {
    player.repeats = !player.repeats;
    onState();
  };
  element("repeat").addEventListener("click", repeat);
  const speed = element<HTMLSelectElement>("speed");
  speed.addEventListener("change", () => (player.speed = Number(speed.value)));
  const faster = (by: number) => {
    const next = speed.options[speed.selectedIndex + by];
    if (!next) return;
    player.speed = Number(next.value);
    onState();
  };
  const help = element<HTMLDialogElement>("help");
  element("help-button").addEventListener("click", () => help.showModal());

  const change = (edit: () => void) => {
    edit();
    showSwitches();
    stage.refresh();
  };
  const keys: Record<string, (event: KeyboardEvent) => void> = {
    " ": () => player.toggle(),
    ArrowLeft: (event) => player.step(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => player.step(event.shiftKey ? 10 : 1),
    Home: () => jump(0),
    End: () => jump(header.frames - 1),
    "+": () => faster(1),
    "=": () => faster(1),
    "-": () => faster(-1),
    w: () => stage.nudge(0, -0.1, 1),
    s: () => stage.nudge(0, 0.1, 1),
    a: () => stage.nudge(-0.12, 0, 1),
    d: () => stage.nudge(0.12, 0, 1),
    q: () => stage.nudge(0, 0, 1 / 1.15),
    e: () => stage.nudge(0, 0, 1.15),
    r: () => stage.reset(),
    l: repeat,
    t: () => element("theme").click(),
    b: () => change(() => (look.level = look.level + 1 >= header.levels.length ? -1 : look.level + 1)),
    f: () => change(() => (look.follow = !look.follow)),
    x: () => change(() => (look.seeThrough = !look.seeThrough)),
    "?": () => help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    if (help.open || event.ctrlKey || event.metaKey || event.altKey) return;
    // Lists of choices and buttons keep the keys that are theirs.
    if (target.tagName === "SELECT" || (event.key === " " && ["BUTTON", "SUMMARY", "INPUT"].includes(target.tagName) && target.id !== "scrub")) return;
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action(event);
  });

  onTheme((isDark) => {
    stage.setTheme(isDark);
    charts?.recolour();
    strip?.draw();
  });
  const wish = Number(location.hash.slice(1));
  onFrame(player.shown);
  if (Number.isInteger(wish) && wish > 0) await jump(wish);
  onState();
  element("waiting").hidden = true;
  element("main").setAttribute("aria-busy", "false");
  // For tests, pictures and the curious.
  Object.assign(window, { fracas: { recording, player, stage, look, refresh: () => change(() => {}), jump } });
}

const onTheme = applyThemes();
start().catch(complain);
