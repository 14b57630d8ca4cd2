// The bot's side of one table: made at the table's start, destroyed at its end.
#pragma once

#include "arena/v1/bot.pb.h"

namespace bot {

struct Strategy {
  arena::v1::TableStart start;  // options and seats; add what you want to remember
  int choose(const arena::v1::Turn& turn);
};

}  // namespace bot
