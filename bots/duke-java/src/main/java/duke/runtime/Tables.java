package duke.runtime;

import arena.v1.Decision;
import arena.v1.PlayRequest;
import arena.v1.PlayResponse;
import arena.v1.TableEnd;
import arena.v1.TableStart;
import arena.v1.Turn;
import duke.Strategy;
import java.util.HashMap;
import java.util.Map;

/** The tables of one stream: each has a strategy of its own, from its start to its end. */
final class Tables {
  private final Map<Integer, Strategy> tables = new HashMap<>();
  private final boolean instant;

  Tables(boolean instant) {
    this.instant = instant;
  }

  /** Answers all turns of a batch in one message, which has no decisions if there are no turns. */
  PlayResponse answer(PlayRequest request) {
    for (TableStart start : request.getStartsList()) {
      open(start.getTable(), start);
    }
    PlayResponse.Builder response = PlayResponse.newBuilder();
    for (Turn turn : request.getTurnsList()) {
      response.addDecisions(
          Decision.newBuilder()
              .setTable(turn.getTable())
              .setTurn(turn.getTurn())
              .setAction(instant ? 0 : choose(turn)));
    }
    for (TableEnd end : request.getEndsList()) {
      tables.remove(end.getTable());
    }
    return response.build();
  }

  private Strategy open(int table, TableStart start) {
    Strategy strategy = new Strategy(start);
    tables.put(table, strategy);
    return strategy;
  }

  /** Asks the table's strategy. If it throws, that is told and the default action is played. */
  private int choose(Turn turn) {
    try {
      Strategy strategy = tables.get(turn.getTable());
      if (strategy == null) { // a table from before a lost connection
        strategy = open(turn.getTable(), TableStart.getDefaultInstance());
      }
      return strategy.choose(turn);
    } catch (RuntimeException problem) {
      problem.printStackTrace();
      return 0;
    }
  }
}
