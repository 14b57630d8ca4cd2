// What a strategy needs of the rules: what cards are worth, what fits and what beats what.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "arena/v1/nur_mut.pb.h"
#include "cards.h"

namespace bot {

// --- Nyuri ---

constexpr int nyuri_value(int card) { return rank_of(card) == 1 ? 14 : rank_of(card); }

inline int nyuri_worth(CardSet cards) {
  int worth = 0;
  each(cards, [&](int card) { worth += nyuri_value(card); });
  return worth;
}

// --- Forty-one ---

// The points of a hand in each suit.
inline std::array<int, 5> forty_one_points(CardSet hand) {
  std::array<int, 5> points{};
  each(hand, [&](int card) {
    points[suit_of(card)] += rank_of(card) == 1 ? 11 : std::min(10, rank_of(card));
  });
  return points;
}

// What a hand scores: its best suit less all others.
inline int forty_one_score(CardSet hand) {
  const auto points = forty_one_points(hand);
  int all = 0;
  for (int suit : points) all += suit;
  return 2 * *std::max_element(points.begin(), points.end()) - all;
}

// --- Nur Mut ---

// Whether a face may be laid on another.
inline bool fits(std::int64_t face, std::int64_t top) {
  using arena::v1::NUR_MUT_FACE_JOKER;
  return face == NUR_MUT_FACE_JOKER || top == NUR_MUT_FACE_JOKER || face - top == 1 ||
         top - face == 1;
}

template <class Piles>
bool fits_some(int face, const Piles& piles) {
  return std::any_of(piles.begin(), piles.end(), [face](int top) { return fits(face, top); });
}

// --- Kleftis ---

// A group: a single card, a set, or a run from its first card upwards.
struct Meld {
  int first = 0;
  int size = 0;
  bool set = false;
  CardSet cards = 0;

  Meld() = default;
  explicit Meld(int card) : first(card), size(1), cards(bit(card)) {}

  template <class Numbers>
  static Meld of(const Numbers& numbers) {
    Meld meld;
    if (numbers.size() == 0) return meld;
    meld.first = known(numbers[0]);
    meld.size = numbers.size();
    meld.set = meld.size > 1 && rank_of(known(numbers[1])) == rank_of(meld.first);
    meld.cards = set_of(numbers);
    return meld;
  }

  // The cards that may join it.
  CardSet joining() const {
    if (size == 0) return 0;
    CardSet joining = 0;
    const int rank = rank_of(first), ace = first - rank + 1, high = rank + size - 1;
    if (set || size == 1) {
      for (int other = rank; other <= 52; other += 13) joining |= bit(other);
    }
    if (!set && size < 13) {
      if (high <= 13) joining |= bit(high < 13 ? ace + high : ace);
      if (rank > 1) joining |= bit(first - 1);
      if (rank == 1 && size == 1) joining |= bit(ace + 12);
    }
    return joining & ~cards & kDeck;
  }

  // The group that it is with a card that may join it.
  Meld with(int card) const {
    Meld made = *this;
    if (size == 1) made.set = rank_of(card) == rank_of(first);
    const bool under_ace = size == 1 && rank_of(first) == 1 && rank_of(card) == 13;
    if (!made.set && (card == first - 1 || under_ace)) made.first = card;
    made.cards |= bit(card);
    ++made.size;
    return made;
  }
};

// --- Hyrule ---

// The card that wins a trick, 0 where it is empty; of two jokers `ahead` does.
constexpr int trick_winner(CardSet trick, int ahead) {
  const CardSet clubs = trick & kClubs, diamonds = trick & kClubs << 13;
  const CardSet hearts = trick & kClubs << 26, spades = trick & kClubs << 39;
  if (const CardSet jokers = trick & (bit(kJokerOne) | bit(kJokerTwo)); jokers != 0) {
    for (int five : {31, 44, 5, 18}) {  // hearts, spades, clubs, diamonds
      if (trick & bit(five)) return five;
    }
    return count(jokers) == 2 ? ahead : std::countr_zero(jokers);
  }
  if (trick == 0) return 0;
  const CardSet best = hearts && diamonds ? hearts
                       : diamonds         ? diamonds
                       : clubs            ? clubs
                       : spades           ? spades
                                          : hearts;
  return 63 - std::countl_zero(best);
}

// For each card, those that it beats when they were played first.
inline constexpr std::array<CardSet, 55> kBeats = [] {
  std::array<CardSet, 55> beats{};
  for (int card = 1; card <= kJokerTwo; ++card) {
    for (int led = 1; led <= kJokerTwo; ++led) {
      if (led != card && trick_winner(bit(led) | bit(card), led) == card) beats[card] |= bit(led);
    }
  }
  return beats;
}();

}  // namespace bot
