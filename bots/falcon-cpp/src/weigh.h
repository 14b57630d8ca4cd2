// Small tools with which a strategy weighs its actions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bot {

// The index of the action that is worth most, the first of equal ones.
template <class Actions, class Worth>
int best(const Actions& actions, Worth worth) {
  int chosen = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (int index = 0; index < actions.size(); ++index) {
    if (const double value = worth(actions[index]); value > most) {
      most = value;
      chosen = index;
    }
  }
  return chosen;
}

// The quarry: the opponent with the highest score, of equal ones the next to play; -1 for none.
template <class Score>
int leader(int seats, int own, Score score) {
  int quarry = -1;
  for (int step = 1; step < seats; ++step) {
    const int seat = (own + step) % seats;
    if (quarry < 0 || score(seat) > score(quarry)) quarry = seat;
  }
  return quarry;
}

// The chance that none of `drawn` unseen cards is among the wanted ones.
inline double chance_of_none(int wanted, int unseen, int drawn) {
  return std::pow(1.0 - static_cast<double>(wanted) / std::max(1, unseen), std::max(0, drawn));
}

// An element of a list, as a number; 0 where the list is too short.
template <class List>
int at(const List& list, int index) {
  return index >= 0 && index < list.size() ? static_cast<int>(list[index]) : 0;
}

// A seat of the table, whatever the number says.
inline int seat_of(std::uint32_t seat, int seats) {
  return static_cast<int>(seat % std::max(1, seats));
}

}  // namespace bot
