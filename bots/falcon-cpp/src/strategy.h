// The strategy: the only part to change for a bot of your own.
#pragma once

#include "arena/v1/bot.pb.h"
#include "cards.h"

namespace bot {

// Plays one seat of one table. There is one object per table, so its fields are the memory of a
// game; the runtime makes it at the table's start and destroys it at the table's end.
class Strategy {
 public:
  explicit Strategy(const arena::v1::TableStart& start);

  // Chooses one of the turn's legal actions: returns its index, from 0.
  int choose(const arena::v1::Turn& turn);

 private:
  int nyuri(const arena::v1::NyuriView& view) const;
  int forty_one(const arena::v1::FortyOneView& view) const;
  int nur_mut(const arena::v1::NurMutView& view) const;
  int kleftis(const arena::v1::KleftisView& view);
  int hyrule(const arena::v1::HyruleView& view) const;

  bool spend_cards_;     // Nyuri: cards shown for a pile are lost
  bool one_face_;        // Nur Mut: cards have one face
  bool last_joker_;      // Hyrule: of two jokers the last wins
  CardSet secured_ = 0;  // Kleftis: the cards lying face down
};

}  // namespace bot
