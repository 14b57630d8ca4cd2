// Counts the seconds of the clocks on a page: those that have passed (`data-since`), those that are left (`data-left`),
// those until a moment (`data-until`, ms since 1970; then `data-then`). A newer number from the server corrects a clock.
// A time zone (`data-offset`, minutes from UTC at the moment `data-at`) is shown where it is not that of the browser.

import { findAll } from "./dom.js";
import { span } from "./words.js";

/** By clock, what the server told of it, and when. @type {WeakMap<HTMLElement, { told: string, at: number }>} */
const heard = new WeakMap();

/** The seconds since the server told the present number of a clock. @param {HTMLElement} place @param {string} told */
function passed(place, told) {
  const before = heard.get(place), now = Date.now();
  if (before?.told === told) return (now - before.at) / 1000;
  heard.set(place, { told, at: now });
  return 0;
}

/** @param {HTMLElement} place */
function textOf(place) {
  const { since, left, until, then } = place.dataset;
  if (since) return span(Number(since) + passed(place, since));
  if (left) return span(Number(left) - passed(place, left));
  const rest = Math.round((Number(until) - Date.now()) / 1000);
  return rest > 0 ? `in ${span(rest)}` : (then ?? "it begins");
}

function count() {
  for (const place of findAll(HTMLElement, "[data-since], [data-left], [data-until]")) {
    const text = textOf(place);
    if (place.textContent !== text) place.textContent = text;
  }
  for (const zone of findAll(HTMLElement, "[data-offset]")) {
    zone.hidden = Number(zone.dataset.offset) === -new Date(Number(zone.dataset.at)).getTimezoneOffset();
  }
}

setInterval(count, 1000);
count();
