package duke;

import static duke.Cards.bit;
import static duke.Cards.bits;
import static duke.Cards.chanceOfNone;
import static duke.Cards.first;
import static duke.Cards.rank;
import static duke.Cards.rest;
import static duke.Cards.suit;
import static duke.Strategy.best;

import arena.v1.BotOuterClass.TableStart;
import arena.v1.Hyrule.HyruleAction;
import arena.v1.Hyrule.HyruleDoubleJoker;
import arena.v1.Hyrule.HyruleObservation;
import arena.v1.Hyrule.HyruleView;

/** Hyrule: the chance to win the trick, less what the card would be worth later. */
final class HyruleBook {
  private static final double CARD_LAST = 0.3; // of a card's worth in the hand: for the last seat
  private static final double CARD_BEFORE = 0.05; // and for those before
  private static final int[] FIVES = {1, 0, 3, 2}; // ♥ ♠ ♣ ♦, in the order of the suits' numbers
  private static final int[] SUITS = {2, 3, 0, 1}; // ♦ ♣ ♠ ♥

  private final boolean lastJoker;

  HyruleBook(TableStart start) {
    lastJoker = start.getHyrule().getDoubleJoker() == HyruleDoubleJoker.HYRULE_DOUBLE_JOKER_LAST;
  }

  int choose(HyruleView view) {
    HyruleObservation seen = view.getObservation();
    int size = seen.getTrickCount();
    int[] trick = new int[size + 2];
    long unseen = Cards.DECK_AND_JOKERS & ~bits(seen.getHandValueList());
    unseen &= ~bits(seen.getPlayedValueList()) & ~bits(seen.getDiscardsValueList());
    for (int i = 0; i < size; i++) {
      trick[i] = seen.getTrick(i).getCardValue();
      unseen &= ~bit(trick[i]);
    }
    long others = unseen;
    int toCome = Math.max(0, seen.getHandSizesCount() - 1 - size);
    return best(
        view.getLegalActionsList(),
        (HyruleAction action) -> {
          int card =
              action.hasSwap() ? action.getSwap().getCardValue() : action.getPlay().getCardValue();
          double cost = strength(card, others, lastJoker);
          if (action.hasSwap()) {
            return 2 - cost; // always, for the last seat wins most: the weakest card
          }
          trick[size] = card;
          double chance = 0;
          if (winner(trick, size + 1, lastJoker) == card) {
            int bad = 0;
            for (long left = others; left != 0; left = rest(left)) {
              trick[size + 1] = first(left);
              bad += winner(trick, size + 2, lastJoker) == card ? 0 : 1;
            }
            chance = chanceOfNone(bad, Long.bitCount(others), toCome * seen.getHandCount());
          }
          return chance - (toCome == 0 ? CARD_LAST : CARD_BEFORE) * cost;
        });
  }

  /** The share of the unseen cards that a card would beat if they were led. */
  private static double strength(int card, long unseen, boolean lastJoker) {
    int[] pair = {0, card};
    int beaten = 0;
    for (long left = unseen; left != 0; left = rest(left)) {
      pair[0] = first(left);
      beaten += winner(pair, 2, lastJoker) == card ? 1 : 0;
    }
    return beaten / (double) Math.max(1, Long.bitCount(unseen));
  }

  /** The card that wins a trick of the first `size` cards. */
  static int winner(int[] trick, int size, boolean lastJoker) {
    boolean joker = false;
    boolean hearts = false;
    boolean diamonds = false;
    for (int i = 0; i < size; i++) {
      joker |= Cards.isJoker(trick[i]);
      hearts |= suit(trick[i]) == Cards.HEARTS;
      diamonds |= suit(trick[i]) == Cards.DIAMONDS;
    }
    int winner = 0;
    int most = -1;
    for (int i = 0; i < size; i++) {
      int card = trick[i];
      int suit = suit(card);
      int power;
      if (joker) { // fives by suit, then jokers
        power = suit == Cards.JOKERS ? 1 : rank(card) == 5 ? 2 + FIVES[suit] : 0;
      } else {
        power = 20 * (suit == Cards.HEARTS ? hearts && diamonds ? 4 : 0 : SUITS[suit]) + rank(card);
      }
      if (power > most || (power == most && lastJoker)) {
        most = power;
        winner = card;
      }
    }
    return winner;
  }
}
