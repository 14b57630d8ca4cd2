/**
 * How the owl plays, and the file to edit: each game has a function that gives a legal action points,
 * and the action with the most is played. The owl is patient: it waits for strong combinations.
 */

import type { TableStart, Turn } from "../gen/arena/v1/bot.js";
import type { FortyOneView } from "../gen/arena/v1/forty_one.js";
import type { HyruleView } from "../gen/arena/v1/hyrule.js";
import type { KleftisView } from "../gen/arena/v1/kleftis.js";
import type { NurMutView } from "../gen/arena/v1/nur_mut.js";
import type { NyuriView } from "../gen/arena/v1/nyuri.js";
import { fits, friends, nyuriValue, rankOf, strength, suitScore, takes } from "./cards.js";

/** What the bot says of itself; the same as in bot.toml. */
export const ABOUT = { name: "owl", version: "1.0", author: "the arena" };

/** Plays one table: fields added to it are its memory of that table. */
export class Strategy {
  constructor(readonly start: TableStart) {}

  /** Chooses one of the turn's legal actions, by its index. */
  choose({ game }: Turn): number {
    if (game?.$case === "nyuri") return best(game.value, nyuri);
    if (game?.$case === "fortyOne") return best(game.value, fortyOne);
    if (game?.$case === "nurMut") return best(game.value, nurMut);
    if (game?.$case === "kleftis") return best(game.value, kleftis);
    if (game?.$case === "hyrule") return best(game.value, hyrule);
    return 0;
  }
}

type View = NyuriView | FortyOneView | NurMutView | KleftisView | HyruleView;

/** How many points an action gets, given what is seen. */
type Score<V extends View> = (
  seen: NonNullable<V["observation"]>,
  action: NonNullable<V["legalActions"][number]["kind"]>,
) => number;

/** The index of the action with the most points, the first of equals. */
function best<V extends View>({ observation: seen, legalActions }: V, score: Score<V>): number {
  const points = legalActions.map(({ kind }) => (seen && kind ? score(seen, kind) : -Infinity));
  return Math.max(0, points.indexOf(Math.max(...points)));
}

/** Steals what is worth the cards to show, and waits otherwise: with a high card in front. */
const nyuri: Score<NyuriView> = (seen, { $case, value }) => {
  if ($case === "steal") return (seen.piles[value.owner]?.guard ? 40 : 20) - 8 * value.cards.length;
  return $case === "place" && !value.guard ? nyuriValue(value.base) : 0;
};

/** Collects one suit, and stops only with a strong hand. */
const fortyOne: Score<FortyOneView> = ({ hand, discards, stock }, { $case, value }) => {
  if ($case === "discard") {
    const kept = hand.filter((card) => card !== value.card);
    return 2 * suitScore(kept) + rankOf(value.card); // of another suit the highest goes
  }
  if ($case === "takeDiscard") return suitScore([...hand, ...discards.slice(-1)]);
  if ($case === "endPlay") return stock === 0 || suitScore(hand) >= 30 ? 100 : -1;
  return suitScore(hand) + 1; // what a card from the stock may bring
};

/** Lays what fits; shows courage only where most cards would fit and little is to be lost. */
const nurMut: Score<NurMutView> = ({ piles, pileSizes }, { $case }) => {
  const fitting = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((face) => fits(face, piles)).length;
  if ($case === "place" || $case === "choosePile") return 100;
  if ($case === "courage") return fitting - 3 - Math.max(...pileSizes);
  return $case === "passTurn" ? -1 : 0;
};

/** Steals and builds the biggest groups; plays the card with the most friends in its hand. */
const kleftis: Score<KleftisView> = ({ hand, dashboards }, { $case, value }) => {
  if ($case === "secure") return value.groups.length;
  if ($case === "play") return friends(value.card, hand);
  const groups = dashboards.flatMap((dashboard) => dashboard.groups);
  const size = groups.find(({ group }) => group === value.group)?.cards.length ?? 0;
  return ($case === "steal" ? 200 : 100) + size;
};

/** Swaps to play last, takes a trick with the weakest card that does, and leads high only late. */
const hyrule: Score<HyruleView> = ({ hand, trick }, { $case, value }) => {
  if ($case === "swap") return 200 - strength(value.card);
  const played = trick.map(({ card }) => card);
  if (played.length === 0 && hand.length <= 4) return strength(value.card);
  return (takes(value.card, played) ? 100 : 0) - strength(value.card); // early it leads low
};
