/** Choosing and counting, for any game. */

import type { Card } from "../gen/arena/v1/cards.js";
import { NurMutFace, NurMutModel, type NurMutOptions } from "../gen/arena/v1/nur_mut.js";
import { fits } from "./rules.js";

/** The index of the action that is worth most, the first of equal ones. */
export function best<Action>(actions: readonly Action[], worth: (action: Action) => number): number {
  let [chosen, most] = [0, -Infinity];
  for (const [index, action] of actions.entries()) {
    const here = worth(action);
    if (here > most) {
      [chosen, most] = [index, here];
    }
  }
  return chosen;
}

export function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  let total = 0;
  for (const item of items) {
    total += value(item);
  }
  return total;
}

/** How many of the wanted cards are among others. */
export function count(wanted: readonly Card[], among: readonly Card[]): number {
  return sum(wanted, (card) => (among.includes(card) ? 1 : 0));
}

/** The cards of a deck, numbered from 1 to its size, that are in none of the lists. */
export function unseenCards(deck: number, seen: readonly (readonly Card[])[]): Card[] {
  const gone = new Uint8Array(deck + 1);
  for (const cards of seen) {
    for (const card of cards) {
      gone[card] = 1;
    }
  }
  const unseen: Card[] = [];
  for (let card = 1; card <= deck; card++) {
    if (gone[card] === 0) {
      unseen.push(card);
    }
  }
  return unseen;
}

/** The chance that of `drawn` unseen cards none is among the `wanted` ones. */
export function chanceOfNone(wanted: number, unseen: number, drawn: number): number {
  let chance = 1;
  for (let number = 0; number < wanted; number++) {
    chance *= Math.max(0, unseen - drawn - number) / Math.max(1, unseen - number);
  }
  return chance;
}

/**
 * The chance that the best cards that somebody holds, at most `limit`, are together worth more than `bar`.
 *
 * `values` are those of the cards that may be held, falling, and `odds` the chance that each one is.
 */
export function chanceAbove(
  values: readonly number[],
  odds: readonly number[],
  limit: number,
  bar: number,
  from = 0,
): number {
  if (bar < 0) {
    return 1;
  }
  const value = values[from] ?? 0;
  if (value * limit <= bar) {
    return 0;
  }
  const chance = odds[from] ?? 0;
  const without = chance < 1 ? chanceAbove(values, odds, limit, bar, from + 1) : 0;
  const having = chance > 0 ? chanceAbove(values, odds, limit - 1, bar - value, from + 1) : 0;
  return chance * having + (1 - chance) * without;
}

/** Nur Mut: the chance that the hidden side of a card fits a pile, in the standard deck; `face` is its other side. */
export function chanceToFit(
  face: NurMutFace,
  piles: readonly NurMutFace[],
  options: NurMutOptions | undefined,
): number {
  const { JOKER } = NurMutFace;
  let [fitting, all] = [0, 0];
  for (let hidden = Math.min(9, options?.minValue || 1); hidden <= JOKER; hidden++) {
    let copies = hidden === face ? 0 : hidden === JOKER || face === JOKER ? 1 : 2;
    if (options?.model === NurMutModel.ONE) {
      copies = hidden === JOKER ? 9 : 8;
    }
    all += copies;
    fitting += fits(hidden, piles) ? copies : 0;
  }
  return fitting / all;
}
