/** What the rules say about cards, as far as the strategy asks. */

import type { Card } from "../gen/arena/v1/cards.js";
import { NurMutFace } from "../gen/arena/v1/nur_mut.js";
import { DIAMONDS, HEARTS, isJoker, rankOf, suitOf } from "./cards.js";

/** Nyuri: what a card is worth. */
export function nyuriValue(card: Card): number {
  return rankOf(card) === 1 ? 14 : rankOf(card);
}

/** Nyuri: the cards of a pile, none where there is no pile. */
export function pileCards(pile: { base?: Card | undefined; guard?: Card | undefined } | undefined): Card[] {
  return [pile?.base, pile?.guard].filter((card) => card !== undefined);
}

/** Forty-one: what the best suit of a hand counts, the other cards left out. */
export function suitScore(hand: readonly Card[]): number {
  const scores = [0, 0, 0, 0];
  for (const card of hand) {
    const suit = suitOf(card);
    scores[suit] = (scores[suit] ?? 0) + (rankOf(card) === 1 ? 11 : Math.min(10, rankOf(card)));
  }
  return Math.max(...scores);
}

/** Nur Mut: whether a face may be laid on one of the piles. */
export function fits(face: NurMutFace, piles: readonly NurMutFace[]): boolean {
  const { JOKER } = NurMutFace;
  return face === JOKER || piles.some((top) => top === JOKER || Math.abs(top - face) === 1);
}

/** Kleftis: the cards that can be added to a group. */
export function joiners(group: readonly Card[]): Card[] {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) {
    return [];
  }
  const single = group.length === 1;
  const cards: Card[] = [];
  if (rankOf(first) === rankOf(last)) {
    for (let suit = 0; suit < 4; suit++) {
      const card = 13 * suit + rankOf(first);
      if (!group.includes(card)) {
        cards.push(card);
      }
    }
  }
  if (single || rankOf(first) !== rankOf(last)) {
    if (single || rankOf(first) > 1) {
      cards.push(below(first));
    }
    if (single || rankOf(last) > 1) {
      cards.push(above(last));
    }
  }
  return cards;
}

/** Kleftis: a group with one of its joiners added. */
export function joined(group: readonly Card[], card: Card): Card[] {
  const first = group[0];
  return first !== undefined && card === below(first) ? [card, ...group] : [...group, card];
}

/** The card before one in its suit; the king comes before an ace. */
function below(card: Card): Card {
  return rankOf(card) === 1 ? card + 12 : card - 1;
}

/** The card after one in its suit; the ace comes after a king. */
function above(card: Card): Card {
  return rankOf(card) === 13 ? card - 12 : card + 1;
}

const LINE = [2, 3, 0, 1]; // by suit: diamonds beat clubs beat spades beat hearts
const FIVES = [1, 0, 3, 2]; // by suit: the order of the fives in a trick with a joker

/** Hyrule: the card that takes a trick. */
export function winner(trick: readonly Card[], lastJoker: boolean): Card | undefined {
  let [joker, hearts, diamonds] = [false, false, false];
  for (const card of trick) {
    joker ||= isJoker(card);
    hearts ||= suitOf(card) === HEARTS;
    diamonds ||= suitOf(card) === DIAMONDS;
  }
  const power = (card: Card): number => {
    if (isJoker(card)) {
      return 100;
    }
    const suit = suitOf(card);
    if (joker && rankOf(card) === 5) {
      return 101 + (FIVES[suit] ?? 0);
    }
    const order = hearts && diamonds && suit === HEARTS ? 4 : (LINE[suit] ?? 0);
    return 13 * order + rankOf(card);
  };
  let [taker, most]: [Card | undefined, number] = [undefined, 0];
  for (const card of trick) {
    const here = power(card);
    if (here > most || (lastJoker && isJoker(card) && here === most)) {
      [taker, most] = [card, here];
    }
  }
  return taker;
}

/** For each order of jokers, each card and each card led: whether the card takes the trick. */
const ANSWERS = [false, true].map((lastJoker) =>
  Uint8Array.from({ length: 55 * 55 }, (_, at) => {
    const [card, led] = [Math.floor(at / 55), at % 55];
    return card > 0 && led > 0 && card !== led && winner([led, card], lastJoker) === card ? 1 : 0;
  }),
);

/** Hyrule: whether a card takes a trick of two in which another was led. */
export function answers(card: Card, led: Card, lastJoker: boolean): boolean {
  return ANSWERS[+lastJoker]?.[55 * card + led] === 1;
}
