// The scores of a finished game over time: a line for each seat, and the last lead change.

import { element, make } from "./dom.js";
import { emblemOf } from "./emblem.js";

/** @import { Emblem, Ending } from "../data" */

/** @typedef {{ ending: Ending, names: string[], emblems?: Emblem[], places?: number[] }} Scored */

/** The classes of the line of a seat. @param {number} seat @param {Emblem} [emblem] */
export function lineOf(seat, emblem) { return `s${seat} ${emblem ? `hue-${emblem[0]}` : ""}`; }

/**
 * Adds a line to a legend. Returns the place of its value.
 * @param {Element} legend @param {string} classes @param {string} name @param {Emblem} [emblem]
 */
export function addToLegend(legend, classes, name, emblem) {
  const key = make("span", "", legend);
  element("path", { d: "M0 4H22", class: classes }, element("svg", { viewBox: "0 0 22 8", "aria-hidden": "true" }, key));
  if (emblem) key.append(emblemOf(emblem));
  make("bdi", "", key, name);
  return make("b", "", key);
}

/** The step of a chart under the pointer; `last` is at its right end. @param {MouseEvent} event @param {Element} chart @param {number} last */
export function stepUnder(event, chart, last) {
  const box = chart.getBoundingClientRect();
  return Math.max(0, Math.min(last, Math.round((event.clientX - box.left) / box.width * last)));
}

/** The chart and its legend. */
class Scores {
  /**
   * @param {HTMLElement} place  the place to fill
   * @param {Scored} data  a game with scores
   * @param {(step: number) => void} go  goes to a step
   */
  constructor(place, data, go) {
    const { scores, sign, marked, mark: called } = data.ending;
    this.names = data.names;
    this.scores = scores;
    this.sign = sign;
    this.unit = data.ending.unit[1];
    this.at = 0;
    this.last = scores[0].length - 1;
    const all = scores.flat(), top = Math.max(...all);
    this.range = Math.max(1, top - Math.min(...all));
    const legend = make("div", "legend", place);
    const chart = make("div", "lines", place);
    const svg = element("svg", { viewBox: `0 0 ${Math.max(1, this.last)} ${this.range}`, preserveAspectRatio: "none", "aria-hidden": "true" }, chart);
    if (top >= 0 && top <= this.range) element("path", { d: `M0 ${top}H${this.last}`, class: "line-of zero" }, svg);
    this.here = element("path", { class: "line-of here" }, svg);
    this.values = scores.map((line, seat) => {
      const emblem = data.emblems?.[seat];
      const classes = `line-of ${lineOf(seat, emblem)}${data.places?.[seat] === 1 ? " first" : ""}`;
      element("polyline", { points: line.map((score, at) => `${at},${top - score}`).join(" "), class: classes }, svg);
      return addToLegend(legend, classes, data.names[seat], emblem);
    });
    this.when = make("span", "dim", legend);
    this.show(0);
    chart.addEventListener("pointermove", (event) => this.tell(stepUnder(event, svg, this.last)));
    chart.addEventListener("pointerleave", () => this.tell(this.at));
    chart.addEventListener("click", (event) => go(stepUnder(event, svg, this.last)));
    if (marked === null) return;
    const mark = make("button", "lead-change", chart, "◆");
    mark.title = `${called}: step ${marked}`;
    mark.setAttribute("aria-label", mark.title);
    mark.style.left = `${100 * marked / this.last}%`;
    mark.addEventListener("click", (event) => { event.stopPropagation(); go(marked); });
  }

  /** Moves the line of the present step. @param {number} at */
  show(at) {
    this.at = at;
    this.here.setAttribute("d", `M${at} 0V${this.range}`);
    this.tell(at);
  }

  /** Tells the scores at a step. @param {number} at */
  tell(at) {
    this.values.forEach((value, seat) => { value.textContent = this.said(seat, at); });
    this.when.textContent = at === this.at ? "" : `at step ${at}`;
  }

  /** The score of a seat at a step, as people say it. @param {number} seat @param {number} at */
  said(seat, at) { return String(this.sign * this.scores[seat][at] || 0); }

  /** The scores at a step in words. @param {number} at */
  words(at) { return `: ${this.names.map((name, seat) => `${name} ${this.said(seat, at)}`).join(", ")} ${this.unit}`; }
}

/**
 * Fills a place with the scores of a game. Returns null, and hides the place, if the game has none.
 * @param {HTMLElement} place @param {Scored} data @param {(step: number) => void} go
 */
export function drawScores(place, data, go) {
  place.replaceChildren();
  place.hidden = !data.ending.scores.length;
  return place.hidden ? null : new Scores(place, data, go);
}
