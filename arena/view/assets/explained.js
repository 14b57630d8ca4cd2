// The explanation of a finished game: what each decision cost, and how the expected scores went. It asks the page
// what is known, has it computed if the person wishes, and shows it below the replay and at its steps.

import { element } from "./cards.js";
import { counted, emblemOf, make, sentence } from "./stage.js";

const LOOK = 1000; // ms between two looks while it is computed
const LISTED = 10; // mistakes
const EFFECTS = ["deal", "luck", "own play", "others"];

class Explanation {
  constructor(section, replay) {
    Object.assign(this, { section, replay });
    this.body = section.querySelector(".told");
    this.status = document.getElementById("status");
    [this.button, this.link] = ["explain", "to-explained"].map((id) => document.getElementById(id));
    this.button.addEventListener("click", () => this.ask());
  }

  async look(options) {
    let answer;
    try { answer = await fetch(this.section.dataset.explained, options); } catch { answer = null; }
    if (answer?.ok) this.show(await answer.json());
    else if (options || this.state === "failed") this.fail(answer ? await answer.text() : "The page does not answer; try again.");
    else if (this.state) setTimeout(() => this.look(), LOOK);
  }

  ask() {
    this.button.hidden = true;
    this.asked = true;
    this.look({ method: "POST", body: new URLSearchParams({ word: this.word }) });
  }

  say(text) { this.status.textContent = text; }

  show({ state, word, share, ahead, why, found }) {
    const before = this.state;
    Object.assign(this, { state, word });
    const busy = state === "waiting" || state === "running";
    this.button.hidden = !word || busy || state === "found";
    this.section.hidden = state === "unknown";
    this.link.hidden = !busy && state !== "found";
    this.link.textContent = busy ? "Being explained" : "Explanation";
    if (busy) {
      this.progress(share, ahead);
      if (!before || before === "unknown" || before === "failed") this.say("This game is being explained.");
      setTimeout(() => this.look(), LOOK);
    } else if (state === "failed") this.fail(why);
    else if (state === "found") {
      if (before && before !== "unknown") this.say("This game is explained below.");
      this.draw(found);
    }
    if (this.asked && busy) this.section.scrollIntoView({ block: "nearest" });
    this.asked &&= !busy;
  }

  progress(share, ahead) {
    if (!this.bar) {
      this.body.replaceChildren();
      const line = make("p", "progress", this.body);
      this.bar = make("progress", "", line);
      this.bar.setAttribute("aria-label", "This game is being explained");
      this.part = make("span", "", line);
      make("p", "note", this.body, "Every action is tried in many positions that fit what the seat knew. It may take some minutes; you may leave this page.");
    }
    this.bar.value = share;
    const percent = `${Math.round(share * 100)} %`;
    this.part.textContent = ahead ? `after ${counted(ahead, "other game")}` : percent;
  }

  fail(why) {
    this.state = "failed";
    this.bar = null;
    this.section.hidden = false;
    this.link.hidden = true;
    this.button.hidden = !this.word;
    this.body.replaceChildren();
    make("p", "banner", this.body, why);
    this.say(why);
  }

  // --- What was found ---

  draw(found) {
    this.bar = null;
    this.found = found;
    this.body.replaceChildren();
    const columns = make("div", "explained-columns", this.body);
    this.drawCurves(make("div", "", columns));
    this.list(make("div", "", columns));
    this.table(this.body);
    this.replay.explanation = this;
    this.replay.show(this.replay.at);
  }

  nameOf(seat) { return this.replay.data.names[seat]; }

  // The expected score of each seat, with its band of error.
  drawCurves(place) {
    const { last, seats } = this.found, { emblems, names } = this.replay.data;
    make("h3", "", place, "Expected score");
    const legend = make("div", "legend", place);
    this.when = make("p", "dim when", place);
    const plot = element("svg", { class: "expected", role: "img", "aria-label": `Expected score of each bot over the game. ${seats.map((each) => `${names[each.seat]} ends with ${each.score}`).join(", ")}.` }, place);
    const text = (words, x, y, attributes) => { element("text", { x: `${x}%`, y: `${y}%`, ...attributes }, plot).textContent = words; };
    for (const score of [100, 50, 0]) {
      element("line", { class: "grid", x1: 0, x2: "100%", y1: `${100 - score}%`, y2: `${100 - score}%` }, plot);
      text(score, 0, 100 - score, { dx: -6, dy: 4, "text-anchor": "end" });
    }
    const inner = element("svg", { viewBox: `0 0 ${Math.max(1, last)} 100`, preserveAspectRatio: "none" }, plot);
    this.here = element("path", { class: "line-of here" }, inner);
    const pointsOf = (points) => points.map(([at, score]) => `${at},${(100 - score).toFixed(1)}`).join(" ");
    const kindOf = ({ seat }) => `s${seat} ${emblems ? `hue-${emblems[seat][0]}` : ""}`;
    const limits = ({ points, result }, sign) => [...points.map(([at, score, error]) => [at, Math.min(100, Math.max(0, score + sign * error))]), [last, result]];
    for (const each of seats) element("polygon", { class: `band ${kindOf(each)}`, points: `${pointsOf(limits(each, 1))} ${pointsOf(limits(each, -1).reverse())}` }, inner);
    this.values = seats.map((each) => {
      const kind = `line-of ${kindOf(each)}`;
      element("polyline", { class: kind, points: pointsOf([...each.points, [last, each.result]]) }, inner);
      const key = make("span", "", legend);
      element("path", { d: "M0 4H22", class: kind }, element("svg", { viewBox: "0 0 22 8", "aria-hidden": "true" }, key));
      if (emblems) key.append(emblemOf(emblems[each.seat]));
      make("bdi", "", key, names[each.seat]);
      return make("b", "", key);
    });
    for (const { ply, score } of this.found.mistakes.slice(0, LISTED)) text("▼", 100 * ply / Math.max(1, last), 100 - score, { class: "lost", dy: -5 });
    const stepAt = (event) => {
      const box = plot.getBoundingClientRect();
      return Math.max(0, Math.min(last, Math.round((event.clientX - box.left) / box.width * last)));
    };
    plot.addEventListener("pointermove", (event) => this.tell(stepAt(event)));
    plot.addEventListener("pointerleave", () => this.tell(this.replay.at));
    plot.addEventListener("click", (event) => this.go(stepAt(event)));
    make("p", "note", place, `What each bot could expect of 100, as far as it knew the cards; 50 is an even share. ${this.found.by.length ? `The ${this.found.by.join(" or ")} policy plays each position to its end. ` : ""}The bands are margins of error. ▼ marks a mistake of the list.`);
  }

  // The mistakes, the most expensive first; each leads to its position, as the seat saw it.
  list(place) {
    const { mistakes } = this.found, shown = mistakes.slice(0, LISTED);
    make("h3", "", place, mistakes.length > LISTED ? `The ${LISTED} most expensive of ${mistakes.length} mistakes` : "Mistakes, the most expensive first");
    if (!shown.length) make("p", "", place, "No decision was certainly a mistake.");
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
  }

  viewOf(seat) { return this.replay.player.dataset.open === "yes" ? String(seat) : "public"; }

  choiceOf({ seat, choice, fault }) {
    return [make("bdi", "", null, this.nameOf(seat)), `: `, ...sentence(choice, this.replay.data.names), fault ? ` (played for it: ${fault})` : ""];
  }

  betterOf({ better }) { return sentence(better, this.replay.data.names); }

  // What made the result of each seat.
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
      if (this.replay.data.emblems) name.append(emblemOf(this.replay.data.emblems[each.seat]));
      make("bdi", "", name, this.nameOf(each.seat));
      for (const value of [each.score, each.cost, each.mistakes, each.unsure, each.decisions, ...(whole ? [...each.sources, each.error] : [])]) make("td", "n", row, value);
    }
  }

  // Goes to a step of the replay; `view` is the view in which it is shown.
  go(at, view) {
    const { replay } = this;
    replay.stop();
    replay.show(at, { spoken: true });
    if (view && replay.view.value !== view) {
      replay.view.value = view;
      replay.view.dispatchEvent(new Event("change"));
    }
    replay.player.scrollIntoView({ block: "start" });
    replay.seek.focus({ preventScroll: true });
  }

  // --- At a step of the replay ---

  // Moves the line of the present step.
  at(step) {
    this.here.setAttribute("d", `M${step} 0V100`);
    this.tell(step);
  }

  // Tells the scores that were expected at a step.
  tell(step) {
    this.found.seats.forEach(({ points, score }, number) => {
      const known = points.filter(([at]) => at <= step).at(-1);
      const over = step >= this.found.last;
      this.values[number].textContent = over ? score : known ? `${Math.round(known[1])} ± ${Math.round(known[2])}` : "–";
    });
    this.when.textContent = `step ${step}`;
  }

  // What is said of the decision that was just made, and of the one that comes next.
  notes(step, view) {
    const hidden = (mistake) => view !== "all" && String(view) !== this.viewOf(mistake.seat);
    const near = this.found.mistakes.filter((each) => !hidden(each) && (each.ply === step || each.ply + 1 === step));
    return near.sort((one, other) => one.ply - other.ply).map((each) => {
      const note = make("span", "better");
      note.append(...(each.ply === step ? ["next, ", ...this.choiceOf(each), "; "] : []), ...this.betterOf(each));
      return note;
    });
  }
}

const section = document.getElementById("explained"), player = document.querySelector(".player[data-steps]");
player.opened.then((replay) => { if (replay) new Explanation(section, replay).look(); });
