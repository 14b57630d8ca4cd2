// The projector: shows the views in turn. P pauses, the arrows go on and back.

import { find, findAll, get, make, mayMove } from "./dom.js";
import { drawGrown, drawLines } from "./growing.js";
import { tablesNow } from "./live.js";
import { newBoxes, openBoxes } from "./opening.js";
import { gameOf, Replay } from "./replay.js";
import { Watching } from "./watch.js";

/** @import { Counts } from "../data" */

const main = get(HTMLElement, "#main");
const staged = "staged" in main.dataset; // then results are shown one after another
const query = new URLSearchParams(location.search);
const scale = Number(query.get("scale"));
if (scale >= 0.5 && scale <= 3) document.documentElement.style.fontSize = `calc(100vh / 27 * ${scale})`;

let at = -1;
let timer = 0;
let held = false;
let turns = 0; // how often a slide was shown
/** The game that is replayed. @type {Replay | null} */
let replay = null;
/** The table that is watched, and its slide. @type {{ table: Watching, slide: HTMLElement } | null} */
let watched = null;
/** @type {Counts} */
let tables = tablesNow || {};
/** The game of each table. @type {Record<number, string>} */
const keys = {};
let won = Boolean(document.querySelector("[data-key=podium]")); // the night is over
let cut = ""; // the final that interrupted
let celebrated = false;

/** @param {number} table */
function isFinal(table) { return Boolean(keys[table]) && keys[table].startsWith(`${main.dataset.final}/`); }

// The running tables: the final's first, then the most advanced.
function running() {
  return Object.keys(tables).map(Number).filter((table) => tables[table] > 0)
    .sort((one, other) => Number(isFinal(other)) - Number(isFinal(one)) || tables[other] - tables[one]);
}

// Shows the final as soon as one of its games is shown.
async function cutIn() {
  const final = main.dataset.final;
  if (!final || final === cut) return;
  for (const table of running().filter((each) => !(each in keys))) {
    keys[table] = "";
    const answer = await fetch(`/tables/${table}/steps?from=${tables[table]}`);
    if (answer.ok) keys[table] = (await answer.json()).key;
  }
  if (held || final === cut || !running().some(isFinal)) return;
  cut = final;
  at = slides().findIndex((each) => each.matches(".watch"));
  turn(0);
}

function slides() {
  return findAll(HTMLElement, ".slide").filter((each) => each === watched?.slide
    || (each.matches(".watch") ? running().length : !each.matches("[data-wall][hidden]")));
}

/** Paper scraps fall for eight seconds, once, when the winner is shown. @param {HTMLElement} slide */
function celebrate(slide) {
  if (celebrated || !mayMove()) return;
  celebrated = true;
  for (let number = 0; number < 90; number++) {
    const scrap = make("i", `scrap hue-${number % 12}`, slide), delay = Math.random() * 4000, by = Math.random() * 20 - 10;
    scrap.style.left = `${Math.random() * 100}%`;
    scrap.animate(
      [{ transform: "none" }, { transform: `translate(${by}vw, 110vh) rotate3d(1, ${Math.random()}, .4, ${4 + Math.random() * 4}turn)` }],
      { delay, duration: 8000 - delay, easing: "linear" },
    ).onfinish = () => scrap.remove();
  }
}

/** Shows the next slide after some seconds, unless the projector is held. @param {number} seconds */
function turnAfter(seconds) {
  clearTimeout(timer);
  if (!held) timer = setTimeout(() => turn(1), seconds * 1000);
}

/** Shows the slide that is so many further. @param {number} by */
async function turn(by) {
  const mine = ++turns;
  clearTimeout(timer);
  replay?.stop();
  replay = watched = null;
  const all = slides();
  if (!all.length) { timer = setTimeout(() => turn(1), 3000); return; }
  const wanted = at < 0 ? all.findIndex((each) => each.dataset.key?.startsWith(query.get("view") || "")) : at + by;
  at = ((wanted < 0 ? 0 : wanted) + all.length) % all.length;
  const now = all[at];
  for (const each of all) each.classList.toggle("shown", each === now);
  const playing = now.matches(".player, .watch");
  if (now.dataset.key === "podium") celebrate(now);
  now.hidden = false;
  const drawing = find(SVGElement, ".plot > svg", now);
  if (drawing && !drawing.getAnimations().length) drawLines(drawing);
  if (staged && now.dataset.key === "bracket") openBoxes();
  main.classList.toggle("away", playing);
  turnAfter(Number(now.dataset.seconds) || 15);
  if (now.matches(".watch")) {
    const [number] = running(), table = new Watching(now, number);
    table.stage.replaceChildren();
    table.onEnd = () => turnAfter(5);
    watched = { table, slide: now };
    await table.reach(tables[number]);
  } else if (playing) {
    const game = await gameOf(now, "public");
    if (!game || mine !== turns) return;
    replay = new Replay(now, game);
    replay.onEnd = () => turnAfter(5);
    replay.show(Math.max(0, replay.last - 28)); // only the end of the game
    if (!held) replay.start();
  }
}

document.addEventListener("arena-tables", ({ detail }) => {
  tables = detail;
  if (watched && watched.table.number in tables) watched.table.reach(tables[watched.table.number]);
  cutIn();
});

addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") turn(1);
  else if (event.key === "ArrowLeft") turn(-1);
  else if (event.key.toLowerCase() === "p") {
    held = !held;
    if (held) { clearTimeout(timer); replay?.stop(); } else turn(0);
  }
});

// New content shows no slide yet; the game on the screen stays.
document.addEventListener("arena-fresh", ({ detail: page }) => {
  const foot = get(HTMLElement, ".screenfoot"), game = find(HTMLElement, ".slide.player");
  const freshFoot = find(HTMLElement, ".screenfoot", page), freshGame = find(HTMLElement, ".slide.player", page);
  if (freshFoot) foot.replaceChildren(...document.importNode(freshFoot, true).childNodes);
  if (freshGame && !game?.classList.contains("shown")) {
    game?.remove();
    foot.before(document.importNode(freshGame, true));
  }
  const all = slides(), podium = all.findIndex((each) => each.dataset.key === "podium");
  const lines = drawGrown().length && "lines", grown = staged && !held && (lines || (newBoxes().length && "bracket"));
  const ended = podium >= 0 && !won;
  won = podium >= 0;
  at = ended ? podium : grown ? all.findIndex((each) => each.dataset.key === grown) : Math.min(at, all.length - 1);
  main.classList.toggle("away", all.some((each) => each.matches(".shown:is(.player, .watch)")));
  if (!all.some((each) => each.classList.contains("shown")) || (ended && !held) || grown) turn(0);
  cutIn();
});

// A wall whose last table is gone makes room.
document.addEventListener("arena-wall", () => {
  if (document.querySelector("[data-wall].shown[hidden]")) turn(1);
});

navigator.wakeLock?.request("screen").catch(() => {}); // needs a secure page
/** Views that a table may bring in a moment, and the event that tells. @type {Record<string, keyof DocumentEventMap>} */
const AWAITED = { table: "arena-tables", wall: "arena-wall" };
const awaited = AWAITED[query.get("view") ?? ""];
if (awaited && !tablesNow) {
  const begin = () => { if (at < 0) turn(1); };
  document.addEventListener(awaited, begin, { once: true });
  setTimeout(begin, 3000);
} else turn(1);
cutIn();
drawGrown();
openBoxes();
