// Draws the cards in the drawer "How to play", and fetches its text for another game.

import { back, face, numberFace } from "./cards.js";
import { find, findAll, get, pageIn } from "./dom.js";

/** @param {string} text */
function sign(text) {
  if (/^\d+$/.test(text)) return face(Number(text));
  if (/^n\d+$/.test(text)) return numberFace(Number(text.slice(1)));
  return text === "back" || text === "brown" ? back(text === "brown") : text;
}

/** @param {ParentNode} root */
function drawScenes(root) {
  for (const scene of findAll(HTMLElement, ".scene:empty", root)) scene.append(...(scene.dataset.cards ?? "").split(" ").map(sign));
}

/** Puts the text of a game into the drawer of this page. @param {string} game */
export async function showHowTo(game) {
  const drawer = document.getElementById("how-to"), told = drawer && find(HTMLElement, ".how-to", drawer);
  if (!told || told.dataset.game === game) return;
  const answer = await fetch(`/how-to/${encodeURIComponent(game)}`).catch(() => null);
  if (!answer?.ok) return;
  const page = await pageIn(answer), title = get(HTMLElement, "h1", page).textContent ?? "";
  told.replaceWith(document.importNode(get(HTMLElement, ".how-to", page), true));
  get(HTMLElement, "h2", drawer).textContent = title;
  drawer.setAttribute("aria-label", title);
  drawScenes(drawer);
}

drawScenes(document);
