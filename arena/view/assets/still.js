// A moment of a game, as a picture of its table.

import { findAll, get } from "./dom.js";
import { freshness, momentOf, showMoment, stageFor } from "./stage.js";

/** @import { Still } from "../data" */

for (const place of findAll(HTMLElement, ".still")) {
  /** @type {Still} */
  const still = JSON.parse(get(HTMLScriptElement, "script", place).textContent ?? "");
  const { step } = still;
  stageFor(get(HTMLElement, ".stage", place), still).show(still.picture, { fresh: freshness(step), tone: step.tone });
  showMoment(get(HTMLElement, ".moment", place), step.tone, momentOf(step, still.names));
}
