// Facts about cards; their numbers are those of proto/arena/v1/cards.proto.
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace bot {

// 0 clubs, 1 diamonds, 2 hearts, 3 spades, 4 joker; and 1 (ace) to 13 (king).
inline int suit_of(int card) { return (std::clamp(card, 1, 54) - 1) / 13; }
inline int rank_of(int card) { return (std::clamp(card, 1, 54) - 1) % 13 + 1; }

// What a card counts in Nyuri and in Forty-one.
inline int height(int card) { return rank_of(card) == 1 ? 14 : rank_of(card); }
inline int points(int card) { return rank_of(card) == 1 ? 11 : std::min(10, rank_of(card)); }

// Forty-one: the points of a hand's best suit, without one card and with another; 0 is none.
inline int best_suit(const auto& hand, int without, int with) {
  int sums[5] = {};
  for (int card : hand) sums[suit_of(card)] += card == without ? 0 : points(card);
  if (with != 0) sums[suit_of(with)] += points(with);
  return std::ranges::max(sums);
}

// Nur Mut: whether a face may be laid on another; 10 is a joker, 11 is hidden.
inline bool fits(int face, int pile) {
  return face == 10 || pile == 10 || (face < 10 && (face == pile + 1 || face == pile - 1));
}

// Kleftis: whether two cards make a group; king and ace are neighbours, too.
inline bool friends(int one, int other) {
  const int apart = std::abs(rank_of(one) - rank_of(other));
  if (apart == 0) return one != other;
  return suit_of(one) == suit_of(other) && (apart == 1 || apart == 12);
}

// Hyrule: the card that takes a trick, of one or more cards in the order played.
inline int winner(const std::vector<int>& trick) {
  const auto joker = std::ranges::find_if(trick, [](int card) { return card > 52; });
  for (int five : {31, 44, 5, 18}) {  // they alone beat a joker
    if (joker != trick.end() && std::ranges::count(trick, five)) return five;
  }
  if (joker != trick.end()) return *joker;
  const auto top = [&](std::array<int, 4> strength) {  // by suit
    const auto of = [&](int card) { return 13 * strength[suit_of(card)] + rank_of(card); };
    return std::ranges::max(trick, {}, of);
  };
  const int best = top({2, 3, 0, 1});
  return suit_of(best) == 1 ? top({1, 2, 3, 0}) : best;  // hearts beat diamonds
}

// Hyrule: about how many cards a card beats.
inline int strength(int card) {
  return card > 52 ? 50 : (suit_of(card) < 2 ? 26 : 13) + rank_of(card);
}

}  // namespace bot
