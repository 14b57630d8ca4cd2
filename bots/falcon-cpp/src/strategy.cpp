// The hunter: in every game it goes for the opponent that leads, taking from it what can be taken
// and leaving it nothing. Every action is weighed by what it is worth, mostly in cards.
#include "strategy.h"

#include <cmath>

#include "rules.h"
#include "weigh.h"

namespace bot {

using namespace arena::v1;

constexpr double kHatred = 1.5;  // how much more the leader's cards count than another's

Strategy::Strategy(const TableStart& start)
    : spend_cards_(start.nyuri().spend_cards()),
      one_face_(start.nur_mut().model() == NUR_MUT_MODEL_ONE),
      last_joker_(start.hyrule().double_joker() == HYRULE_DOUBLE_JOKER_LAST) {}

int Strategy::choose(const Turn& turn) {
  switch (turn.game_case()) {
    case Turn::kNyuri:
      return nyuri(turn.nyuri());
    case Turn::kFortyOne:
      return forty_one(turn.forty_one());
    case Turn::kNurMut:
      return nur_mut(turn.nur_mut());
    case Turn::kKleftis:
      return kleftis(turn.kleftis());
    case Turn::kHyrule:
      return hyrule(turn.hyrule());
    default:
      return 0;
  }
}

// Steals what gains most, from the leader rather than from others; lays the pile that is least
// likely to be stolen, least of all by the leader.
int Strategy::nyuri(const NyuriView& view) const {
  const NyuriObservation& seen = view.observation();
  const int seats = seen.piles_size(), own = seat_of(seen.seat(), seats);
  const double swing = 1 + 1.0 / std::max(1, seats - 1);  // what one loses another has gained
  const auto pile = [&](int seat) {
    const bool there = seat >= 0 && seat < seats;
    return there ? bit(seen.piles(seat).base()) | bit(seen.piles(seat).guard()) : 0;
  };
  CardSet hidden = kDeck & ~(set_of(seen.hand()) | set_of(seen.spent()));
  for (int seat = 0; seat < seats; ++seat) hidden &= ~pile(seat);
  const int quarry =
      leader(seats, own, [&](int seat) { return at(seen.hand_sizes(), seat) + count(pile(seat)); });

  return best(view.legal_actions(), [&](const NyuriAction& action) {
    if (action.has_draw()) return 1.0;
    if (action.has_steal()) {
      const int owner = action.steal().owner(), shown = action.steal().cards_size();
      const double net = count(pile(owner)) - (shown == 3) - shown * spend_cards_;
      const double bid = 0.001 * nyuri_worth(set_of(action.steal().cards()));
      return net * swing * (owner == quarry ? kHatred : 1) + (seats > 2 ? bid : -bid);
    }
    const CardSet cards =
        action.has_place() ? bit(action.place().base()) | bit(action.place().guard()) : pile(own);
    const int suit = cards ? suit_of(std::countr_zero(cards)) : 0, bar = nyuri_worth(cards);
    double two = 0, three = 0;  // the ways to steal it that the others may have
    for (int seat = 0; seat < seats; ++seat) {
      if (seat == own) continue;
      const double any =
          static_cast<double>(at(seen.hand_sizes(), seat)) / std::max(1, count(hidden));
      std::array<double, 15> held{};  // how likely the seat holds the card of each value
      each(hidden & kClubs << 13 * suit,
           [&](int card) { held[nyuri_value(card)] = std::min(1.0, any); });
      const double hate = seat == quarry ? kHatred : 1;
      for (int high = 14; high >= 2; --high) {
        if (held[high] == 0) continue;
        two += high > bar ? hate * held[high] : 0;
        for (int low = high - 1; low >= 2 && high <= bar; --low) {
          const double pair = hate * held[high] * held[low];
          two += high + low > bar ? pair : 0;
          if (pair == 0 || high + low > bar || bar <= 10) continue;
          for (int third = low - 1; third >= 2 && high + low + third > bar; --third) {
            three += pair * held[third];
          }
        }
      }
    }
    const double by_two = 1 - std::exp(-two), by_three = std::exp(-two) - std::exp(-two - three);
    const double loss = by_two * count(cards) + by_three * (count(cards) - 1);
    return -swing * loss - 0.03 * bar;  // high cards are better kept, for they steal
  });
}

// Collects one suit and stops early, earlier still when the others are seen to collect one.
// Gives the next seat nothing of the suit that it took last.
int Strategy::forty_one(const FortyOneView& view) const {
  const FortyOneObservation& seen = view.observation();
  const CardSet hand = set_of(seen.hand());
  const int seats = std::max(1, seen.hand_sizes_size()), own = seat_of(seen.seat(), seats);
  int taken[5] = {}, most = 0, wanted = -1;  // the others' takings by suit
  for (int number = 0; number < seen.taken_size(); ++number) {
    if (!seen.taken(number)) continue;
    const int taker = (seen.starter() + number + 1) % seats;
    const int card = known(at(seen.discards(), number));
    if (taker == own) continue;
    most = std::max(most, ++taken[suit_of(card)]);
    if (taker == (own + 1) % seats) wanted = suit_of(card);
  }
  const auto promise = [](CardSet cards) {  // the best suit, and a little for the second
    auto points = forty_one_points(cards);
    std::sort(points.rbegin(), points.rend());
    return points[0] + 0.1 * points[1];
  };
  double with_discard = 0;
  const int offered = known(at(seen.discards(), seen.discards_size() - 1));
  each(hand, [&](int card) {
    with_discard = std::max(with_discard, promise((hand & ~bit(card)) | bit(offered)));
  });
  const int score = forty_one_score(hand), enough = most >= 3 ? 16 : 22;
  return best(view.legal_actions(), [&](const FortyOneAction& action) {
    if (action.has_discard()) {
      const int card = known(action.discard().card());
      const double gift = suit_of(card) == wanted ? forty_one_score(bit(card)) : 0;
      return promise(hand & ~bit(card)) - 0.3 * gift;
    }
    if (action.has_end_play()) return seen.stock() == 0 || score >= enough ? 3.0 : 0;
    if (action.has_take_discard()) return with_discard > promise(hand) + 0.5 ? 2.0 : 0;
    return 1.0;
  });
}

// Lays what fits where it helps the others least, above all who is nearly out; shows courage
// where the odds of the hidden face pay for it.
int Strategy::nur_mut(const NurMutView& view) const {
  const NurMutObservation& seen = view.observation();
  const int seats = std::max(1, seen.deck_sizes_size()), own = seat_of(seen.seat(), seats);
  const int next = (own + 1) % seats, deck = at(seen.deck_sizes(), own);
  const int top = at(seen.top_faces(), own);
  const int quarry = leader(seats, own, [&](int seat) { return -at(seen.deck_sizes(), seat); });
  const double laid = deck == 1 ? 10 : 1;
  int piles[3] = {at(seen.piles(), 0), at(seen.piles(), 1), at(seen.piles(), 2)};
  double likely = 0, all = 0;  // the faces that may come up, and those of them that fit
  for (int face = NUR_MUT_FACE_ONE; face <= NUR_MUT_FACE_JOKER; ++face) {
    if (face == top && !one_face_) continue;
    const double copies = face == NUR_MUT_FACE_JOKER ? (one_face_ ? 9 : 1) : (one_face_ ? 8 : 2);
    all += copies;
    likely += fits_some(face, std::to_array(piles)) ? copies : 0;
  }
  likely /= all;
  int price = 0;  // of failed courage: the highest pile
  for (int pile = 0; pile < 3; ++pile) {
    if (piles[pile] == *std::max_element(piles, piles + 3)) {
      price = std::max(price, at(seen.pile_sizes(), pile));
    }
  }
  const auto help = [&](const auto& tops) {  // how much piles help those to come
    double help = 0;
    for (int seat : {next, quarry}) {
      if (seat < 0 || !fits_some(at(seen.top_faces(), seat), tops)) continue;
      help += at(seen.deck_sizes(), seat) == 1 ? (seat == next ? 10 : 3) : 0.2;
    }
    return help;
  };
  return best(view.legal_actions(), [&](const NurMutAction& action) {
    auto tops = std::to_array(piles);
    if (action.has_place() || action.has_choose_pile()) {
      const auto pile = action.has_place() ? action.place().pile() : action.choose_pile().pile();
      if (pile < 3) tops[pile] = seen.has_flipped() ? seen.flipped() : top;
      return laid - help(tops);
    }
    if (action.has_courage()) {
      const double further = deck == 1 ? 0 : 0.6;
      const double out = at(seen.deck_sizes(), next) == 1 ? 10 : seats > 2 ? 0.5 : 0;
      return likely * (laid + further) - (1 - likely) * (price + out);
    }
    if (action.has_try_top()) return likely * laid;
    return (action.has_tuck() ? 0.2 : 0) - help(tops);
  });
}

// Weighs what each group will be worth by the chance that somebody can steal it; what the leader
// is about to secure counts more than what others are.
int Strategy::kleftis(const KleftisView& view) {
  for (const KleftisEvent& event : view.events()) {
    if (event.has_secured()) secured_ |= set_of(event.secured().cards());
    if (event.has_deal_ended()) secured_ = 0;
  }
  const KleftisObservation& seen = view.observation();
  const int seats = seen.dashboards_size(), own = seat_of(seen.seat(), seats);
  const CardSet hand = set_of(seen.hand());
  CardSet unseen = kDeck & ~(secured_ | hand);
  int others = 0;  // the cards in the others' hands
  for (int seat = 0; seat < seats; ++seat) {
    others += seat == own ? 0 : at(seen.hand_sizes(), seat);
    for (const auto& group : seen.dashboards(seat).groups()) unseen &= ~set_of(group.cards());
  }
  const int quarry = leader(seats, own, [&](int seat) {
    int score = seen.dashboards(seat).secured();
    for (const auto& group : seen.dashboards(seat).groups()) {
      score += group.cards_size() > 1 ? group.cards_size() : 0;
    }
    return score;
  });
  const auto exposed = [&](const Meld& meld, CardSet left) {  // an own group, until the next turn
    if (seen.stock() == 0 && left == 0) return -1.0 * meld.size;  // there is none
    const double safe = chance_of_none(count(meld.joining() & unseen), count(unseen), others);
    const double alone = meld.joining() & left ? 1 : -0.5;
    return safe * (meld.size == 1 ? alone : meld.size) - (1 - safe) * (meld.size + 1);
  };
  return best(view.legal_actions(), [&](const KleftisAction& action) {
    if (action.has_secure()) return 1.0 * action.secure().groups_size();
    const bool builds = action.has_build(), steals = action.has_steal();
    const int card = known(builds   ? action.build().card()
                           : steals ? action.steal().card()
                                    : action.play().card());
    const auto target = builds ? action.build().group() : action.steal().group();
    const CardSet left = hand & ~bit(card);
    Meld mine(card);
    double worth = 0;
    for (int seat = 0; seat < seats; ++seat) {
      for (const auto& group : seen.dashboards(seat).groups()) {
        const Meld meld = Meld::of(group.cards());
        if ((builds || steals) && group.group() == target) {
          mine = meld.with(card);
        } else if (seat == own) {
          worth += meld.size > 1 ? meld.size : exposed(meld, left);
        } else {
          const double lost = meld.size > 1 ? meld.size : meld.joining() & left ? -0.5 : 0;
          worth -= lost * (seat == quarry ? kHatred : 1);
        }
      }
    }
    CardSet reach = 0;  // what the hand could steal once it is played
    each(left, [&](int other) { reach |= Meld(other).joining(); });
    return worth + 3.0 * count(reach & unseen) / std::max(1, count(unseen)) + exposed(mine, left);
  });
}

// Wins with the card that is needed least later on; what it cannot win it spoils for the leader.
int Strategy::hyrule(const HyruleView& view) const {
  const HyruleObservation& seen = view.observation();
  const CardSet hand = set_of(seen.hand());
  CardSet trick = 0;
  for (const auto& played : seen.trick()) trick |= bit(played.card());
  const CardSet unseen =
      kAllCards & ~(hand | trick | set_of(seen.played()) | set_of(seen.discards()));
  const int seats = seen.hand_sizes_size(), to_come = seats - 1 - seen.trick_size();
  const int choice = seen.phase() == HYRULE_PHASE_SEAL ? 1 : count(hand);  // sealed: blindly
  const int quarry = leader(seats, seat_of(seen.seat(), seats),
                            [&](int seat) { return at(seen.captured(), seat); });
  return best(view.legal_actions(), [&](const HyruleAction& action) {
    const int card = known(action.has_swap() ? action.swap().card() : action.play().card());
    CardSet once = 0, twice = 0;  // the cards to which the rest of the hand has answers
    each(hand & ~bit(card), [&](int other) {
      twice |= once & kBeats[other];
      once |= kBeats[other];
    });
    const double ready =
        (0.7 * count(once & unseen) + 0.3 * count(twice & unseen)) / std::max(1, count(unseen));
    if (action.has_swap()) return 0.8 + 0.1 * ready;  // to play last is worth a lot

    const CardSet with = trick | bit(card);
    const int first = trick & bit(kJokerOne)   ? kJokerOne
                      : trick & bit(kJokerTwo) ? kJokerTwo
                                               : card;
    const int ahead = last_joker_ ? kJokerOne + kJokerTwo - first : first;
    const int winner = trick_winner(with, ahead);
    double chance = 0;
    if (winner == card) {
      int beaters = 0;
      each(unseen, [&](int other) { beaters += trick_winner(with | bit(other), ahead) != card; });
      chance = chance_of_none(beaters, count(unseen), to_come * choice);
    }
    for (const auto& played : seen.trick()) {
      if (played.card() == winner && static_cast<int>(played.seat()) == quarry) chance -= 0.2;
    }
    return chance + (to_come == 0 ? 0.3 : 0.05) * ready;
  });
}

}  // namespace bot
