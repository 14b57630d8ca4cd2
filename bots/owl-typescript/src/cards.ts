/** What the games say about cards, as far as the strategy asks; the numbers of cards are the protocol's. */

import type { Card } from "../gen/arena/v1/cards.js";

const [DIAMONDS, HEARTS, JOKERS] = [1, 2, 4];

/** 0 clubs, 1 diamonds, 2 hearts, 3 spades, 4 a joker. */
export const suitOf = (card: Card): number => Math.floor((card - 1) / 13);

/** 1 (ace) to 13 (king). */
export const rankOf = (card: Card): number => ((card - 1) % 13) + 1;

/** Nyuri: what a card is worth. */
export const nyuriValue = (card: Card): number => (rankOf(card) === 1 ? 14 : rankOf(card));

/** Forty-one: what the best suit of a hand counts. */
export function suitScore(hand: readonly Card[]): number {
  const scores = [0, 0, 0, 0];
  for (const card of hand) {
    const suit = suitOf(card);
    scores[suit] = (scores[suit] ?? 0) + (rankOf(card) === 1 ? 11 : Math.min(10, rankOf(card)));
  }
  return Math.max(...scores);
}

/** Nur Mut: whether a number may be laid on one of the piles. */
export const fits = (face: number, piles: readonly number[]): boolean =>
  piles.some((top) => top === 10 || Math.abs(top - face) === 1);

/** Kleftis: how many cards of a hand make a set or a run with a card. */
export const friends = (card: Card, hand: readonly Card[]): number =>
  hand.filter((other) => rankOf(other) === rankOf(card) || Math.abs(other - card) === 1).length;

/** Hyrule: how strong a card is in a trick; the strongest takes it. */
export function strength(card: Card, trick: readonly Card[] = []): number {
  const has = (suit: number): boolean => trick.some((other) => suitOf(other) === suit);
  const suit = suitOf(card);
  if (suit === JOKERS) return 80;
  if (rankOf(card) === 5 && has(JOKERS)) return 81 + ([1, 0, 3, 2][suit] ?? 0);
  if (suit === HEARTS && has(DIAMONDS)) return 60 + rankOf(card);
  return ([30, 45, 0, 15][suit] ?? 0) + rankOf(card);
}

/** Hyrule: whether a card takes a trick from those played before it. */
export function takes(card: Card, trick: readonly Card[]): boolean {
  const all = [...trick, card];
  return trick.every((other) => strength(other, all) < strength(card, all));
}
