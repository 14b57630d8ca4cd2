package duke;

import arena.v1.FortyOneAction;
import arena.v1.HyruleAction;
import arena.v1.KleftisAction;
import arena.v1.NurMutAction;
import arena.v1.NyuriAction;
import arena.v1.TableStart;
import arena.v1.Turn;
import java.util.Collections;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * How duke plays, and the file to edit for a bot of your own: each legal action gets a score,
 * mostly by the count of unseen cards that help or harm it, and the first of the best is played.
 */
public final class Strategy {
  /** Sits down at a table; the start tells the game. Fields would be the memory of that table. */
  public Strategy(TableStart start) {}

  /** Returns the index of the action to play, of the legal actions of the turn. */
  public int choose(Turn turn) {
    return switch (turn.getGameCase()) {
      case NYURI -> best(turn.getNyuri().getLegalActionsList(), a -> nyuri(turn, a));
      case FORTY_ONE -> best(turn.getFortyOne().getLegalActionsList(), a -> fortyOne(turn, a));
      case NUR_MUT -> best(turn.getNurMut().getLegalActionsList(), a -> nurMut(turn, a));
      case KLEFTIS -> best(turn.getKleftis().getLegalActionsList(), a -> kleftis(turn, a));
      case HYRULE -> best(turn.getHyrule().getLegalActionsList(), a -> hyrule(turn, a));
      case GAME_NOT_SET -> 0;
    };
  }

  /** The index of the action with the highest score. */
  private static <A> int best(List<A> actions, ToDoubleFunction<A> score) {
    double[] scores = actions.stream().mapToDouble(score).toArray();
    return IntStream.range(0, scores.length).reduce(0, (a, b) -> scores[b] > scores[a] ? b : a);
  }

  /** Steals with one card or two; lays the single card that the fewest unseen ones beat. */
  private static double nyuri(Turn turn, NyuriAction action) {
    var hand = turn.getNyuri().getObservation().getHandValueList();
    int base = action.getPlace().getBaseValue();
    return switch (action.getKindCase()) {
      case STEAL -> 3 - action.getSteal().getCardsCount(); // showing three costs a card
      case PLACE ->
          action.getPlace().hasGuard() ? -99 : -Cards.unseen(c -> Cards.beats(c, base), hand);
      default -> 0;
    };
  }

  /** Collects its best suit, low discards aside; ends play with four cards that count 24. */
  private static double fortyOne(Turn turn, FortyOneAction action) {
    var hand = turn.getFortyOne().getObservation().getHandValueList();
    var discards = turn.getFortyOne().getObservation().getDiscardsValueList();
    return switch (action.getKindCase()) {
      case TAKE_DISCARD -> Cards.gain(discards.get(discards.size() - 1), hand) - 4;
      case DISCARD -> -Cards.gain(action.getDiscard().getCardValue(), hand);
      case END_PLAY -> hand.stream().mapToInt(card -> Cards.gain(card, hand)).sum() < 24 ? -99 : 99;
      default -> 0;
    };
  }

  /** Lays what fits; shows courage where most faces fit and failing is cheap. */
  private static double nurMut(Turn turn, NurMutAction action) {
    var piles = turn.getNurMut().getObservation().getPilesValueList();
    int price = Collections.max(turn.getNurMut().getObservation().getPileSizesList());
    double chance = IntStream.rangeClosed(1, 10).filter(f -> Cards.fits(f, piles)).count() / 10.0;
    return switch (action.getKindCase()) {
      case PLACE, CHOOSE_PILE -> 2;
      case COURAGE -> 2 * chance - price * (1 - chance);
      case TRY_TOP, TUCK -> 0.5;
      default -> 0;
    };
  }

  /** Steals before it builds; plays the card that the fewest unseen ones can join. */
  private static double kleftis(Turn turn, KleftisAction action) {
    var hand = turn.getKleftis().getObservation().getHandValueList();
    int card = action.getPlay().getCardValue();
    return switch (action.getKindCase()) {
      case SECURE -> action.getSecure().getGroupsCount();
      case STEAL -> 2;
      case BUILD -> 1;
      default -> -Cards.unseen(c -> Cards.pair(c, card), hand);
    };
  }

  /** Swaps the weakest card; takes the trick, as the last seat cheaply; else throws the weakest. */
  private static double hyrule(Turn turn, HyruleAction action) {
    var seen = turn.getHyrule().getObservation();
    var trick = seen.getTrickList().stream().map(played -> played.getCardValue()).toList();
    int card = action.hasSwap() ? action.getSwap().getCardValue() : action.getPlay().getCardValue();
    int beaten = Cards.unseen(c -> Cards.takes(card, List.of(c)), seen.getPlayedValueList());
    boolean last = trick.size() + 1 >= seen.getHandSizesCount();
    boolean takes = action.hasPlay() && Cards.takes(card, trick);
    return (action.hasSwap() ? 200 : takes ? 100 : 0) + (takes && !last ? beaten : -beaten);
  }
}
