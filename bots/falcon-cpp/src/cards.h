// Cards by their number in the protocol, and sets of cards as 64 bits.
#pragma once

#include <bit>
#include <cstdint>

namespace bot {

using CardSet = std::uint64_t;  // bit n for card number n

constexpr int kJokerOne = 53;
constexpr int kJokerTwo = 54;
constexpr CardSet kAllCards = ((CardSet{1} << 55) - 1) & ~CardSet{1};
constexpr CardSet kDeck = ((CardSet{1} << 53) - 1) & ~CardSet{1};  // without jokers

// A number from the wire as a card, or 0 for one that this bot does not know.
constexpr int known(int number) { return number >= 1 && number <= kJokerTwo ? number : 0; }

constexpr CardSet kClubs = ((CardSet{1} << 13) - 1) << 1;  // shift by 13 for each suit above

// Of known cards: 0 clubs, 1 diamonds, 2 hearts, 3 spades, 4 joker; and 1 (ace) to 13 (king).
constexpr int suit_of(int card) { return (card - 1) / 13; }
constexpr int rank_of(int card) { return (card - 1) % 13 + 1; }

constexpr CardSet bit(int number) { return known(number) ? CardSet{1} << number : 0; }

constexpr int count(CardSet cards) { return std::popcount(cards); }

template <class Numbers>
CardSet set_of(const Numbers& numbers) {
  CardSet cards = 0;
  for (int number : numbers) cards |= bit(number);
  return cards;
}

// Calls `with(card)` for every card of a set, by number.
template <class With>
void each(CardSet cards, With with) {
  for (; cards != 0; cards &= cards - 1) with(std::countr_zero(cards));
}

}  // namespace bot
