// A running table, step by step: the replay's stage, fed by the event stream.

import { announce, find, get, make } from "./dom.js";
import { explains, freshness, logEntry, momentOf, sentence, showMoment, sizeFor, stageFor, travelTime } from "./stage.js";

/** @import { FirstSteps, NextSteps, Picture, Step } from "../data" */
/** @import { Stage } from "./stage.js" */

const STEP = 700; // milliseconds between two single steps
const LOG = 200; // lines of the log in the page
const SPEAK = 5000;

export class Watching {
  /** @param {HTMLElement} player @param {number} number  the table's */
  constructor(player, number) {
    this.number = number;
    this.stage = get(HTMLElement, ".stage", player);
    this.moment = get(HTMLElement, ".moment", player);
    this.log = find(HTMLElement, ".log", player); // these are on the table's own page alone
    this.end = find(HTMLElement, ".end", player);
    this.title = find(HTMLElement, ".tabletitle", player); // on the projector
    /** Steps that are not shown yet, and their numbers. @type {[step: Step, at: number][]} */
    this.waiting = [];
    /** The first missing step. @type {number | null} */
    this.next = null;
    /** How many steps the table has; below 0 if it has ended. */
    this.wanted = 0;
    this.asking = this.over = this.gone = false;
    this.timer = 0;
    this.spokenAt = 0;
    /** How the game ended, until it is told. @type {NextSteps | null} */
    this.ending = null;
    /** What `end` had before it told the end. @type {ChildNode[]} */
    this.live = [];
    /** The game and its present picture. @type {{ table: Stage, names: string[], picture: Picture } | null} */
    this.shown = null;
    /** The size of the cards on the table's own page; 0 at first. */
    this.size = 0;
    /** Called when the game is over. @type {(() => void) | null} */
    this.onEnd = null;
  }

  /** Fetches the missing ones of so many steps. @param {number} count */
  async reach(count) {
    if (this.gone && count > 0) this.again();
    this.wanted = count;
    if (this.asking || this.over || count === this.next) return;
    this.asking = true;
    try {
      const answer = await fetch(`/tables/${this.number}/steps${this.next === null ? "" : `?from=${this.next}`}`);
      if (answer.ok) this.take(await answer.json());
      else if (answer.status === 404) this.finish("gone");
    } catch { /* the stream reports its return */ }
    this.asking = false;
    if (this.wanted !== count) this.reach(this.wanted); // told meanwhile
  }

  /** Shows the table anew after a break. */
  again() {
    this.gone = this.over = false;
    this.next = null;
    this.log?.replaceChildren();
    this.end?.replaceChildren(...this.live);
  }

  /** @param {FirstSteps | NextSteps} news */
  take(news) {
    if ("picture" in news) {
      this.shown = { ...this.begin(news), picture: news.picture };
      this.waiting = [];
      news.steps.forEach((step, at) => this.write(step, news.first + at));
      this.draw(news.steps[news.steps.length - 1], false);
    } else news.steps.forEach((step, at) => this.waiting.push([step, news.first + at]));
    this.next = news.count;
    this.ending = news.end ? news : null;
    if (!this.timer) this.on();
  }

  /** Prepares the table. @param {FirstSteps} news @returns {{ table: Stage, names: string[] }} */
  begin(news) {
    this.stage.dataset.game = news.game;
    this.title?.replaceChildren(`${news.title}: `, ...sentence(news.names.flatMap((_, at) => (at ? [" – ", at] : [at])), news.names));
    return { table: stageFor(this.stage, news), names: news.names };
  }

  /** Shows the next step; if many wait, all but the last at once. */
  on() {
    this.timer = 0;
    const many = this.waiting.length > 6;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      const [step, at] = next;
      if (this.shown) Object.assign(this.shown.picture, step.changed);
      this.write(step, at);
      if (many && this.waiting.length) continue;
      this.draw(step, !many);
      break;
    }
    if (this.waiting.length) this.timer = setTimeout(() => this.on(), STEP / Math.max(1, this.waiting.length / 2));
    else if (this.ending) this.finish(this.ending.end, this.ending.key);
  }

  /** @param {Step} step @param {boolean} moving */
  draw(step, moving) {
    if (!this.shown) return;
    const { table, names, picture } = this.shown;
    table.show(picture, { move: moving ? travelTime() : 0, fresh: freshness(step), tone: step.tone });
    showMoment(this.moment, step.tone, momentOf(step, names));
    this.size = sizeFor(table, this.size);
    if (step.tone && Date.now() - this.spokenAt > SPEAK) {
      this.spokenAt = Date.now();
      announce(this.moment.textContent ?? "");
    }
  }

  /** @param {Step} step @param {number} at */
  write(step, at) {
    if (!this.log || !this.shown) return;
    const atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40;
    this.log.querySelector(".now")?.classList.remove("now");
    const entry = logEntry(step.log, at, this.shown.names);
    entry.classList.add("now");
    this.log.append(entry);
    while (this.log.children.length > LOG) this.log.firstElementChild?.remove();
    if (atEnd) this.log.scrollTop = this.log.scrollHeight;
  }

  /** @param {NextSteps["end"]} end @param {string} [key]  the game's */
  finish(end, key) {
    if (this.over) return;
    this.over = true;
    this.gone = end === "gone";
    this.onEnd?.();
    if (!this.end) return;
    const words = { "": "", over: "The game is over. ", void: "The game is void: the referee plays it again.", gone: "This table cannot be watched now." };
    this.live = [...this.end.childNodes];
    this.end.textContent = words[end];
    if (end === "over") make("a", "", this.end, "Watch the replay").href = `/games/${key}`;
  }
}

const player = find(HTMLElement, "html:not(.screen) .watch");
if (player) {
  const number = Number(player.dataset.table), watching = new Watching(player, number);
  watching.reach(-1);
  explains(get(HTMLElement, ".ask"), watching.stage);
  document.addEventListener("arena-tables", ({ detail: counts }) => {
    if (number in counts) watching.reach(counts[number]);
    else if (watching.next !== null) watching.reach(-1);
  });
}
