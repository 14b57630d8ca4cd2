// The explanation of a finished game: what each decision cost, and how the expected scores went. It asks the page
// what is known, has it computed if the person wishes, and shows it below the replay and at its steps.

import { announce, element, get, make } from "./dom.js";
import { emblemOf } from "./emblem.js";
import { Question } from "./guess.js";
import { opened } from "./replay.js";
import { addToLegend, lineOf, stepUnder } from "./scores.js";
import { sentence } from "./stage.js";
import { counted } from "./words.js";

/** @import { Explained, ExplainedNow, ExplainedSeat, Mistake } from "../data" */
/** @import { Player } from "./replay.js" */

const LOOK = 1000; // ms between two looks while it is computed
const LISTED = 10; // mistakes
const EFFECTS = ["deal", "luck", "own play", "others"];

/** The section below a replay: it asks, shows how far the explanation is, and then what was found. */
class Explanation {
  /** @param {HTMLElement} section @param {Player} replay */
  constructor(section, replay) {
    this.section = section;
    this.replay = replay;
    this.body = get(HTMLElement, ".told", section);
    this.button = get(HTMLButtonElement, "#explain");
    this.link = get(HTMLElement, "#to-explained");
    /** What the page told last; empty before it told anything. @type {ExplainedNow["state"] | ""} */
    this.state = "";
    /** Whether this person may ask for an explanation. */
    this.may = false;
    /** Whether this person has just asked. */
    this.asked = false;
    /** The bar of progress while it is computed. @type {{ bar: HTMLProgressElement, part: HTMLElement } | null} */
    this.bar = null;
    this.button.addEventListener("click", () => this.ask());
    this.question = replay.data.guess && new Question(replay, replay.data.guess, this.button);
  }

  /** @param {RequestInit} [options] */
  async look(options) {
    let answer;
    try { answer = await fetch(this.section.dataset.explained ?? "", options); } catch { answer = null; }
    if (answer?.ok) this.show(await answer.json());
    else if (options || this.state === "failed") this.fail(answer ? await answer.text() : "The page does not answer; try again.");
    else if (this.state) setTimeout(() => this.look(), LOOK);
  }

  ask() {
    this.button.hidden = true;
    this.asked = true;
    this.look({ method: "POST" });
  }

  /** @param {ExplainedNow} now */
  show(now) {
    const before = this.state, { state, may } = now;
    this.state = state;
    this.may = may;
    const busy = state === "waiting" || state === "running";
    this.button.hidden = !may || busy || state === "found";
    this.section.hidden = state === "unknown";
    this.link.hidden = !busy && state !== "found";
    this.link.textContent = busy ? "Being explained" : "Explanation";
    if (now.state === "waiting" || now.state === "running") {
      this.progress(now.share, now.ahead);
      if (!before || before === "unknown" || before === "failed") announce("This game is being explained.");
      setTimeout(() => this.look(), LOOK);
    } else if (now.state === "failed") this.fail(now.why);
    else if (now.state === "found") {
      if (before && before !== "unknown") announce("This game is explained below.");
      this.bar = null;
      this.body.replaceChildren();
      this.replay.explanation = new Findings(this.body, this.replay, now.found);
      this.question?.learn(now.found.marked);
      this.replay.show(this.replay.at);
    }
    if (this.asked && busy) this.section.scrollIntoView({ block: "nearest" });
    this.asked &&= !busy;
  }

  /** @param {number} share @param {number} ahead */
  progress(share, ahead) {
    if (!this.bar) {
      this.body.replaceChildren();
      const line = make("p", "progress", this.body), bar = make("progress", "", line);
      bar.setAttribute("aria-label", "This game is being explained");
      this.bar = { bar, part: make("span", "", line) };
      make("p", "note", this.body, "Every action is tried in many positions that fit what the seat knew. It may take some minutes; you may leave this page.");
    }
    this.bar.bar.value = share;
    this.bar.part.textContent = ahead ? `after ${counted(ahead, "other game")}` : `${Math.round(share * 100)} %`;
  }

  /** @param {string} why */
  fail(why) {
    this.state = "failed";
    this.bar = null;
    this.section.hidden = false;
    this.link.hidden = true;
    this.button.hidden = !this.may;
    this.body.replaceChildren();
    make("p", "banner", this.body, why);
    announce(why);
  }
}

/** What was found: the curves, the mistakes, and what made the results. */
export class Findings {
  /** @param {HTMLElement} place @param {Player} replay @param {Explained} found */
  constructor(place, replay, found) {
    this.replay = replay;
    this.found = found;
    const columns = make("div", "explained-columns", place), curves = make("div", "", columns);
    make("h3", "", curves, "Expected score");
    this.legend = make("div", "legend", curves);
    this.when = make("p", "dim when", curves);
    const drawn = this.drawCurves(curves);
    this.here = drawn.here;
    this.values = drawn.values;
    this.list(make("div", "", columns));
    this.table(place);
  }

  /** @param {number} seat */
  nameOf(seat) { return this.replay.data.names[seat]; }

  /** The expected score of each seat, with its band of error. @param {HTMLElement} place */
  drawCurves(place) {
    const { last, seats } = this.found, { emblems, names } = this.replay.data;
    const plot = element("svg", { class: "expected", role: "img", "aria-label": `Expected score of each bot over the game. ${seats.map((each) => `${names[each.seat]} ends with ${each.score}`).join(", ")}.` }, place);
    /** @param {string | number} words @param {number} x @param {number} y @param {Record<string, string | number>} attributes */
    const text = (words, x, y, attributes) => { element("text", { x: `${x}%`, y: `${y}%`, ...attributes }, plot).textContent = String(words); };
    for (const score of [100, 50, 0]) {
      element("line", { class: "grid", x1: 0, x2: "100%", y1: `${100 - score}%`, y2: `${100 - score}%` }, plot);
      text(score, 0, 100 - score, { dx: -6, dy: 4, "text-anchor": "end" });
    }
    const inner = element("svg", { viewBox: `0 0 ${Math.max(1, last)} 100`, preserveAspectRatio: "none" }, plot);
    const here = element("path", { class: "line-of here" }, inner);
    /** @typedef {[step: number, score: number]} Point */
    const pointsOf = (/** @type {Point[]} */ points) => points.map(([at, score]) => `${at},${(100 - score).toFixed(1)}`).join(" ");
    const lineOfSeat = (/** @type {ExplainedSeat} */ { seat }) => lineOf(seat, emblems?.[seat]);
    /** @param {ExplainedSeat} seat @param {1 | -1} sign @returns {Point[]} */
    const limits = ({ points, result }, sign) => [...points.map(([at, score, error]) => /** @type {Point} */ ([at, Math.min(100, Math.max(0, score + sign * error))])), [last, result]];
    for (const each of seats) element("polygon", { class: `band ${lineOfSeat(each)}`, points: `${pointsOf(limits(each, 1))} ${pointsOf(limits(each, -1).reverse())}` }, inner);
    const values = seats.map((each) => {
      const classes = `line-of ${lineOfSeat(each)}`;
      element("polyline", { class: classes, points: pointsOf([...each.points.map(([at, score]) => /** @type {Point} */ ([at, score])), [last, each.result]]) }, inner);
      return addToLegend(this.legend, classes, names[each.seat], emblems?.[each.seat]);
    });
    for (const { ply, score } of this.found.mistakes.slice(0, LISTED)) text("▼", 100 * ply / Math.max(1, last), 100 - score, { class: "lost", dy: -5 });
    plot.addEventListener("pointermove", (event) => this.tell(stepUnder(event, plot, last)));
    plot.addEventListener("pointerleave", () => this.tell(this.replay.at));
    plot.addEventListener("click", (event) => this.go(stepUnder(event, plot, last)));
    make("p", "note", place, `What each bot could expect of 100, as far as it knew the cards; 50 is an even share. ${this.found.by.length ? `The ${this.found.by.join(" or ")} policy plays each position to its end. ` : ""}The bands are margins of error. ▼ marks a mistake of the list.`);
    return { here, values };
  }

  /** The mistakes, the most expensive first; each leads to its position, as the seat saw it. @param {HTMLElement} place */
  list(place) {
    const { mistakes } = this.found, shown = mistakes.slice(0, LISTED);
    make("h3", "", place, mistakes.length > LISTED ? `The ${LISTED} most expensive of ${mistakes.length} mistakes` : "Mistakes, the most expensive first");
    if (!shown.length) make("p", "", place, "No decision was found to be a mistake.");
    const list = make("ol", "mistakes", place);
    for (const mistake of shown) {
      const view = this.viewOf(mistake.seat);
      const link = make("a", "", make("li", "", list));
      link.href = `${location.pathname}?at=${mistake.ply}&view=${view}`;
      make("span", "line", link).append(`${mistake.ply + 1}. `, ...this.choiceOf(mistake));
      make("span", "line better", link).append(...this.betterOf(mistake));
      link.addEventListener("click", (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        this.go(mistake.ply, view);
      });
    }
    make("p", "note", place, this.found.note);
  }

  /** @param {number} seat */
  viewOf(seat) { return this.replay.player.dataset.open === "yes" ? String(seat) : "public"; }

  /** @param {Mistake} mistake */
  choiceOf({ seat, choice, fault }) {
    return [make("bdi", "", null, this.nameOf(seat)), `: `, ...sentence(choice, this.replay.data.names), fault ? ` (played for it: ${fault})` : ""];
  }

  /** @param {Mistake} mistake */
  betterOf({ better }) { return sentence(better, this.replay.data.names); }

  /** What made the result of each seat. @param {HTMLElement} place */
  table(place) {
    const { seats } = this.found, whole = seats.every((each) => each.sources.length);
    make("p", "note", place, whole ? "Each score is 50, an even share, and what the deal, luck, own play and the others' play added." : "Your own decisions. The rest is told when hands are shown.");
    const box = make("div", "scroll", place);
    Object.assign(box, { tabIndex: 0, ariaLabel: "What made the results" }).setAttribute("role", "region");
    const table = make("table", "sources", box);
    const head = make("tr", "", make("thead", "", table)), body = make("tbody", "", table);
    const heads = ["score", "cost", "mistakes", "cannot tell", "decisions", ...(whole ? [...EFFECTS, "±"] : [])];
    for (const [at, name] of ["bot", ...heads].entries()) make("th", at ? "n" : "", head, name).scope = "col";
    for (const each of seats) {
      const row = make("tr", "", body), first = make("th", "", row), name = make("span", "name", first);
      first.scope = "row";
      const emblem = this.replay.data.emblems?.[each.seat];
      if (emblem) name.append(emblemOf(emblem));
      make("bdi", "", name, this.nameOf(each.seat));
      for (const value of [each.score, each.cost, each.mistakes, each.unsure, each.decisions, ...(whole ? [...each.sources, each.error] : [])]) make("td", "n", row, value);
    }
  }

  /** Goes to a step of the replay; `view` is the view in which it is shown. @param {number} at @param {string} [view] */
  go(at, view) {
    const { replay } = this, views = get(HTMLSelectElement, ".view", replay.player);
    replay.go(at);
    if (view && views.value !== view) {
      views.value = view;
      views.dispatchEvent(new Event("change"));
    }
    replay.player.scrollIntoView({ block: "start" });
    replay.seek.focus({ preventScroll: true });
  }

  // --- At a step of the replay ---

  /** Moves the line of the present step. @param {number} step */
  at(step) {
    this.here.setAttribute("d", `M${step} 0V100`);
    this.tell(step);
  }

  /** Tells the scores that were expected at a step. @param {number} step */
  tell(step) {
    this.found.seats.forEach(({ points, score }, number) => {
      const known = points.filter(([at]) => at <= step).at(-1);
      const over = step >= this.found.last;
      this.values[number].textContent = over ? score : known ? `${Math.round(known[1])} ± ${Math.round(known[2])}` : "–";
    });
    this.when.textContent = `step ${step}`;
  }

  /**
   * What is said of the decision that was just made, and of the one that comes next.
   * @param {number} step @param {string | number} view
   */
  notes(step, view) {
    const hidden = (/** @type {Mistake} */ mistake) => view !== "all" && String(view) !== this.viewOf(mistake.seat);
    const near = this.found.mistakes.filter((each) => !hidden(each) && (each.ply === step || each.ply + 1 === step));
    return near.sort((one, other) => one.ply - other.ply).map((each) => {
      const note = make("span", "better");
      note.append(...(each.ply === step ? ["next, ", ...this.choiceOf(each), "; "] : []), ...this.betterOf(each));
      return note;
    });
  }
}

opened?.then((replay) => { if (replay) new Explanation(get(HTMLElement, "#explained"), replay).look(); });
