#include "player.h"

#include <exception>
#include <iostream>

#include "text.h"

namespace bot {

using namespace arena::v1;

void Player::answer(const PlayRequest& request, PlayResponse& response) {
  for (const TableStart& start : request.starts()) {
    tables_.insert_or_assign(start.table(), Strategy{start});
  }
  response.mutable_decisions()->Reserve(request.turns_size());
  for (const Turn& turn : request.turns()) {
    const int action = options_.instant ? 0 : choose(turn);
    Decision& decision = *response.add_decisions();
    decision.set_table(turn.table());
    decision.set_turn(turn.turn());
    decision.set_action(static_cast<std::uint32_t>(action));
  }
  for (const TableEnd& end : request.ends()) tables_.erase(end.table());
}

// What the strategy of the table chooses; the default action where that fails.
int Player::choose(const Turn& turn) {
  try {
    auto [table, unknown] = tables_.try_emplace(turn.table());
    if (unknown) std::cerr << "table " << turn.table() << " has a turn without a start\n";
    const int action = table->second.choose(turn);
    if (options_.verbose) {
      std::cerr << "table " << turn.table() << " turn " << turn.turn() << ": "
                << action_text(turn, action) << '\n';
    }
    return action;
  } catch (const std::exception& error) {
    std::cerr << "table " << turn.table() << " turn " << turn.turn() << ": " << error.what()
              << '\n';
    return 0;
  }
}

}  // namespace bot
