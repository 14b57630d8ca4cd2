// The projector: shows the views in turn. P pauses, the arrows go on and back.

import { tablesNow } from "./live.js";
import { Replay } from "./replay.js";
import { Watching } from "./watch.js";

const main = document.getElementById("main");
const query = new URLSearchParams(location.search);
const scale = Number(query.get("scale"));
if (scale >= 0.5 && scale <= 3) document.documentElement.style.fontSize = `calc(100vh / 27 * ${scale})`;

let at = -1;
let timer = null;
let held = false;
let replay = null;
let watching = null;
let tables = tablesNow || {};
const keys = {}; // the game of each table
let won = Boolean(document.querySelector("[data-key=podium]")); // the night is over
let cut = ""; // the final that interrupted

function isFinal(table) { return Boolean(keys[table]) && keys[table].startsWith(`${main.dataset.final}/`); }

// The running tables: the final's first, then the most advanced.
function running() {
  return Object.keys(tables).filter((table) => tables[table] > 0)
    .sort((one, other) => isFinal(other) - isFinal(one) || tables[other] - tables[one]);
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
  return [...document.querySelectorAll(".slide")].filter((each) => each === watching?.slide
    || (each.matches(".watch") ? running().length : !each.matches("[data-wall][hidden]")));
}

// Paper scraps fall for eight seconds, once, when the winner is shown.
function celebrate(slide) {
  if (celebrate.done || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  celebrate.done = true;
  for (let number = 0; number < 90; number++) {
    const scrap = document.createElement("i"), delay = Math.random() * 4000, by = Math.random() * 20 - 10;
    scrap.className = `scrap hue-${number % 12}`;
    scrap.style.left = `${Math.random() * 100}%`;
    slide.append(scrap);
    scrap.animate(
      [{ transform: "none" }, { transform: `translate(${by}vw, 110vh) rotate3d(1, ${Math.random()}, .4, ${4 + Math.random() * 4}turn)` }],
      { delay, duration: 8000 - delay, easing: "linear" },
    ).onfinish = () => scrap.remove();
  }
}

async function turn(by) {
  clearTimeout(timer);
  replay?.stop();
  replay = watching = null;
  const all = slides();
  if (!all.length) { timer = setTimeout(() => turn(1), 3000); return; }
  const wanted = at < 0 ? all.findIndex((each) => each.dataset.key.startsWith(query.get("view") || "")) : at + by;
  at = ((wanted < 0 ? 0 : wanted) + all.length) % all.length;
  const now = all[at];
  for (const each of all) each.classList.toggle("shown", each === now);
  const playing = now.matches(".player, .watch");
  if (now.dataset.key === "podium") celebrate(now);
  now.hidden = false;
  main.classList.toggle("away", playing);
  if (now.matches(".watch")) {
    const [table] = running();
    now.querySelector(".stage").replaceChildren();
    watching = new Watching(now, table);
    watching.slide = now;
    watching.onEnd = () => { if (!held) { clearTimeout(timer); timer = setTimeout(() => turn(1), 5000); } };
    await watching.reach(tables[table]);
  } else if (playing) {
    const game = new Replay(now);
    replay = game;
    if (await game.load("public").catch(() => false)) {
      if (replay !== game) return;
      game.onEnd = () => { if (!held) timer = setTimeout(() => turn(1), 5000); };
      game.show(Math.max(0, game.last - 28)); // only the end of the game
      if (!held) game.start();
    }
  }
  const seconds = Number(now.dataset.seconds) || 15;
  if (!held) timer = setTimeout(() => turn(1), seconds * 1000);
}

document.addEventListener("arena-tables", (event) => {
  tables = event.detail;
  if (watching && watching.number in tables) watching.reach(tables[watching.number]);
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
document.addEventListener("arena-fresh", (event) => {
  const fresh = (selector) => event.detail.querySelector(selector);
  const foot = document.querySelector(".screenfoot"), game = document.querySelector(".slide.player");
  if (fresh(".screenfoot")) foot.replaceChildren(...document.importNode(fresh(".screenfoot"), true).childNodes);
  if (fresh(".slide.player") && !game?.classList.contains("shown")) {
    game?.remove();
    foot.before(document.importNode(fresh(".slide.player"), true));
  }
  const all = slides(), podium = all.findIndex((each) => each.dataset.key === "podium");
  const ended = podium >= 0 && !won;
  won = podium >= 0;
  at = ended ? podium : Math.min(at, all.length - 1);
  main.classList.toggle("away", all.some((each) => each.matches(".shown:is(.player, .watch)")));
  if (!all.some((each) => each.classList.contains("shown")) || (ended && !held)) turn(0);
  cutIn();
});

// A wall whose last table is gone makes room.
document.addEventListener("arena-wall", () => {
  if (document.querySelector("[data-wall].shown[hidden]")) turn(1);
});

navigator.wakeLock?.request("screen").catch(() => {}); // needs a secure page
const awaited = { table: "arena-tables", wall: "arena-wall" }[query.get("view")];
if (awaited && !tablesNow) { // a table may come in a moment
  const begin = () => { if (at < 0) turn(1); };
  document.addEventListener(awaited, begin, { once: true });
  setTimeout(begin, 3000);
} else turn(1);
cutIn();
