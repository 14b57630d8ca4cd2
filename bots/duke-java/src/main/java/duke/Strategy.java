package duke;

import arena.v1.BotOuterClass.TableStart;
import arena.v1.BotOuterClass.Turn;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * How the bot plays: the place for a bot of your own. There is one object for each table, so its
 * fields are the memory of one game.
 *
 * <p>Duke is a bookkeeper: it writes down where cards were seen and plays the odds of the rest,
 * with one book for each game.
 */
public final class Strategy {
  private final NyuriBook nyuri;
  private final NurMutBook nurMut;
  private final KleftisBook kleftis;
  private final HyruleBook hyrule;

  /** Sits down at a table; the start tells the game and its options, the seat and a seed. */
  public Strategy(TableStart start) {
    nyuri = new NyuriBook(start);
    nurMut = new NurMutBook(start.getNurMut());
    kleftis = new KleftisBook();
    hyrule = new HyruleBook(start);
  }

  /** Returns the index of the action to play, of the legal actions of the turn. */
  public int choose(Turn turn) {
    return switch (turn.getGameCase()) {
      case NYURI -> nyuri.choose(turn.getNyuri());
      case FORTY_ONE -> FortyOneBook.choose(turn.getFortyOne());
      case NUR_MUT -> nurMut.choose(turn.getNurMut());
      case KLEFTIS -> kleftis.choose(turn.getKleftis());
      case HYRULE -> hyrule.choose(turn.getHyrule());
      case GAME_NOT_SET -> 0;
    };
  }

  /** The index of the action that is worth most, the first of equals. */
  static <A> int best(List<A> actions, ToDoubleFunction<A> worth) {
    int best = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < actions.size(); i++) {
      double value = worth.applyAsDouble(actions.get(i));
      if (value > most) {
        most = value;
        best = i;
      }
    }
    return best;
  }
}
