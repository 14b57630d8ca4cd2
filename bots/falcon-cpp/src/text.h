// What actions read like, for people: "steal from seat 2 with 7♣ 8♣".
#pragma once

#include <string>

#include "arena/v1/bot.pb.h"

namespace bot {

// The number of legal actions of a turn; 0 for a game that this bot does not know.
int action_count(const arena::v1::Turn& turn);

// The text of a legal action, by its index; "?" where there is none.
std::string action_text(const arena::v1::Turn& turn, int index);

// The text of a card, such as 10♣ or JK1.
std::string card_text(int card);

}  // namespace bot
