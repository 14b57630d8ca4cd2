//! Kleftis, thoughtfully: what each group will be worth, by the chance that somebody can steal it.

use super::{Policy, by_worth, chance_of_none, first_best};
use crate::cards::{Set, bit, each};
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
    number: u8,
    joining: Set,
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

/// A position as one seat weighs its actions in it.
struct Scale<'a> {
    state: &'a State,
    constants: &'a Constants,
    hand: Set,
    unseen: Set,
    others: usize,
    lying: Vec<Lying>,
}

impl<'a> Scale<'a> {
    fn new(state: &'a State, seat: usize, constants: &'a Constants) -> Self {
        let hand = state.hands[seat];
        let secured = state.secured.iter().fold(0, |all, cards| all | cards);
        let others = state.hands.iter().map(|hand| hand.count_ones()).sum::<u32>() - hand.count_ones();
        let unseen = unseen(&state.boards, secured, hand);
        let mut scale = Self { state, constants, hand, unseen, others: others as usize, lying: Vec::with_capacity(16) };
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
                scale.lying.push(Lying { number: group.number, joining: group.joining, kind });
            }
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

    /// What the position is worth after an action, in cards.
    fn worth(&self, action: &Action) -> f64 {
        let (card, number) = match *action {
            Action::Play(card) => (card, None),
            Action::Build(card, group) | Action::Steal(card, _, group) => (card, Some(group)),
            Action::Secure(groups) => return f64::from(groups.count_ones()),
        };
        let hand = self.hand & !bit(card);
        let last = self.state.stock.is_empty() && hand == 0;
        let mut touched = Group::single(u8::MAX, card);
        let mut worth = 0.0;
        for group in &self.lying {
            if Some(group.number) == number {
                let groups = self.state.boards.iter().flatten();
                touched = groups.into_iter().find(|it| it.number == group.number).map_or(touched, |it| it.with(card));
                continue;
            }
            let joins = group.joining & hand != 0;
            worth += match group.kind {
                Kind::Fixed(worth) => worth,
                Kind::Prey => self.constants.prey * f64::from(u8::from(joins)),
                Kind::Own(..) if last => -1.0,
                Kind::Own(joined, alone) => if joins { joined } else { alone },
            };
        }
        let reach = each(hand).fold(0, |reach, card| reach | joining_single(card));
        let share = f64::from((reach & self.unseen).count_ones()) / f64::from(self.unseen.count_ones().max(1));
        let open = if last {
            -f64::from(touched.len) // it was the last turn
        } else {
            let alone = if touched.joining & hand != 0 { 1.0 } else { self.constants.lone };
            self.open(touched.len, self.safe(touched.joining), alone)
        };
        worth + self.constants.reach * share + open
    }
}

impl Policy for State {
    type Constants = Constants;

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        if self.securing {
            return Action::Secure(self.securable());
        }
        let scale = Scale::new(self, seat, constants);
        first_best(self.legal(seat), |action| scale.worth(action)).expect("a legal action")
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        let scale = Scale::new(self, seat, constants);
        by_worth(self.legal(seat), |action| scale.worth(action))
    }
}
