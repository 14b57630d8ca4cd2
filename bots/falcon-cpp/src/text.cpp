#include "text.h"

#include "cards.h"

namespace bot {
namespace {

using namespace arena::v1;
using std::to_string;

template <class Numbers, class Text>
std::string joined(const Numbers& numbers, Text text) {
  std::string all;
  for (auto number : numbers) {
    all += ' ';
    all += text(number);
  }
  return all;
}

std::string text(const NyuriAction& action) {
  switch (action.kind_case()) {
    case NyuriAction::kLeave:
      return "leave";
    case NyuriAction::kPlace: {
      const NyuriPlace& place = action.place();
      const std::string guard =
          place.has_guard() ? " guarded by " + card_text(place.guard()) : std::string();
      return "place " + card_text(place.base()) + guard;
    }
    case NyuriAction::kDraw:
      return "draw";
    case NyuriAction::kSteal:
      return "steal from seat " + to_string(action.steal().owner()) + " with" +
             joined(action.steal().cards(), card_text);
    default:
      return "?";
  }
}

std::string text(const FortyOneAction& action) {
  switch (action.kind_case()) {
    case FortyOneAction::kDrawStock:
      return "draw from the stock";
    case FortyOneAction::kTakeDiscard:
      return "take the discard";
    case FortyOneAction::kEndPlay:
      return "end play";
    case FortyOneAction::kDiscard:
      return "discard " + card_text(action.discard().card());
    default:
      return "?";
  }
}

std::string text(const NurMutAction& action) {
  switch (action.kind_case()) {
    case NurMutAction::kPassTurn:
      return "pass";
    case NurMutAction::kTuck:
      return "tuck the top card";
    case NurMutAction::kPlace:
      return "place the top card on pile " + to_string(action.place().pile());
    case NurMutAction::kTryTop:
      return "try the top card";
    case NurMutAction::kCourage:
      return "courage";
    case NurMutAction::kChoosePile:
      return "lay the flipped card on pile " + to_string(action.choose_pile().pile());
    default:
      return "?";
  }
}

std::string text(const KleftisAction& action) {
  switch (action.kind_case()) {
    case KleftisAction::kPlay:
      return "play " + card_text(action.play().card());
    case KleftisAction::kBuild:
      return "build " + card_text(action.build().card()) + " on group " +
             to_string(action.build().group());
    case KleftisAction::kSteal:
      return "steal group " + to_string(action.steal().group()) + " from seat " +
             to_string(action.steal().owner()) + " with " + card_text(action.steal().card());
    case KleftisAction::kSecure: {
      const auto& groups = action.secure().groups();
      if (groups.empty()) return "secure nothing";
      return (groups.size() > 1 ? "secure groups" : "secure group") +
             joined(groups, [](auto group) { return to_string(group); });
    }
    default:
      return "?";
  }
}

std::string text(const HyruleAction& action) {
  switch (action.kind_case()) {
    case HyruleAction::kPlay:
      return "play " + card_text(action.play().card());
    case HyruleAction::kSwap:
      return "swap " + card_text(action.swap().card());
    default:
      return "?";
  }
}

// What `with` makes of the legal actions of a turn, whatever its game; `other` without a game.
template <class With, class Result>
Result with_actions(const Turn& turn, With with, Result other) {
  switch (turn.game_case()) {
    case Turn::kNyuri:
      return with(turn.nyuri().legal_actions());
    case Turn::kFortyOne:
      return with(turn.forty_one().legal_actions());
    case Turn::kNurMut:
      return with(turn.nur_mut().legal_actions());
    case Turn::kKleftis:
      return with(turn.kleftis().legal_actions());
    case Turn::kHyrule:
      return with(turn.hyrule().legal_actions());
    default:
      return other;
  }
}

}  // namespace

int action_count(const Turn& turn) {
  return with_actions(turn, [](const auto& actions) { return actions.size(); }, 0);
}

std::string action_text(const Turn& turn, int index) {
  const auto of_index = [index](const auto& actions) {
    return index >= 0 && index < actions.size() ? text(actions[index]) : std::string("?");
  };
  return with_actions(turn, of_index, std::string("?"));
}

std::string card_text(int card) {
  static constexpr const char* kRanks[] = {"A", "2", "3",  "4", "5", "6", "7",
                                           "8", "9", "10", "J", "Q", "K"};
  static constexpr const char* kSuits[] = {"♣", "♦", "♥", "♠"};
  if (card < 1 || card > 54) return "?";
  if (card > 52) return card == 53 ? "JK1" : "JK2";
  return std::string(kRanks[rank_of(card) - 1]) + kSuits[suit_of(card)];
}

}  // namespace bot
