/** The tables of one stream: what every batch goes through, whoever dialled. */

import { Decision, type PlayRequest, type PlayResponse, type TableStart, type Turn } from "../gen/arena/v1/bot.js";
import { Strategy } from "./strategy.js";

/** All tables that are being played on one stream, each with a strategy of its own. */
export class Tables {
  private readonly strategies = new Map<number, Strategy>();

  constructor(private readonly instant = false) {}

  /** Reads the starts, answers the turns and notes the ends of a batch; undefined where nothing was asked. */
  answer(request: PlayRequest): PlayResponse | undefined {
    for (const start of request.starts) {
      this.start(start);
    }
    const decisions: Decision[] = [];
    for (const turn of request.turns) {
      const action = this.instant ? 0 : this.choose(turn);
      decisions.push(Decision.fromPartial({ table: turn.table, turn: turn.turn, action }));
    }
    for (const end of request.ends) {
      this.strategies.delete(end.table);
    }
    return decisions.length > 0 ? { decisions } : undefined;
  }

  private start(start: TableStart): void {
    try {
      this.strategies.set(start.table, new Strategy(start));
    } catch (error) {
      console.error(`the strategy did not start at table ${start.table}:`, error);
    }
  }

  /** Asks the strategy; a failing one plays action 0, which is always legal, and is told about in the log. */
  private choose(turn: Turn): number {
    try {
      const action = this.strategies.get(turn.table)?.choose(turn) ?? 0;
      const count = turn.game?.value.legalActions.length ?? 0;
      if (action === 0 || (Number.isInteger(action) && action > 0 && action < count)) {
        return action;
      }
      console.error(`table ${turn.table}, turn ${turn.turn}: there is no action ${action} of ${count}`);
    } catch (error) {
      console.error(`table ${turn.table}, turn ${turn.turn}: the strategy failed:`, error);
    }
    return 0;
  }
}
