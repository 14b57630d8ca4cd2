package duke;

import static duke.Cards.bit;
import static duke.Cards.bits;
import static duke.Cards.first;
import static duke.Cards.rank;
import static duke.Cards.rest;
import static duke.Cards.suit;
import static duke.Strategy.best;

import arena.v1.BotOuterClass.TableStart;
import arena.v1.Nyuri.NyuriAction;
import arena.v1.Nyuri.NyuriEvent;
import arena.v1.Nyuri.NyuriObservation;
import arena.v1.Nyuri.NyuriPile;
import arena.v1.Nyuri.NyuriView;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Nyuri: deals the unseen cards again and again, and lays the pile that is stolen least. */
final class NyuriBook {
  private static final int DEALS = 100;
  private static final double KEEP_HIGH = 0.015; // what a point is worth in the hand, in cards

  private final boolean spendCards;
  private final SplittableRandom random;

  /** The cards that each seat has shown, won or taken back, as far as they are in its hand. */
  private final long[] held = new long[8];

  NyuriBook(TableStart start) {
    spendCards = start.getNyuri().getSpendCards();
    random = new SplittableRandom(start.getSeed().hashCode());
  }

  int choose(NyuriView view) {
    view.getEventsList().forEach(this::note);
    NyuriObservation seen = view.getObservation();
    int seats = seen.getPilesCount();
    double swing = 1 + 1.0 / Math.max(1, seats - 1); // what one loses to another, a rival gains
    List<NyuriAction> actions = view.getLegalActionsList();
    if (actions.get(0).hasDraw()) {
      int paid = spendCards ? 1 : 0;
      return best(
          actions,
          action -> {
            List<Integer> shown = action.getSteal().getCardsValueList();
            if (shown.isEmpty()) {
              return 1; // draw
            }
            int owner = action.getSteal().getOwner();
            int size = owner < seats ? Long.bitCount(cards(seen.getPiles(owner))) : 0;
            int net = size - (shown.size() == 3 ? 1 : 0) - paid * shown.size();
            double bid = worth(bits(shown)) / 1000.0; // high where others may overbid
            return net * swing - 0.1 * shown.size() + (seats > 2 ? bid : -bid);
          });
    }
    long[] deals = deals(seen, seats);
    return best(
        actions,
        action -> {
          var place = action.getPlace();
          long pile =
              action.hasPlace()
                  ? bit(place.getBaseValue()) | bit(place.getGuardValue())
                  : cards(seen.getPiles(seen.getSeat()));
          int bar = worth(pile);
          int size = Long.bitCount(pile);
          double loss = 0;
          for (int i = 0; i < deals.length; i += seats) {
            int least = 4; // cards that some seat has to show
            for (int seat = 0; seat < seats; seat++) {
              least = Math.min(least, cardsToShow(deals[i + seat], suit(first(pile)), bar));
            }
            loss += least > 3 ? 0 : least < 3 ? size : bar > 10 ? size - 1 : 0;
          }
          return -swing * loss / DEALS - KEEP_HIGH * bar;
        });
  }

  private void note(NyuriEvent event) {
    switch (event.getKindCase()) {
      case PLACED -> hold(event.getPlaced().getSeat(), event.getPlaced().getTakenBackValueList());
      case CLAIMED -> hold(event.getClaimed().getSeat(), event.getClaimed().getCardsValueList());
      case STOLE -> {
        hold(event.getStole().getSeat(), event.getStole().getPileValueList());
        hold(event.getStole().getSeat(), event.getStole().getCardsValueList());
      }
      case PENALTY ->
          hold(event.getPenalty().getOwner(), List.of(event.getPenalty().getCardValue()));
      case DEAL_ENDED -> Arrays.fill(held, 0);
      default -> {}
    }
  }

  private void hold(int seat, List<Integer> cards) {
    long set = bits(cards);
    for (int i = 0; i < held.length; i++) {
      held[i] = i == seat ? held[i] | set : held[i] & ~set;
    }
  }

  /** Hands that the others may hold: by deal, and then by seat. */
  private long[] deals(NyuriObservation seen, int seats) {
    long unseen = Cards.DECK & ~bits(seen.getHandValueList()) & ~bits(seen.getSpentValueList());
    for (NyuriPile pile : seen.getPilesList()) {
      unseen &= ~cards(pile);
    }
    long anywhere = unseen;
    for (int seat = 0; seat < seats; seat++) {
      if (seat != seen.getSeat()) {
        anywhere &= ~held[seat];
      }
    }
    int[] pack = new int[Long.bitCount(anywhere)];
    for (int i = 0; i < pack.length; i++, anywhere = rest(anywhere)) {
      pack[i] = first(anywhere);
    }
    long[] deals = new long[DEALS * seats];
    for (int i = 0; i < deals.length; i += seats) {
      int dealt = 0;
      for (int seat = 0; seat < seats; seat++) {
        if (seat != seen.getSeat()) {
          long hand = held[seat] & unseen;
          int missing = seen.getHandSizes(seat) - Long.bitCount(hand);
          for (; missing > 0 && dealt < pack.length; missing--, dealt++) {
            int from = dealt + random.nextInt(pack.length - dealt);
            int card = pack[from];
            pack[from] = pack[dealt];
            pack[dealt] = card;
            hand |= bit(card);
          }
          deals[i + seat] = hand;
        }
      }
    }
    return deals;
  }

  /** How many cards of a suit a hand must show to beat a worth: 1 to 3, or 4 where it cannot. */
  private static int cardsToShow(long hand, int suit, int bar) {
    long left = hand & Cards.ofSuit(suit);
    int sum = 0;
    for (int shown = 1; shown <= 3 && left != 0; shown++) {
      long ace = left & Cards.ofRank(1);
      long highest = ace != 0 ? ace : Long.highestOneBit(left);
      sum += worth(highest);
      if (sum > bar) {
        return shown;
      }
      left &= ~highest;
    }
    return 4;
  }

  private static long cards(NyuriPile pile) {
    return bit(pile.getBaseValue()) | bit(pile.getGuardValue());
  }

  private static int worth(long cards) {
    int worth = 0;
    for (long left = cards; left != 0; left = rest(left)) {
      worth += rank(first(left)) == 1 ? 14 : rank(first(left));
    }
    return worth;
  }
}
