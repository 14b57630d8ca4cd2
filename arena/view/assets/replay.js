// A replay, step by step: by mouse, by keys, and by its address.

import { element } from "./cards.js";
import { Scores } from "./scores.js";
import { explains, freshness, logEntry, make, momentOf, sentence, stageFor } from "./stage.js";

const STEP = 900; // milliseconds at speed 1
const MOVE = 420;
const SPEEDS = ["0.5", "1", "2", "4", "8", "max"];
const WINDOW = 200; // lines of the log in the page
const root = document.documentElement.classList;
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");

export class Replay {
  constructor(player) {
    this.player = player;
    this.at = 0;
    this.timer = null;
    for (const part of ["stage", "moment", "seek", "ticks", "count", "speed", "view", "log", "play", "back", "on", "link", "four", "help", "theatre", "dealing", "scores", "ask"]) {
      this[part] = player.querySelector(`.${part}`);
    }
    this.keysDialog = player.querySelector("dialog.keys");
  }

  async load(view) {
    const slow = setTimeout(() => { if (this.dealing) this.dealing.hidden = false; }, 200);
    try {
      const embedded = this.player.dataset.embedded && document.getElementById(this.player.dataset.embedded);
      if (embedded) this.data = JSON.parse(embedded.textContent);
      else {
        const answer = await fetch(`${this.player.dataset.steps}?view=${view}`);
        if (!answer.ok) throw new Error(await answer.text());
        this.data = await answer.json();
      }
    } catch (problem) {
      this.moment.textContent = `The game could not be loaded: ${problem.message}`;
      return false;
    } finally {
      clearTimeout(slow);
      if (this.dealing) this.dealing.hidden = true;
    }
    this.table = stageFor(this.stage, this.data);
    this.last = this.data.steps.length - 1;
    this.lines = this.scores && new Scores(this.scores, this.data, (at) => { this.stop(); this.show(at, { spoken: true }); });
    return true;
  }

  // The picture at a step: the last whole one before it, with later changes.
  picture(at) {
    const every = 50;
    let from = Math.floor(at / every) * every;
    let picture;
    if (this.kept && this.kept.at <= at && this.kept.at >= from && this.kept.data === this.data) ({ at: from, picture } = this.kept);
    else picture = this.data.keys[from];
    picture = { ...picture };
    for (let step = from + 1; step <= at; step++) Object.assign(picture, this.data.steps[step].changed);
    this.kept = { at, picture, data: this.data };
    return picture;
  }

  get speedFactor() { return this.speed && this.speed.value === "max" ? 54 : Number(this.speed ? this.speed.value : 1); }

  show(at, { moving = false, spoken = false } = {}) {
    at = Math.max(0, Math.min(this.last, at));
    const step = this.data.steps[at];
    const forward = at === this.at + 1;
    this.at = at;
    const animated = moving && forward && !REDUCED.matches && this.speedFactor < 4;
    this.table.show(this.picture(at), { move: animated ? MOVE / this.speedFactor : 0, fresh: freshness(step), tone: step.tone, places: at === this.last ? this.data.places : null });
    this.say(step, at, spoken);
    if (this.seek) {
      this.seek.value = at;
      this.lines?.show(at);
      this.seek.setAttribute("aria-valuetext", `step ${at} of ${this.last}${this.lines?.words(at) || ""}`);
      this.count.textContent = `${at}/${this.last}`;
    }
    if (this.log) this.showLog();
    this.explanation?.at(at);
    this.fit();
    this.onShow?.(at);
  }

  say(step, at, spoken) {
    this.moment.className = `moment${step.tone ? ` tone-${step.tone}` : ""}`;
    this.moment.setAttribute("aria-live", spoken ? "polite" : "off");
    this.moment.replaceChildren(...(at === this.last ? this.ending() : momentOf(step, this.data.names)));
    this.moment.querySelector(".words").append(...(this.explanation?.notes(at, this.data.view) ?? []));
  }

  // The result, and the way to the moment that decided it.
  ending() {
    const { sentence: result, tag, why, turning } = this.data.ending;
    const words = make("span", "words outcome");
    words.append(...sentence(result, this.data.names));
    if (!tag) return turning === null || !this.seek ? [words] : [words, this.toTurning(turning)];
    const label = make("span", "tag", null, tag);
    const told = make("span", "dim", words, " ");
    told.append(...sentence(why, this.data.names));
    return [label, words, ...(turning === null || !this.seek ? [] : [this.toTurning(turning)])];
  }

  toTurning(turning) {
    const button = make("button", "control", null, "◆ Turning point");
    button.addEventListener("click", () => { this.show(turning, { spoken: true }); this.seek.focus(); });
    return button;
  }

  // Makes the cards smaller until the table and the controls fit into a wide window; two seats begin with large cards.
  fit() {
    const [stage, wrap] = [this.stage, this.stage.parentElement];
    if (!this.seek || innerWidth < 981 || wrap.classList.contains("explaining")) return;
    const top = stage.getBoundingClientRect().top + scrollY;
    if (!this.fitted) stage.style.setProperty("--fit", this.fitted = this.data.seats < 3 ? 1.3 : 1);
    for (let tries = 0; tries < 9 && this.fitted > 0.6; tries++) {
      if (top + wrap.offsetHeight + 8 <= innerHeight) return;
      this.fitted *= 0.93;
      stage.style.setProperty("--fit", this.fitted);
    }
  }

  go(by) { this.stop(); this.show(this.at + by, { moving: by === 1, spoken: true }); }

  toMoment(direction) {
    this.stop();
    let at = this.at + direction;
    while (at > 0 && at < this.last && !this.data.steps[at].tone) at += direction;
    this.show(at, { spoken: true });
  }

  start() {
    if (this.at >= this.last) this.show(0);
    const tick = () => {
      this.show(this.at + 1, { moving: true });
      if (this.at >= this.last) { this.stop(); this.onEnd?.(); } else this.timer = setTimeout(tick, STEP / this.speedFactor);
    };
    this.timer = setTimeout(tick, STEP / this.speedFactor / 2);
    this.mark();
  }

  stop() { clearTimeout(this.timer); this.timer = null; this.mark(); }

  mark() {
    if (!this.play) return;
    this.play.textContent = this.timer ? "❚❚" : "▶";
    this.play.setAttribute("aria-label", this.timer ? "Stop" : "Play");
  }

  // The log: the lines around the current step.
  showLog() {
    const edge = WINDOW / 8;
    const inside = this.logData === this.data
      && (this.logFirst === 0 || this.at >= this.logFirst + edge)
      && (this.logEnd === this.last || this.at <= this.logEnd - edge);
    if (!inside) {
      const first = Math.max(0, Math.min(this.at - WINDOW / 2, this.last + 1 - WINDOW));
      const end = Math.min(this.last, first + WINDOW - 1);
      this.log.replaceChildren();
      this.log.start = first;
      for (let step = first; step <= end; step++) this.log.append(logEntry(this.data.steps[step].log, step, this.data.names));
      if (end === this.last) this.log.append(logEntry(this.data.end, this.last, this.data.names, 0));
      this.logFirst = first;
      this.logEnd = end;
      this.logData = this.data;
    }
    for (const entry of this.log.children) {
      const step = Number(entry.dataset.step);
      entry.classList.toggle("now", step === this.at);
      entry.classList.toggle("later", step > this.at);
      if (step === this.at && this.wasNow !== entry) {
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
function remembered(key, fallback) { try { return localStorage.getItem(`arena.${key}`) || fallback; } catch { return fallback; } }
function remember(key, value) { try { localStorage.setItem(`arena.${key}`, value); } catch { /* a private window forgets */ } }

export async function open(player) {
  const replay = new Replay(player);
  const query = new URLSearchParams(location.search);
  const usual = player.dataset.open === "yes" ? "all" : "public";
  let view = query.get("view") || usual;
  if (replay.view) {
    replay.view.value = view;
    view = replay.view.value ||= usual; // no such view
  }
  if (replay.speed) {
    const speed = query.get("speed") || remembered("speed", "1");
    if (SPEEDS.includes(speed)) replay.speed.value = speed;
  }
  if (!(await replay.load(view))) return null;
  replay.seek.max = replay.last;
  replay.showTicks();
  const wanted = Number(query.get("at") || 0);
  replay.show(Number.isFinite(wanted) ? wanted : 0);
  const address = () => {
    const there = new URLSearchParams(location.search);
    there.set("at", replay.at);
    if (replay.view.value === "all") there.delete("view"); else there.set("view", replay.view.value);
    return `${location.pathname}?${there}`;
  };
  let settled;
  replay.onShow = () => {
    clearTimeout(settled);
    if (!player.dataset.embedded) settled = setTimeout(() => history.replaceState(null, "", address()), 250);
  };
  const toggle = () => (replay.timer ? replay.stop() : replay.start());
  const setFour = (on) => {
    root.toggle("two", !on);
    replay.four?.setAttribute("aria-pressed", String(on));
    remember("four", on ? "yes" : "no");
  };
  const faster = (by) => {
    replay.speed.selectedIndex = Math.max(0, Math.min(SPEEDS.length - 1, replay.speed.selectedIndex + by));
    remember("speed", replay.speed.value);
  };
  const showView = async () => {
    const playing = replay.timer !== null;
    replay.stop();
    if (await replay.load(replay.view.value)) { replay.show(replay.at); if (playing) replay.start(); }
  };
  const copy = async () => {
    const text = new URL(address(), location.href).href;
    try { await navigator.clipboard.writeText(text); replay.link.textContent = "Copied"; } catch { location.href = text; }
    setTimeout(() => { replay.link.textContent = "Link"; }, 1500);
  };
  setFour(remembered("four", "yes") === "yes");
  replay.play.addEventListener("click", toggle);
  replay.back.addEventListener("click", () => replay.go(-1));
  replay.on.addEventListener("click", () => replay.go(1));
  replay.seek.addEventListener("input", () => { replay.stop(); replay.show(Number(replay.seek.value)); });
  replay.speed.addEventListener("change", () => remember("speed", replay.speed.value));
  replay.view?.addEventListener("change", showView);
  replay.link?.addEventListener("click", copy);
  replay.four?.addEventListener("click", () => setFour(root.contains("two")));
  if (replay.ask) explains(replay.ask, replay.stage);
  addEventListener("resize", () => {
    replay.fitted = 0;
    replay.stage.style.removeProperty("--fit");
    replay.fit();
  });
  replay.help?.addEventListener("click", () => replay.keysDialog.showModal());
  replay.log.addEventListener("click", (event) => {
    const entry = event.target.closest("[data-step]");
    if (entry) { replay.stop(); replay.show(Number(entry.dataset.step)); }
  });
  player.addEventListener("arena-stop", () => replay.stop());
  if (player.dataset.embedded) return replay; // one of several: mouse only
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || replay.keysDialog.open) return;
    const inField = event.target.matches("select, input:not(.seek), textarea");
    // A dialog that has just closed keeps its button in focus until the next frame.
    const onButton = event.target.matches("button, a, summary") && !event.target.closest("dialog");
    const keys = {
      " ": () => { if (onButton) return false; toggle(); },
      ArrowLeft: () => (event.shiftKey ? replay.toMoment(-1) : replay.go(-1)),
      ArrowRight: () => (event.shiftKey ? replay.toMoment(1) : replay.go(1)),
      Home: () => { replay.stop(); replay.show(0); },
      End: () => { replay.stop(); replay.show(replay.last); },
      "+": () => faster(1), "-": () => faster(-1), "−": () => faster(-1),
      v: () => { replay.view.selectedIndex = (replay.view.selectedIndex + 1) % replay.view.options.length; showView(); },
      l: () => replay.theatre.classList.toggle("nolog"),
      s: () => setFour(root.contains("two")),
      c: copy,
      e: () => replay.ask.click(),
      t: () => { const { turning } = replay.data.ending; if (turning !== null) { replay.stop(); replay.show(turning, { spoken: true }); } },
      "?": () => replay.keysDialog.showModal(),
    };
    const act = keys[event.key] || keys[event.key.toLowerCase()];
    if (!act || inField) return;
    if (act() !== false) event.preventDefault();
  });
  return replay;
}

// In a file with many replays a box opens each; the projector opens its own.
for (const box of document.querySelectorAll("details.replaybox")) {
  box.addEventListener("toggle", () => open(box.querySelector(".player")), { once: true });
}
if (!root.contains("screen")) {
  for (const player of document.querySelectorAll(".player[data-steps]")) player.opened = open(player); // for explained.js
}
