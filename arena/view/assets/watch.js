// A running table, step by step: the replay's stage, fed by the event stream.

import { explains, freshness, logEntry, make, momentOf, sentence, stageFor } from "./stage.js";

const STEP = 700; // milliseconds between two single steps
const MOVE = 420;
const LOG = 200; // lines of the log in the page
const SPEAK = 5000;
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");

export class Watching {
  constructor(player, number) {
    this.number = number;
    this.waiting = []; // steps that are not shown yet
    this.next = null; // the first missing step
    for (const part of ["stage", "moment", "log", "end"]) this[part] = player.querySelector(`.${part}`);
    this.title = player.querySelector(".tabletitle");
  }

  // Fetches the missing ones of so many steps.
  async reach(count) {
    if (this.gone && count > 0) this.again();
    this.wanted = count;
    if (this.asking || this.over || count === this.next) return;
    this.asking = true;
    try {
      const answer = await fetch(`/tables/${this.number}/steps${this.next === null ? "" : `?from=${this.next}`}`);
      if (answer.ok) this.take(await answer.json());
      else if (answer.status === 404) this.finish({ end: "gone" });
    } catch { /* the stream reports its return */ }
    this.asking = false;
    if (this.wanted !== count) this.reach(this.wanted); // told meanwhile
  }

  // Shows the table anew after a break.
  again() {
    this.gone = this.over = false;
    this.next = null;
    this.log?.replaceChildren();
    this.end?.replaceChildren(...this.live);
  }

  take(news) {
    if (news.picture) {
      this.begin(news);
      this.picture = news.picture;
      this.waiting = [];
      news.steps.forEach((step, at) => this.write(step, news.first + at));
      this.draw(news.steps.at(-1), false);
    } else if (news.steps.length) {
      news.steps.forEach((step, at) => this.waiting.push([step, news.first + at]));
    }
    this.next = news.count;
    this.ending = news.end ? news : null;
    if (!this.timer) this.on();
  }

  begin(news) {
    this.data = { game: news.game, seats: news.seats, names: news.names, emblems: news.emblems };
    this.stage.dataset.game = news.game;
    this.title?.replaceChildren(`${news.title}: `, ...sentence(news.names.flatMap((_, at) => (at ? [" – ", at] : [at])), news.names));
    this.table = stageFor(this.stage, this.data);
  }

  // Shows the next step; if many wait, all but the last at once.
  on() {
    this.timer = null;
    const many = this.waiting.length > 6;
    while (this.waiting.length) {
      const [step, at] = this.waiting.shift();
      Object.assign(this.picture, step.changed);
      this.write(step, at);
      if (many && this.waiting.length) continue;
      this.draw(step, !many);
      break;
    }
    if (this.waiting.length) this.timer = setTimeout(() => this.on(), STEP / Math.max(1, this.waiting.length / 2));
    else if (this.ending) this.finish(this.ending);
  }

  draw(step, moving) {
    this.table.show(this.picture, { move: moving && !REDUCED.matches ? MOVE : 0, fresh: freshness(step), tone: step.tone });
    this.moment.className = `moment${step.tone ? ` tone-${step.tone}` : ""}`;
    this.moment.replaceChildren(...momentOf(step, this.data.names));
    if (step.tone && Date.now() - (this.spokenAt || 0) > SPEAK) {
      this.spokenAt = Date.now();
      const status = document.getElementById("status");
      if (status) status.textContent = this.moment.textContent;
    }
  }

  write(step, at) {
    if (!this.log) return;
    const atEnd = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 40;
    this.log.querySelector(".now")?.classList.remove("now");
    const entry = logEntry(step.log, at, this.data.names);
    entry.classList.add("now");
    this.log.append(entry);
    while (this.log.children.length > LOG) this.log.firstElementChild.remove();
    if (atEnd) this.log.scrollTop = this.log.scrollHeight;
  }

  finish(news) {
    if (this.over) return;
    this.over = true;
    this.gone = news.end === "gone";
    this.onEnd?.();
    if (!this.end) return;
    const words = { over: "The game is over. ", void: "The game is void: the referee plays it again.", gone: "This table cannot be watched now." };
    this.live = [...this.end.childNodes];
    this.end.textContent = words[news.end];
    if (news.end === "over") make("a", "", this.end, "Watch the replay").href = `/games/${news.key}`;
  }
}

const player = document.querySelector("html:not(.screen) .watch");
if (player) {
  const watching = new Watching(player, player.dataset.table);
  watching.reach(-1);
  explains(document.querySelector(".ask"), watching.stage);
  document.addEventListener("arena-tables", (event) => {
    const count = event.detail[player.dataset.table];
    if (count !== undefined) watching.reach(count);
    else if (watching.next !== null) watching.reach(-1);
  });
}
