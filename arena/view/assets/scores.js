// The scores of a finished game over time: a line for each seat, and the turning point.

import { element } from "./cards.js";
import { emblemOf, make } from "./stage.js";

// Args: the place to fill; `data` with ending, names and emblems; `go`, which goes to a step, if that is possible.
export class Scores {
  constructor(place, data, go) {
    const { scores, sign, turning } = data.ending;
    Object.assign(this, { place, data, scores, sign, at: 0 });
    place.replaceChildren();
    place.hidden = !scores.length;
    if (!scores.length) return;
    this.last = scores[0].length - 1;
    const all = scores.flat(), top = Math.max(...all), range = Math.max(1, top - Math.min(...all));
    const legend = make("div", "legend", place);
    const chart = make("div", "lines", place);
    const svg = element("svg", { viewBox: `0 0 ${Math.max(1, this.last)} ${range}`, preserveAspectRatio: "none", "aria-hidden": "true" }, chart);
    if (top >= 0 && top <= range) element("path", { d: `M0 ${top}H${this.last}`, class: "line-of zero" }, svg);
    this.here = element("path", { class: "line-of here" }, svg);
    this.range = range;
    this.values = scores.map((line, seat) => {
      const hue = data.emblems ? `hue-${data.emblems[seat][0]}` : "";
      const kind = `line-of s${seat} ${hue}${data.places?.[seat] === 1 ? " first" : ""}`;
      element("polyline", { points: line.map((score, at) => `${at},${top - score}`).join(" "), class: kind }, svg);
      const key = make("span", "", legend);
      element("path", { d: "M0 4H22", class: kind }, element("svg", { viewBox: "0 0 22 8", "aria-hidden": "true" }, key));
      if (data.emblems) key.append(emblemOf(data.emblems[seat]));
      make("bdi", "", key, data.names[seat]);
      return make("b", "", key);
    });
    this.when = make("span", "dim", legend);
    this.show(0);
    if (!go) return;
    const stepAt = (event) => {
      const box = svg.getBoundingClientRect();
      return Math.max(0, Math.min(this.last, Math.round((event.clientX - box.left) / box.width * this.last)));
    };
    chart.addEventListener("pointermove", (event) => this.tell(stepAt(event)));
    chart.addEventListener("pointerleave", () => this.tell(this.at));
    chart.addEventListener("click", (event) => go(event.target.closest("button") ? turning : stepAt(event)));
    if (turning === null) return;
    const mark = make("button", "turning", chart, "◆");
    mark.title = `Turning point: step ${turning}`;
    mark.setAttribute("aria-label", mark.title);
    mark.style.left = `${100 * turning / this.last}%`;
  }

  // Moves the line of the present step.
  show(at) {
    this.at = at;
    if (!this.values) return;
    this.here.setAttribute("d", `M${at} 0V${this.range}`);
    this.tell(at);
  }

  // Tells the scores at a step.
  tell(at) {
    this.values.forEach((value, seat) => { value.textContent = this.sign * this.scores[seat][at] || 0; });
    this.when.textContent = at === this.at ? "" : `at step ${at}`;
  }

  // The same in words.
  words(at) {
    if (!this.values) return "";
    const one = this.data.ending.unit[1];
    return `: ${this.scores.map((line, seat) => `${this.data.names[seat]} ${this.sign * line[at] || 0}`).join(", ")} ${one}`;
  }
}
