package duke;

import java.util.List;

/** Cards as the protocol numbers them, and sets of cards as bits: bit n is card n. */
final class Cards {
  /** The 52 cards without jokers. */
  static final long DECK = (1L << 53) - 2;

  /** The 52 cards and two jokers. */
  static final long DECK_AND_JOKERS = (1L << 55) - 2;

  static final int CLUBS = 0;
  static final int DIAMONDS = 1;
  static final int HEARTS = 2;
  static final int SPADES = 3;
  static final int JOKERS = 4;

  private static final String[] RANKS = {
    "?", "A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"
  };
  private static final char[] SUITS = {'♣', '♦', '♥', '♠'};

  private Cards() {}

  /** 0 clubs, 1 diamonds, 2 hearts, 3 spades; 4 for a joker. */
  static int suit(int card) {
    return (card - 1) / 13;
  }

  /** 1 for an ace to 13 for a king. */
  static int rank(int card) {
    return (card - 1) % 13 + 1;
  }

  static boolean isJoker(int card) {
    return card > 52;
  }

  /** The 13 cards of a suit. */
  static long ofSuit(int suit) {
    return 0x1FFFL << (13 * suit + 1);
  }

  /** The 4 cards of a rank. */
  static long ofRank(int rank) {
    return (1L | 1L << 13 | 1L << 26 | 1L << 39) << rank;
  }

  /** A card as a set; no card where the number is none of a card. */
  static long bit(int card) {
    return card >= 1 && card <= 54 ? 1L << card : 0;
  }

  /** The set of the cards with these numbers, as the generated getters list them. */
  static long bits(List<Integer> cards) {
    long set = 0;
    for (int i = 0; i < cards.size(); i++) {
      set |= bit(cards.get(i));
    }
    return set;
  }

  /** The lowest card of a set that is not empty. */
  static int first(long set) {
    return Long.numberOfTrailingZeros(set);
  }

  /** A set without its lowest card, to go through it. */
  static long rest(long set) {
    return set & (set - 1);
  }

  /** The chance that `held` cards taken from `all` are none of the `bad` ones among them. */
  static double chanceOfNone(int bad, int all, int held) {
    if (bad <= 0) {
      return 1;
    }
    double chance = 1;
    for (int i = 0; i < held && chance > 0; i++) {
      chance *= Math.max(0, all - bad - i) / (double) Math.max(1, all - i);
    }
    return chance;
  }

  /** A card as people write it: A♣, 10♦, JK1. */
  static String text(int card) {
    if (bit(card) == 0) {
      return "?";
    }
    return isJoker(card) ? "JK" + (card - 52) : RANKS[rank(card)] + SUITS[suit(card)];
  }
}
