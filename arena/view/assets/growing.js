// Lines of scores that draw themselves: whole, or what they have grown by since they were looked at last.

import { findAll, mayMove } from "./dom.js";

const DRAWN_IN = 1600; // ms

/** How many moments the lines of a drawing had. @type {WeakMap<Element, number>} */
const had = new WeakMap();

/** @param {Element} drawing */
function momentsOf(drawing) { return Math.max(...findAll(SVGPolylineElement, "polyline", drawing).map((line) => line.points.length)); }

/** Lets the lines of a drawing draw themselves, from a share of their width on. @param {Element} drawing */
export function drawLines(drawing, from = 0) {
  if (!mayMove()) return;
  const cut = (/** @type {number} */ share) => ({ clipPath: `inset(-2% ${100 - 100 * share}% -2% -2%)` });
  drawing.animate([cut(from), cut(1.02)], { duration: DRAWN_IN, easing: "ease-in-out" });
}

/** The drawings whose lines have more moments than at the last look, and that are shown: these are drawn. */
export function drawGrown() {
  return findAll(SVGElement, ".plot > svg").filter((drawing) => {
    const before = had.get(drawing), now = momentsOf(drawing);
    had.set(drawing, now);
    if (before === undefined || now <= before) return false;
    drawLines(drawing, (before - 1) / (now - 1));
    return true;
  });
}
