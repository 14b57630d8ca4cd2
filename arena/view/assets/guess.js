// "Your turn": at the last lead change of a game the viewer guesses what was played, before it is shown, and learns what
// became of it. The guess stays in the browser.

import { announce, get, make } from "./dom.js";
import { sentence } from "./stage.js";

/** @import { Guess, AtMark, Words } from "../data" */
/** @import { Player } from "./replay.js" */

const OFFERED = 6; // actions, at the most
const VERDICTS = {
  mistake: "By the analysis, what was played was a mistake.",
  best: "By the analysis, what was played was the best.",
  close: "The analysis finds the two best actions about equally good.",
  "cannot tell": "The analysis cannot tell which action is best.",
};

/** The question in the dock of a replay, and its answer. */
export class Question {
  /**
   * @param {Player} replay
   * @param {Guess} guess
   * @param {HTMLButtonElement} explain  has the game explained; hidden if this person may not
   */
  constructor(replay, guess, explain) {
    this.replay = replay;
    this.guess = guess;
    this.explain = explain;
    /** What an analysis found here. @type {AtMark | null} */
    this.found = null;
    this.button = get(HTMLButtonElement, "#your-turn");
    this.button.hidden = false;
    this.button.addEventListener("click", () => this.ask());
    this.box = make("div", "guess", get(HTMLElement, ".dock", replay.player));
    this.box.hidden = true;
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (replay.asking && event.key === "Escape") { this.close(); this.button.focus(); } else if (!replay.asking && !replay.keysDialog.open && event.key.toLowerCase() === "y" && !(event.target instanceof HTMLSelectElement)) this.ask();
    });
  }

  /** @param {boolean} asking @param {boolean} told  whether the answer is shown */
  mark(asking, told) {
    this.replay.asking = asking;
    this.box.hidden = !asking;
    this.replay.theatre.classList.toggle("asking", asking);
    this.replay.theatre.classList.toggle("told", told);
  }

  /** Shows the position before the last lead change, and asks. */
  ask() {
    const { replay, guess } = this;
    replay.stop();
    replay.show(guess.step - 1);
    this.mark(true, false);
    this.box.replaceChildren();
    const title = make("h2", "", this.box);
    title.append(...sentence(["Your turn: what would you play as ", guess.seat, "?"], replay.data.names));
    title.tabIndex = -1;
    const list = make("ul", "", this.box);
    for (const action of this.offered()) {
      const button = make("button", "control", make("li", "", list));
      make("span", "", button).append(...this.wordsOf(action));
      button.addEventListener("click", () => this.tell(action));
    }
    this.leave("Not now", () => this.button.focus());
    replay.fitAgain();
    replay.player.scrollIntoView({ block: "nearest" });
    title.focus({ preventScroll: true });
  }

  /** The actions to choose from, in the game's order: the one that was played, the best ones if that is known. */
  offered() {
    const { guess: { actions, chosen }, found } = this, all = actions.map((_, action) => action);
    const others = all.filter((action) => action !== chosen);
    /** @type {(action: number) => number} */
    const worth = (action) => (action === found?.best ? Infinity : Number(found?.tried[action][0]));
    const most = OFFERED - 1, some = found ? others.sort((one, other) => worth(other) - worth(one)).slice(0, most)
      : others.filter((_, at) => others.length <= most || Math.floor(at * most / others.length) !== Math.floor((at - 1) * most / others.length));
    return [chosen, ...some].sort((one, other) => one - other);
  }

  /** Shows what was played, and what became of it. @param {number} picked */
  tell(picked) {
    this.replay.show(this.guess.step, { moving: true });
    this.mark(true, true);
    this.answer(picked);
    announce([...this.box.querySelectorAll("h2, p")].map((each) => each.textContent).join(" "));
    get(HTMLButtonElement, ".main", this.box).focus({ preventScroll: true });
  }

  /** The answer, as far as it is known. @param {number} picked */
  answer(picked) {
    const { replay: { data }, guess: { seat, step, chosen }, found } = this;
    this.box.replaceChildren();
    make("h2", "", this.box, picked === chosen ? "You would play the same." : "You would play otherwise.");
    make("p", "", this.box).append(...sentence(data.steps[step].say, data.names));
    if (found) {
      const list = make("ul", "tried", this.box);
      /** @param {Words} who @param {number} action */
      const line = (who, action) => make("li", "", list).append(...sentence(who, data.names), ": ", ...this.wordsOf(action), `, ${found.tried[action].join(" ± ")} of 100`);
      if (picked !== chosen) line(["you"], picked);
      line([seat], chosen);
      if (found.best !== chosen && found.best !== picked) line(["the best"], found.best);
      make("p", "", this.box, VERDICTS[found.verdict]);
    } else {
      const winner = data.places.indexOf(1);
      make("p", "", this.box).append(...sentence(["From here on ", winner, " was ahead to the end. ", ...data.ending.sentence], data.names));
    }
    this.leave("Watch on", () => { this.replay.play.focus(); this.replay.start(); }).classList.add("main");
    if (!found && !this.explain.hidden) this.leave("Explain this game", () => this.explain.click());
    this.replay.fitAgain();
  }

  /** What the analysis found is known. @param {AtMark | null} found */
  learn(found) { this.found = found; }

  /** @param {number} action */
  wordsOf(action) { return sentence(this.guess.actions[action], this.replay.data.names); }

  /** A button that ends this, and then does something. @param {string} words @param {() => void} then */
  leave(words, then) {
    const button = make("button", "control", this.box, words);
    button.addEventListener("click", () => { this.close(); then(); });
    return button;
  }

  /** Shows the usual replay again. */
  close() {
    this.mark(false, false);
    this.replay.show(this.replay.at);
    this.replay.fitAgain();
  }
}
