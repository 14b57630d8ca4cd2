// A replay, step by step: by mouse, by keys, and by its address.

import { around, element, find, findAll, get, make } from "./dom.js";
import { drawScores } from "./scores.js";
import { explains, freshness, logEntry, momentOf, sentence, showMoment, sizeFor, stageFor, travelTime } from "./stage.js";

/** @import { Game, Picture, Step } from "../data" */
/** @import { Findings } from "./explained.js" */

const STEP = 900; // milliseconds at speed 1
const EVERY = 50; // steps between two whole pictures
const SPEEDS = ["0.5", "1", "2", "4", "8", "max"];
const WINDOW = 200; // lines of the log in the page
const root = document.documentElement.classList;

/**
 * The game of a player, in a view. Returns null after a problem, which the player tells.
 * @param {HTMLElement} player @param {string} view @returns {Promise<Game | null>}
 */
export async function gameOf(player, view) {
  const { embedded, steps } = player.dataset, dealing = find(HTMLElement, ".dealing", player);
  const slow = setTimeout(() => { if (dealing) dealing.hidden = false; }, 200);
  try {
    if (embedded) return JSON.parse(get(HTMLElement, `#${embedded}`).textContent ?? "");
    const answer = await fetch(`${steps}?view=${view}`);
    if (!answer.ok) throw new Error(await answer.text());
    return await answer.json();
  } catch (problem) {
    get(HTMLElement, ".moment", player).textContent = `The game could not be loaded: ${problem instanceof Error ? problem.message : problem}`;
    return null;
  } finally {
    clearTimeout(slow);
    if (dealing) dealing.hidden = true;
  }
}

/** A game step by step, without controls, as the projector shows it. */
export class Replay {
  /** @param {HTMLElement} player @param {Game} data */
  constructor(player, data) {
    this.player = player;
    this.data = data;
    this.stage = get(HTMLElement, ".stage", player);
    this.moment = get(HTMLElement, ".moment", player);
    this.table = stageFor(this.stage, data);
    this.at = 0;
    this.timer = 0;
    /** How large the cards are; 0 if it is to be found again. */
    this.fitted = 0;
    /** The picture that was shown last. @type {{ at: number, picture: Picture, data: Game } | null} */
    this.kept = null;
    /** Called when the replay has come to the end. @type {(() => void) | null} */
    this.onEnd = null;
  }

  get last() { return this.data.steps.length - 1; }

  /** How many times as fast as usual. */
  get speedFactor() { return 1; }

  /** The picture at a step: the last whole one before it, with later changes. @param {number} at */
  picture(at) {
    let from = Math.floor(at / EVERY) * EVERY;
    let picture = this.data.keys[from];
    if (this.kept && this.kept.at <= at && this.kept.at >= from && this.kept.data === this.data) ({ at: from, picture } = this.kept);
    picture = { ...picture };
    for (let step = from + 1; step <= at; step++) Object.assign(picture, this.data.steps[step].changed);
    this.kept = { at, picture, data: this.data };
    return picture;
  }

  /** Shows a step. `moving`: cards travel. `spoken`: the moment is said. @param {number} at @param {{ moving?: boolean, spoken?: boolean }} [options] */
  show(at, { moving = false, spoken = false } = {}) {
    at = Math.max(0, Math.min(this.last, at));
    const step = this.data.steps[at], forward = at === this.at + 1, speed = this.speedFactor;
    this.at = at;
    this.table.show(this.picture(at), { move: moving && forward && speed < 4 ? travelTime(speed) : 0, fresh: freshness(step), tone: step.tone, places: at === this.last ? this.data.places : null });
    this.say(step, at, spoken);
    this.fit();
  }

  /** Makes the cards as large as there is room for. */
  fit() { this.fitted = sizeFor(this.table, this.fitted); }

  /** @param {Step} step @param {number} at @param {boolean} spoken */
  say(step, at, spoken) {
    this.moment.setAttribute("aria-live", spoken ? "polite" : "off");
    showMoment(this.moment, step.tone, at === this.last ? this.ending() : momentOf(step, this.data.names));
  }

  /** The result. @returns {HTMLElement[]} */
  ending() {
    const { sentence: result, tag, why } = this.data.ending;
    const words = make("span", "words outcome");
    words.append(...sentence(result, this.data.names));
    if (!tag) return [words];
    make("span", "dim", words, " ").append(...sentence(why, this.data.names));
    return [make("span", "tag", null, tag), words];
  }

  start() {
    if (this.at >= this.last) this.show(0);
    const tick = () => {
      this.show(this.at + 1, { moving: true });
      if (this.at >= this.last) { this.stop(); this.onEnd?.(); } else this.timer = setTimeout(tick, STEP / this.speedFactor);
    };
    this.timer = setTimeout(tick, STEP / this.speedFactor / 2);
  }

  stop() {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}

/** A replay with its controls and its log. */
export class Player extends Replay {
  /** @param {HTMLElement} player @param {Game} data */
  constructor(player, data) {
    super(player, data);
    this.play = get(HTMLButtonElement, ".play", player);
    this.back = get(HTMLButtonElement, ".back", player);
    this.on = get(HTMLButtonElement, ".on", player);
    this.four = get(HTMLButtonElement, ".four", player);
    this.ask = get(HTMLButtonElement, ".ask", player);
    this.help = get(HTMLButtonElement, ".help", player);
    this.seek = get(HTMLInputElement, ".seek", player);
    this.ticks = get(SVGElement, ".ticks", player);
    this.count = get(HTMLElement, ".count", player);
    this.speed = get(HTMLSelectElement, ".speed", player);
    this.log = get(HTMLOListElement, ".log", player);
    this.scores = get(HTMLElement, ".scores", player);
    this.theatre = get(HTMLElement, ".theatre", player);
    this.keysDialog = get(HTMLDialogElement, "dialog.keys", player);
    /** Whether the viewer is asked something: then keys are for the answer. */
    this.asking = false;
    /** The steps whose lines are in the log, and of which data. @type {{ data: Game, first: number, end: number } | null} */
    this.logged = null;
    /** The line of the log of the present step. @type {Element | null} */
    this.wasNow = null;
    /** The explanation of the game, when there is one. @type {Findings | null} */
    this.explanation = null;
    /** Called when another step is shown. @type {(() => void) | null} */
    this.onShow = null;
    this.lines = this.drawScores();
    this.seek.max = String(this.last);
    this.showTicks();
  }

  /** Shows the game in another view. @param {Game} data */
  change(data) {
    this.data = data;
    this.table = stageFor(this.stage, data);
    this.lines = this.drawScores();
    this.show(this.at);
  }

  drawScores() { return drawScores(this.scores, this.data, (at) => this.go(at)); }

  /** @override */
  get speedFactor() { return this.speed.value === "max" ? 54 : Number(this.speed.value); }

  /** @override @param {number} at @param {{ moving?: boolean, spoken?: boolean }} [options] */
  show(at, options) {
    super.show(at, options);
    this.seek.value = String(this.at);
    this.lines?.show(this.at);
    this.seek.setAttribute("aria-valuetext", `step ${this.at} of ${this.last}${this.lines?.words(this.at) ?? ""}`);
    this.count.textContent = `${this.at}/${this.last}`;
    this.showLog();
    this.explanation?.at(this.at);
    this.onShow?.();
  }

  /** @override @param {Step} step @param {number} at @param {boolean} spoken */
  say(step, at, spoken) {
    super.say(step, at, spoken);
    get(HTMLElement, ".words", this.moment).append(...(this.explanation?.notes(at, this.data.view) ?? []));
  }

  /** The result, and the way to the last lead change. @override */
  ending() {
    const { marked, mark } = this.data.ending;
    if (marked === null) return super.ending();
    const button = make("button", "control", null, `◆ ${mark}`);
    button.addEventListener("click", () => { this.show(marked, { spoken: true }); this.seek.focus(); });
    return [...super.ending(), button];
  }

  /** Makes the cards as large as there is room for, after the window, or what is below the table, has changed. */
  fitAgain() {
    this.fitted = 0;
    this.stage.style.removeProperty("--fit");
    this.fit();
  }

  /** Goes to a step. @param {number} at @param {{ moving?: boolean }} [options] */
  go(at, { moving = false } = {}) {
    this.stop();
    this.show(at, { moving, spoken: true });
  }

  /** Goes to the next step with a moment, or to the one before. @param {1 | -1} direction */
  toMoment(direction) {
    let at = this.at + direction;
    while (at > 0 && at < this.last && !this.data.steps[at].tone) at += direction;
    this.go(at);
  }

  /** @override */
  start() {
    super.start();
    this.mark();
  }

  /** @override */
  stop() {
    super.stop();
    this.mark();
  }

  mark() {
    this.play.textContent = this.timer ? "❚❚" : "▶";
    this.play.setAttribute("aria-label", this.timer ? "Stop" : "Play");
  }

  /** The log: the lines around the current step. */
  showLog() {
    const edge = WINDOW / 8, { data, at, last } = this;
    const inside = this.logged?.data === data
      && (this.logged.first === 0 || at >= this.logged.first + edge)
      && (this.logged.end === last || at <= this.logged.end - edge);
    if (!inside) {
      const first = Math.max(0, Math.min(at - WINDOW / 2, last + 1 - WINDOW));
      const end = Math.min(last, first + WINDOW - 1);
      this.log.replaceChildren();
      this.log.start = first;
      for (let step = first; step <= end; step++) this.log.append(logEntry(data.steps[step].log, step, data.names));
      if (end === last) this.log.append(logEntry(data.end, last, data.names, 0));
      this.logged = { data, first, end };
    }
    for (const entry of findAll(HTMLElement, ":scope > li", this.log)) {
      const step = Number(entry.dataset.step);
      entry.classList.toggle("now", step === at);
      entry.classList.toggle("later", step > at);
      if (step === at && this.wasNow !== entry) {
        this.wasNow = entry;
        const [box, own] = [this.log, entry].map((each) => each.getBoundingClientRect());
        if (own.top < box.top || own.bottom > box.bottom) this.log.scrollTop += own.top - box.top - Math.max(0, box.height - own.height) / 2;
      }
    }
  }

  showTicks() {
    this.ticks.setAttribute("viewBox", `0 0 ${Math.max(1, this.last)} 8`);
    this.ticks.replaceChildren();
    const width = Math.max(this.last / 400, 0.15);
    this.data.steps.forEach((step, at) => {
      if (!step.tone) return;
      element("rect", { x: at - width / 2, width, y: 0, height: 8, class: `tone-${step.tone}` }, this.ticks);
    });
  }
}

// Settings that the address does not give stay as last time.
/** @param {string} key @param {string} fallback */
function remembered(key, fallback) { try { return localStorage.getItem(`arena.${key}`) || fallback; } catch { return fallback; } }
/** @param {string} key @param {string} value */
function remember(key, value) { try { localStorage.setItem(`arena.${key}`, value); } catch { /* a private window forgets */ } }

/** Opens the player of a game. Returns null if the game cannot be loaded. @param {HTMLElement} place */
async function open(place) {
  const query = new URLSearchParams(location.search), usual = place.dataset.open === "yes" ? "all" : "public";
  const view = find(HTMLSelectElement, ".view", place), link = find(HTMLButtonElement, ".link", place); // not in a report
  if (view) {
    view.value = query.get("view") || usual;
    view.value ||= usual; // no such view
  }
  const data = await gameOf(place, view?.value ?? usual);
  if (!data) return null;
  const replay = new Player(place, data);
  const speed = query.get("speed") || remembered("speed", "1");
  if (SPEEDS.includes(speed)) replay.speed.value = speed;
  const wanted = Number(query.get("at") || 0);
  replay.show(Number.isFinite(wanted) ? wanted : 0);
  const toggle = () => (replay.timer ? replay.stop() : replay.start());
  const setFour = (/** @type {boolean} */ on) => {
    root.toggle("two", !on);
    replay.four.setAttribute("aria-pressed", String(on));
    remember("four", on ? "yes" : "no");
  };
  setFour(remembered("four", "yes") === "yes");
  replay.play.addEventListener("click", toggle);
  replay.back.addEventListener("click", () => replay.go(replay.at - 1));
  replay.on.addEventListener("click", () => replay.go(replay.at + 1, { moving: true }));
  replay.seek.addEventListener("input", () => { replay.stop(); replay.show(Number(replay.seek.value)); });
  replay.speed.addEventListener("change", () => remember("speed", replay.speed.value));
  replay.four.addEventListener("click", () => setFour(root.contains("two")));
  explains(replay.ask, replay.stage);
  addEventListener("resize", () => replay.fitAgain());
  replay.help.addEventListener("click", () => replay.keysDialog.showModal());
  replay.log.addEventListener("click", (event) => {
    const entry = around(HTMLElement, "[data-step]", event);
    if (entry) { replay.stop(); replay.show(Number(entry.dataset.step)); }
  });
  if (!view || !link) return replay; // one of several in a report: mouse only
  const address = () => {
    const there = new URLSearchParams(location.search);
    there.set("at", String(replay.at));
    if (view.value === "all") there.delete("view"); else there.set("view", view.value);
    return `${location.pathname}?${there}`;
  };
  let settled = 0;
  replay.onShow = () => {
    clearTimeout(settled);
    settled = setTimeout(() => history.replaceState(null, "", address()), 250);
  };
  const faster = (/** @type {1 | -1} */ by) => {
    replay.speed.selectedIndex = Math.max(0, Math.min(SPEEDS.length - 1, replay.speed.selectedIndex + by));
    remember("speed", replay.speed.value);
  };
  const showView = async () => {
    const playing = replay.timer !== 0;
    replay.stop();
    const changed = await gameOf(place, view.value);
    if (!changed) return;
    replay.change(changed);
    if (playing) replay.start();
  };
  const copy = async () => {
    const text = new URL(address(), location.href).href;
    try { await navigator.clipboard.writeText(text); link.textContent = "Copied"; } catch { location.href = text; }
    setTimeout(() => { link.textContent = "Link"; }, 1500);
  };
  view.addEventListener("change", showView);
  link.addEventListener("click", copy);
  /** What a key does; `shift` tells that Shift is down. @type {Record<string, (shift: boolean) => void>} */
  const keys = {
    " ": toggle,
    ArrowLeft: (shift) => (shift ? replay.toMoment(-1) : replay.go(replay.at - 1)),
    ArrowRight: (shift) => (shift ? replay.toMoment(1) : replay.go(replay.at + 1, { moving: true })),
    Home: () => { replay.stop(); replay.show(0); },
    End: () => { replay.stop(); replay.show(replay.last); },
    "+": () => faster(1), "-": () => faster(-1), "−": () => faster(-1),
    v: () => { view.selectedIndex = (view.selectedIndex + 1) % view.options.length; showView(); },
    l: () => replay.theatre.classList.toggle("nolog"),
    s: () => setFour(root.contains("two")),
    c: copy,
    e: () => replay.ask.click(),
    t: () => { const { marked } = replay.data.ending; if (marked !== null) replay.go(marked); },
    "?": () => replay.keysDialog.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || replay.keysDialog.open || replay.asking) return;
    const act = keys[event.key] || keys[event.key.toLowerCase()];
    if (!act || around(Element, "select, input:not(.seek), textarea", event)) return;
    // A dialog that has just closed keeps its button in focus until the next frame.
    if (event.key === " " && around(Element, "button, a, summary", event) && !around(Element, "dialog", event)) return;
    event.preventDefault();
    act(event.shiftKey);
  });
  return replay;
}

// In a file with many replays a box opens each; the projector opens its own.
for (const box of findAll(HTMLDetailsElement, "details.replaybox")) {
  box.addEventListener("toggle", () => open(get(HTMLElement, ".player", box)), { once: true });
}
const single = root.contains("screen") ? null : find(HTMLElement, ".player[data-steps]");

/** The player of this page's game; null if there is none, or the game cannot be loaded. */
export const opened = single && open(single);
