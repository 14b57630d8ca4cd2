/** What is common to the card games; the numbers of cards are those of the protocol. */

import { Card } from "../gen/arena/v1/cards.js";

export const DIAMONDS = 1;
export const HEARTS = 2;

const SUIT_SYMBOLS = ["♣", "♦", "♥", "♠"];
const RANK_SYMBOLS = ["?", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

/** The suit of a card that is no joker: 0 clubs to 3 spades. */
export function suitOf(card: Card): number {
  return Math.floor((card - 1) / 13);
}

/** The rank of a card that is no joker: 1 (ace) to 13 (king). */
export function rankOf(card: Card): number {
  return ((card - 1) % 13) + 1;
}

export function isJoker(card: Card): boolean {
  return card >= Card.JOKER_ONE;
}

/** A card as printed, such as 10♥ or JK1; "?" for none of the 54. */
export function cardText(card: Card): string {
  if (!(card >= Card.ACE_OF_CLUBS && card <= Card.JOKER_TWO)) {
    return "?";
  }
  return isJoker(card) ? `JK${card - 52}` : `${RANK_SYMBOLS[rankOf(card)]}${SUIT_SYMBOLS[suitOf(card)]}`;
}
