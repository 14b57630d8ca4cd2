// Draws the cards in the drawer "How to play", and fetches its text for another game.

import { back, face, numberFace } from "./cards.js";

function sign(text) {
  if (/^\d+$/.test(text)) return face(Number(text));
  if (/^n\d+$/.test(text)) return numberFace(Number(text.slice(1)));
  return text === "back" || text === "brown" ? back(text === "brown") : text;
}

export function drawScenes(root = document) {
  for (const scene of root.querySelectorAll(".scene:empty")) scene.append(...scene.dataset.cards.split(" ").map(sign));
}

// Puts the text of a game into the drawer of this page.
export async function showHowTo(game) {
  const drawer = document.getElementById("how-to"), told = drawer?.querySelector(".how-to");
  if (!told || told.dataset.game === game) return;
  const answer = await fetch(`/how-to/${encodeURIComponent(game)}`).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector(".how-to"), title = page.querySelector("h1").textContent;
  told.replaceWith(document.importNode(fresh, true));
  drawer.querySelector("h2").textContent = title;
  drawer.setAttribute("aria-label", title);
  drawScenes(drawer);
}

drawScenes();
