package duke;

import static duke.Cards.bit;
import static duke.Cards.bits;
import static duke.Cards.chanceOfNone;
import static duke.Cards.first;
import static duke.Cards.rank;
import static duke.Cards.rest;
import static duke.Cards.suit;
import static duke.Strategy.best;

import arena.v1.Kleftis.KleftisAction;
import arena.v1.Kleftis.KleftisEvent;
import arena.v1.Kleftis.KleftisGroup;
import arena.v1.Kleftis.KleftisObservation;
import arena.v1.Kleftis.KleftisView;

/** Kleftis: what each group is worth, by the chance that somebody can steal it. */
final class KleftisBook {
  private static final double PREY = 1; // another's single card that the hand could steal
  private static final double REACH = 4; // a hand that could steal any unseen card

  /** The cards secured, which lie face down for good. */
  private long gone;

  int choose(KleftisView view) {
    for (KleftisEvent event : view.getEventsList()) {
      gone = event.hasDealEnded() ? 0 : gone | bits(event.getSecured().getCardsValueList());
    }
    KleftisObservation seen = view.getObservation();
    long lying = 0;
    for (var board : seen.getDashboardsList()) {
      for (KleftisGroup group : board.getGroupsList()) {
        lying |= bits(group.getCardsValueList());
      }
    }
    long unseen = Cards.DECK & ~(gone | lying | bits(seen.getHandValueList()));
    return best(view.getLegalActionsList(), action -> worth(seen, action, unseen));
  }

  private static double worth(KleftisObservation seen, KleftisAction action, long unseen) {
    long card = bit(action.getPlay().getCardValue());
    int touchedGroup = -1;
    switch (action.getKindCase()) {
      case BUILD -> {
        card = bit(action.getBuild().getCardValue());
        touchedGroup = action.getBuild().getGroup();
      }
      case STEAL -> {
        card = bit(action.getSteal().getCardValue());
        touchedGroup = action.getSteal().getGroup();
      }
      case SECURE -> {
        return action.getSecure().getGroupsCount();
      }
      default -> {}
    }
    long hand = bits(seen.getHandValueList()) & ~card;
    long touched = card;
    double worth = 0;
    for (int seat = 0; seat < seen.getDashboardsCount(); seat++) {
      for (KleftisGroup group : seen.getDashboards(seat).getGroupsList()) {
        long cards = bits(group.getCardsValueList());
        int size = group.getCardsCount();
        if (group.getGroup() == touchedGroup) {
          touched |= cards;
        } else if (seat == seen.getSeat()) {
          worth += size > 1 ? size : exposed(seen, cards, hand, unseen); // secured at once, or open
        } else {
          worth += size > 1 ? -size : (joining(cards) & hand) != 0 ? PREY : 0;
        }
      }
    }
    long reach = 0;
    for (long left = hand; left != 0; left = rest(left)) {
      reach |= joining(Long.lowestOneBit(left));
    }
    double share = Long.bitCount(reach & unseen) / (double) Math.max(1, Long.bitCount(unseen));
    return worth + REACH * share + exposed(seen, touched, hand, unseen);
  }

  /** What an own group is worth that lies open until the next turn. */
  private static double exposed(KleftisObservation seen, long cards, long hand, long unseen) {
    int size = Long.bitCount(cards);
    if (seen.getStock() == 0 && hand == 0) {
      return -size; // there is no next turn
    }
    int others = 0;
    for (int seat = 0; seat < seen.getHandSizesCount(); seat++) {
      others += seat == seen.getSeat() ? 0 : seen.getHandSizes(seat);
    }
    long joining = joining(cards);
    double safe = chanceOfNone(Long.bitCount(joining & unseen), Long.bitCount(unseen), others);
    double alone = (joining & hand) != 0 ? 1 : -0.5; // can be built on, or may stay alone
    return safe * (size == 1 ? alone : size) - (1 - safe) * (size + 1);
  }

  /** The cards that may join a group. */
  static long joining(long cards) {
    int low = rank(first(cards));
    int suit = suit(first(cards));
    int size = Long.bitCount(cards);
    boolean single = size == 1;
    long joining = single || (cards & ~Cards.ofRank(low)) == 0 ? Cards.ofRank(low) & ~cards : 0;
    if (single || (joining == 0 && size < 13 && (cards & ~Cards.ofSuit(suit)) == 0)) {
      int ace = 13 * suit + 1;
      int high = rank(63 - Long.numberOfLeadingZeros(cards));
      if (!single && low == 1 && high == 13) { // an ace at the high end
        return bit(first(rest(cards)) - 1);
      }
      joining |= bit(low > 1 ? ace + low - 2 : single ? ace + 12 : 0);
      joining |= bit(high < 13 ? ace + high : ace);
    }
    return joining & ~cards;
  }
}
