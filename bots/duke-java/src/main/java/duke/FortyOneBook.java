package duke;

import static duke.Cards.bit;
import static duke.Cards.bits;
import static duke.Cards.first;
import static duke.Cards.rank;
import static duke.Cards.rest;
import static duke.Cards.suit;
import static duke.Strategy.best;

import arena.v1.FortyOne.FortyOneAction;
import arena.v1.FortyOne.FortyOneObservation;
import arena.v1.FortyOne.FortyOnePhase;
import arena.v1.FortyOne.FortyOneView;
import java.util.List;

/** Forty-one: what a hand may become, by the cards that are still to come. */
final class FortyOneBook {
  private static final int STOP_AT = 22;
  private static final double FUTURE = 0.1; // what a card still to come is worth of its points
  private static final double GIFT = 0.3; // what the next seat gains by a card of its suit

  private FortyOneBook() {}

  static int choose(FortyOneView view) {
    FortyOneObservation seen = view.getObservation();
    List<FortyOneAction> actions = view.getLegalActionsList();
    long hand = bits(seen.getHandValueList());
    long unseen = Cards.DECK & ~hand & ~bits(seen.getDiscardsValueList());
    if (seen.getPhase() == FortyOnePhase.FORTY_ONE_PHASE_DISCARD) {
      long wanted = wantedByNext(seen);
      return best(
          actions,
          action -> {
            long card = bit(action.getDiscard().getCardValue());
            return promise(hand & ~card, unseen) - ((card & wanted) != 0 ? GIFT * points(card) : 0);
          });
    }
    return best(
        actions,
        action ->
            switch (action.getKindCase()) {
              case END_PLAY -> seen.getStock() == 0 || score(hand) >= STOP_AT ? 1000 : -1000;
              case TAKE_DISCARD -> {
                long top = bit(seen.getDiscardsValue(seen.getDiscardsCount() - 1));
                yield bestOfFive(hand | top, top, unseen);
              }
              default -> expectedDraw(hand, unseen);
            });
  }

  private static double expectedDraw(long hand, long unseen) {
    double sum = 0;
    for (long left = unseen; left != 0; left = rest(left)) {
      long card = Long.lowestOneBit(left);
      sum += bestOfFive(hand | card, 0, unseen & ~card);
    }
    return sum / Math.max(1, Long.bitCount(unseen));
  }

  private static double bestOfFive(long five, long kept, long unseen) {
    double best = 0;
    for (long left = five & ~kept; left != 0; left = rest(left)) {
      best = Math.max(best, promise(five & ~Long.lowestOneBit(left), unseen));
    }
    return best;
  }

  /** What the best suit of a hand counts, with what may still come to it. */
  private static double promise(long hand, long unseen) {
    double best = 0;
    for (int suit = Cards.CLUBS; suit <= Cards.SPADES; suit++) {
      long own = hand & Cards.ofSuit(suit);
      long coming = unseen & Cards.ofSuit(suit);
      int missing = Math.min(4 - Long.bitCount(own), Long.bitCount(coming));
      double each = points(coming) / (double) Math.max(1, Long.bitCount(coming));
      best = Math.max(best, points(own) + FUTURE * missing * each);
    }
    return best;
  }

  private static int score(long hand) {
    int best = 0;
    for (int suit = Cards.CLUBS; suit <= Cards.SPADES; suit++) {
      best = Math.max(best, points(hand & Cards.ofSuit(suit)));
    }
    return 2 * best - points(hand);
  }

  private static int points(long cards) {
    int points = 0;
    for (long left = cards; left != 0; left = rest(left)) {
      int rank = rank(first(left));
      points += rank == 1 ? 11 : Math.min(rank, 10);
    }
    return points;
  }

  /** The suit of the discard that the next seat took last, as a set; empty if it took none. */
  private static long wantedByNext(FortyOneObservation seen) {
    int seats = Math.max(1, seen.getHandSizesCount());
    for (int i = Math.min(seen.getDiscardsCount(), seen.getTakenCount()) - 1; i >= 0; i--) {
      if ((seen.getStarter() + i) % seats == seen.getSeat() && seen.getTaken(i)) {
        return Cards.ofSuit(suit(seen.getDiscardsValue(i)));
      }
    }
    return 0;
  }
}
