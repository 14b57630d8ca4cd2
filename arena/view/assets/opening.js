// Boxes of brackets that open one after another when the host shows results.

import { findAll, mayMove } from "./dom.js";

const BOX_IN = 1200; // ms

/** What the boxes of brackets said at the last look; null before the first one. @type {string[] | null} */
let said = null;

function boxes() { return findAll(HTMLElement, ".tablebox"); }

/** The boxes of brackets that say something else than at the last look. */
export function newBoxes() { return boxes().filter((box, at) => said !== null && said[at] !== box.textContent); }

/** @param {Element} box */
function isOver(box) { return box.querySelector(".slot.on") !== null; }

/** When a box opens: those with a result before those to which the winners go on, and the final last. @param {Element} box */
function turnOf(box) { return Number(!isOver(box)) * 2 + Number(/final$/.test(box.querySelector(".boxhead")?.textContent ?? "")); }

/** Opens these boxes, one after another. */
export function openBoxes() {
  const fresh = newBoxes();
  said = boxes().map((box) => box.textContent);
  if (mayMove()) fresh.sort((one, other) => turnOf(one) - turnOf(other)).forEach((box, at) => open(box, at * BOX_IN));
}

/** Lets the bars of a box grow, and then says its scores; or says its names. @param {Element} box @param {number} delay */
function open(box, delay) {
  const over = isOver(box), grown = over ? delay + BOX_IN * 0.7 : delay;
  for (const bar of findAll(SVGElement, ".meter", box)) {
    const from = { transform: "scaleX(0)", transformOrigin: "left" }, to = { transform: "none", transformOrigin: "left" };
    bar.animate([from, to], { duration: BOX_IN * 0.7, delay, fill: "backwards", easing: "ease-in-out" });
  }
  for (const each of findAll(HTMLElement, over ? ".ends, .boxfoot" : ".name, .seed", box)) {
    each.animate([{ opacity: 0 }, { opacity: 1 }], { duration: BOX_IN * 0.3, delay: grown, fill: "backwards" });
  }
  const even = { fontWeight: 400, color: "var(--ink)" }; // who has won does not show before
  if (over) for (const slot of findAll(HTMLElement, ".slot", box)) slot.animate([even, even], { duration: grown });
}
