// The drawer "How to play": draws its cards, and fetches its text for another game.

import { find, get, pageIn } from "./dom.js";
import { drawScenes } from "./scenes.js";

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
