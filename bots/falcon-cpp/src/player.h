// Plays all tables of one stream: a Strategy for each, whether the referee dialled or the bot did.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "arena/v1/bot.pb.h"
#include "strategy.h"

namespace bot {

struct PlayerOptions {
  bool instant = false;  // answer action 0 without thinking, to measure everything else
  bool verbose = false;  // print every decision
};

class Player {
 public:
  explicit Player(PlayerOptions options) : options_(options) {}

  // Answers a batch: one decision for each turn of the request is added to the response.
  void answer(const arena::v1::PlayRequest& request, arena::v1::PlayResponse& response);

 private:
  int choose(const arena::v1::Turn& turn);

  PlayerOptions options_;
  std::unordered_map<std::uint32_t, Strategy> tables_;
};

}  // namespace bot
