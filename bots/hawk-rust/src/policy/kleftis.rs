//! Kleftis, thoughtfully: what each group will be worth, by the chance that somebody can steal it.

use super::{Policy, by_worth, chance_of_none};
use crate::cards::{Card, Set, bit, each};
use crate::games::Rules;
use crate::games::kleftis::{Action, Group, State, joining_single, unseen};

#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// What another's single card is worth that the hand could steal next turn.
    pub prey: f64,
    /// What it would be worth to be able to steal any unseen card that is played.
    pub reach: f64,
    /// What an own single card is worth that no card of the hand joins.
    pub lone: f64,
    /// What losing a group costs, by a card of it and besides.
    pub stolen: (f64, f64),
    /// What a card of a group that stays is worth.
    pub safe: f64,
}

/// How an open group counts in every action that does not touch it.
struct Lying {
    group: Group,
    owner: usize,
    kind: Kind,
}

enum Kind {
    /// It counts the same whatever the hand holds.
    Fixed(f64),
    /// Another's single card.
    Prey,
    /// An own single card: what it is worth if the hand can build on it, and if not.
    Own(f64, f64),
}

/// What the hand is without a card of it.
struct Without {
    card: Card,
    hand: Set,
    /// What it counts for how many unseen cards the hand could then steal.
    reach: f64,
}

/// A position as one seat weighs its actions in it.
struct Scale<'a> {
    state: &'a State,
    constants: &'a Constants,
    seat: usize,
    unseen: Set,
    others: usize,
    lying: Vec<Lying>,
    without: Vec<Without>,
}

impl<'a> Scale<'a> {
    fn new(state: &'a State, seat: usize, constants: &'a Constants) -> Self {
        let hand = state.hands[seat];
        let secured = state.secured.iter().fold(0, |all, cards| all | cards);
        let others = state.hands.iter().map(|hand| hand.count_ones()).sum::<u32>() - hand.count_ones();
        let unseen = unseen(&state.boards, secured, hand);
        let (lying, without) = (Vec::with_capacity(24), Vec::with_capacity(8));
        let mut scale = Self { state, constants, seat, unseen, others: others as usize, lying, without };
        for (owner, groups) in state.boards.iter().enumerate() {
            for group in groups {
                let size = f64::from(group.len);
                let kind = if owner != seat {
                    if group.len == 1 { Kind::Prey } else { Kind::Fixed(-size) } // its owner will secure it
                } else if group.len > 1 {
                    Kind::Fixed(size) // to be secured at once
                } else {
                    let safe = scale.safe(group.joining);
                    Kind::Own(scale.open(1, safe, 1.0), scale.open(1, safe, constants.lone))
                };
                scale.lying.push(Lying { group: *group, owner, kind });
            }
        }
        for card in each(hand) {
            let hand = hand & !bit(card);
            let reach = each(hand).fold(0, |reach, card| reach | joining_single(card));
            let share = f64::from((reach & unseen).count_ones()) / f64::from(unseen.count_ones().max(1));
            scale.without.push(Without { card, hand, reach: constants.reach * share });
        }
        scale
    }

    fn safe(&self, joining: Set) -> f64 {
        let wanted = (joining & self.unseen).count_ones() as usize;
        chance_of_none(wanted, self.unseen.count_ones() as usize, self.others)
    }

    /// What an own group is worth that lies open until the next turn.
    fn open(&self, size: u8, safe: f64, alone: f64) -> f64 {
        let (by_card, besides) = self.constants.stolen;
        let stays = if size == 1 { alone } else { f64::from(size) * self.constants.safe };
        safe * stays - (1.0 - safe) * (f64::from(size) * by_card + besides)
    }

    /// What the position is worth after a card was played, alone or on a group, in cards.
    fn worth(&self, without: &Without, on: Option<usize>) -> f64 {
        let hand = without.hand;
        let last = hand == 0 && self.state.stock.is_empty();
        let mut worth = 0.0;
        for (place, lying) in self.lying.iter().enumerate() {
            if Some(place) == on {
                continue;
            }
            let joins = lying.group.joining & hand != 0;
            worth += match lying.kind {
                Kind::Fixed(worth) => worth,
                Kind::Prey => self.constants.prey * f64::from(u8::from(joins)),
                Kind::Own(..) if last => -1.0,
                Kind::Own(joined, alone) => {
                    if joins {
                        joined
                    } else {
                        alone
                    }
                }
            };
        }
        let touched = match on {
            Some(place) => self.lying[place].group.with(without.card),
            None => Group::single(u8::MAX, without.card),
        };
        let open = if last {
            -f64::from(touched.len) // it was the last turn
        } else {
            let alone = if touched.joining & hand != 0 { 1.0 } else { self.constants.lone };
            self.open(touched.len, self.safe(touched.joining), alone)
        };
        worth + without.reach + open
    }

    /// All that may be done and what it is worth, each with its place in the documented order.
    fn weigh(&self, mut visit: impl FnMut(f64, (u8, Card, u8), Action)) {
        for without in &self.without {
            let card = without.card;
            visit(self.worth(without, None), (0, card, 0), Action::Play(card));
            for (place, Lying { group, owner, .. }) in self.lying.iter().enumerate() {
                if group.joining & bit(card) == 0 {
                    continue;
                }
                let worth = self.worth(without, Some(place));
                if *owner == self.seat {
                    visit(worth, (1, card, group.number), Action::Build(card, group.number));
                } else {
                    visit(worth, (2, card, group.number), Action::Steal(card, *owner as u8, group.number));
                }
            }
        }
    }
}

impl Policy for State {
    type Constants = Constants;

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        if self.securing {
            return Action::Secure(self.securable());
        }
        let mut best = (f64::NEG_INFINITY, (0, 0, 0), Action::Secure(0));
        Scale::new(self, seat, constants).weigh(|worth, place, action| {
            if worth > best.0 || worth == best.0 && place < best.1 {
                best = (worth, place, action);
            }
        });
        best.2
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        if self.securing {
            let secured = |action: &Action| match action {
                Action::Secure(groups) => f64::from(groups.count_ones()),
                _ => 0.0,
            };
            return by_worth(self.legal(seat), secured);
        }
        let mut all = Vec::new();
        Scale::new(self, seat, constants).weigh(|worth, place, action| all.push((worth, place, action)));
        all.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        all.into_iter().map(|(_, _, action)| action).collect()
    }
}
