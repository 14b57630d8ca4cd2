/** Reads every vector of proto/vectors: its legal actions, their texts, and that the strategy can answer. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Decision, TableStart, Turn } from "../gen/arena/v1/bot.js";
import { ABOUT, Strategy } from "../src/strategy.js";
import { Tables } from "../src/tables.js";
import { actionTexts } from "../src/text.js";

interface Vector {
  turn: unknown;
  actions: string[];
}

const VECTORS = "proto/vectors";

/** ts-proto's JSON reads a duration by its fields only, and the protocol's JSON writes it as "1s". */
function fields(key: string, value: unknown): unknown {
  return key === "timeLeft" && typeof value === "string" ? { seconds: parseFloat(value) } : value;
}

for (const file of readdirSync(VECTORS).filter((name) => name.endsWith(".json"))) {
  const vectors = JSON.parse(readFileSync(`${VECTORS}/${file}`, "utf8"), fields) as Vector[];
  vectors.forEach((vector, number) => {
    test(`${file} ${number}`, () => {
      const turn = Turn.decode(Turn.encode(Turn.fromJSON(vector.turn)).finish()); // as it comes on the wire
      const view = turn.game?.value;
      assert.ok(view?.observation);
      assert.equal(turn.timeLeft?.seconds, 1);
      assert.equal(view.legalActions.length, vector.actions.length);
      assert.deepEqual(actionTexts(turn), vector.actions);

      const action = new Strategy(TableStart.create({ table: turn.table })).choose(turn);
      assert.ok(
        Number.isInteger(action) && action >= 0 && action < vector.actions.length,
        `action ${action}`,
      );
    });
  });
}

test("a turn that says nothing, at no table, is answered all the same", () => {
  const turn = Turn.create({ table: 7, turn: 3 });
  assert.deepEqual(new Tables().answer({ starts: [], turns: [turn], ends: [] }), {
    decisions: [Decision.fromPartial({ table: 7, turn: 3, action: 0 })],
  });
});

test("the description is that of bot.toml", () => {
  const manifest = readFileSync("bot.toml", "utf8");
  for (const [key, value] of Object.entries(ABOUT)) {
    assert.ok(manifest.includes(`${key} = "${value}"\n`), key);
  }
});
