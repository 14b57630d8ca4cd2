// Draws the cards of scenes: lines of cards that the page tells by their numbers.

import { back, face, numberFace } from "./cards.js";
import { findAll } from "./dom.js";

/** @param {string} text */
function sign(text) {
  if (/^\d+$/.test(text)) return face(Number(text));
  if (/^n\d+$/.test(text)) return numberFace(Number(text.slice(1)));
  return text === "back" || text === "brown" ? back(text === "brown") : text;
}

/** @param {ParentNode} root */
export function drawScenes(root) {
  for (const scene of findAll(HTMLElement, "[data-cards]:empty", root)) scene.append(...(scene.dataset.cards ?? "").split(" ").map(sign));
}

drawScenes(document);
document.addEventListener("arena-fresh", () => drawScenes(document));
