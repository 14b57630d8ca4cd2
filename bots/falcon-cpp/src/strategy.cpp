// How falcon plays: against the leader, the opponent that is ahead.
// This is the file to edit: one function per game says what each action is worth, and the best is
// played. The observation, `seen`, is all that the seat may see.
#include "strategy.h"

#include <map>

#include "cards.h"

using namespace arena::v1;
using namespace bot;

// The index of the first of the actions that are worth most.
static int best(const auto& actions, auto worth) {
  const auto less = [&](const auto& one, const auto& other) { return worth(one) < worth(other); };
  return std::distance(actions.begin(), std::max_element(actions.begin(), actions.end(), less));
}

// The opponent with the most of something, or where sign is -1 with the least.
static int leader(const auto& counts, int own, int sign = 1) {
  int ahead = own == 0 ? 1 : 0;
  for (int seat = ahead + 1; seat < counts.size(); ++seat) {
    if (seat != own && sign * int(counts[seat]) > sign * int(counts[ahead])) ahead = seat;
  }
  return ahead;
}

// Steals from the fullest hand first, with few low cards; lays a single high card.
static int nyuri(const NyuriView& view, const NyuriObservation& seen) {
  const unsigned quarry = leader(seen.hand_sizes(), seen.seat());
  return best(view.legal_actions(), [&](const NyuriAction& action) {
    if (action.has_place()) return action.place().has_guard() ? 0 : height(action.place().base());
    if (!action.has_steal()) return action.has_leave() ? 10 : 0;
    int worth = action.steal().owner() == quarry ? 150 : 100;
    for (int card : action.steal().cards()) worth -= height(card);
    return action.steal().cards_size() < 3 ? worth : -1;  // three cards cost one
  });
}

// Collects one suit and stops with 20 points, before anybody is far ahead.
static int forty_one(const FortyOneView& view, const FortyOneObservation& seen) {
  const int now = best_suit(seen.hand(), 0, 0);
  const int top = seen.discards().empty() ? 0 : *seen.discards().rbegin();
  return best(view.legal_actions(), [&](const FortyOneAction& action) {
    if (action.has_discard()) return best_suit(seen.hand(), action.discard().card(), 0);
    if (action.has_end_play()) return now >= 20 || seen.stock() == 0 ? 3 : 0;
    return action.has_draw_stock() ? 1 : best_suit(seen.hand(), 0, top) > now ? 2 : 0;
  });
}

// Lays where the smallest deck could be laid; shows courage only when that is nearly empty.
static int nur_mut(const NurMutView& view, const NurMutObservation& seen) {
  const int quarry = leader(seen.deck_sizes(), seen.seat(), -1);
  const unsigned piles = seen.piles_size();
  if (quarry >= seen.deck_sizes_size() || quarry >= seen.top_faces_size()) return 0;
  return best(view.legal_actions(), [&](const NurMutAction& action) {
    if (action.has_courage()) return seen.deck_sizes(quarry) < 3 ? 3 : 0;
    if (!action.has_place() && !action.has_choose_pile()) return action.has_pass_turn() ? 1 : 2;
    const unsigned pile = action.has_place() ? action.place().pile() : action.choose_pile().pile();
    return pile < piles && fits(seen.top_faces(quarry), seen.piles(pile)) ? 5 : 4;
  });
}

// Steals from whoever has secured most; builds on single cards and lets pairs be secured.
static int kleftis(const KleftisView& view, const KleftisObservation& seen) {
  std::map<unsigned, int> sizes, riches;  // of each group, and what its owner has secured
  for (const auto& dashboard : seen.dashboards()) {
    for (const auto& group : dashboard.groups()) {
      sizes[group.group()] = group.cards_size();
      riches[group.group()] = dashboard.secured();
    }
  }
  return best(view.legal_actions(), [&](const KleftisAction& action) {
    if (action.has_secure()) return action.secure().groups_size();
    if (action.has_steal()) return 100 + riches[action.steal().group()];
    if (action.has_build()) return sizes[action.build().group()] == 1 ? 50 : -1;
    const auto friendly = [&](int card) { return friends(card, action.play().card()); };
    return int(std::ranges::count_if(seen.hand(), friendly));
  });
}

// Swaps, to play after the leader; wins cheaply when it is last, else with its best card.
static int hyrule(const HyruleView& view, const HyruleObservation& seen) {
  std::vector<int> trick;
  for (const auto& played : seen.trick()) trick.push_back(played.card());
  const int thrift = seen.trick_size() + 1 == seen.hand_sizes_size() ? 1 : -1;
  return best(view.legal_actions(), [&](const HyruleAction& action) {
    const int card = action.has_swap() ? action.swap().card() : action.play().card();
    auto with = trick;
    with.push_back(card);
    if (action.has_swap()) return 300 - strength(card);
    return winner(with) == card ? 100 - thrift * strength(card) : -strength(card);
  });
}

int bot::Strategy::choose(const Turn& turn) {
  if (turn.has_nyuri()) return nyuri(turn.nyuri(), turn.nyuri().observation());
  if (turn.has_forty_one()) return forty_one(turn.forty_one(), turn.forty_one().observation());
  if (turn.has_nur_mut()) return nur_mut(turn.nur_mut(), turn.nur_mut().observation());
  if (turn.has_kleftis()) return kleftis(turn.kleftis(), turn.kleftis().observation());
  if (turn.has_hyrule()) return hyrule(turn.hyrule(), turn.hyrule().observation());
  return 0;
}
