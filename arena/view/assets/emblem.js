// Draws the emblem of a bot, as `drawn` in macros.html does.

import { element } from "./dom.js";

/** @import { Emblem } from "../data" */

/** @param {Emblem} emblem */
export function emblemOf([hue, path]) {
  const svg = element("svg", { viewBox: "-1 -1 7 7", class: `emblem hue-${hue}`, "aria-hidden": "true" });
  element("path", { d: path }, svg);
  return svg;
}
