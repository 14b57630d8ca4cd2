//! Kleftis, thoughtfully: what each group will be worth, by the chance that somebody can steal it.

use super::kleftis_rollout::{self, GROUP, Rollout};
use super::{Ends, Policy, by_worth};
use crate::cards::{Card, Set, bit, each};
use crate::games::kleftis::{Action, Group, State, joining_single};
use crate::games::{MOST_SEATS, Rules};

/// The numbers of the rules of thumb; worths are in cards. Some change as the stock does: by so much from 14 cards
/// dealt to none left.
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// What another's single card is worth that the hand could steal next turn.
    pub prey: f64,
    pub prey_early: f64,
    /// What it would be worth to be able to steal any unseen card that is played.
    pub reach: f64,
    pub reach_early: f64,
    /// What it would be worth besides to be able to do so by two cards.
    pub reach_by_two: f64,
    /// What an own single card is worth that stays and that no card of the hand joins.
    pub lone: f64,
    pub lone_early: f64,
    /// What one is worth that a card of the hand joins.
    pub joined: f64,
    /// What losing a group costs, by a card of it and besides.
    pub stolen: (f64, f64),
    /// What a card of a group that stays is worth.
    pub safe: f64,
    /// What it is worth besides that a card of the hand joins the group: if the group stays, and if it is stolen.
    pub guarded: (f64, f64),
    /// What a card of an own group is worth that may be secured at once.
    pub banked: f64,
}

/// The numbers of `Constants` in their order.
pub type Numbers = [f64; 14];

/// What some worths are now.
pub struct Now {
    pub prey: f64,
    pub reach: f64,
    pub lone: f64,
}

impl Constants {
    /// By their numbers, those of a pair one after the other.
    pub const fn new(numbers: &Numbers) -> Self {
        let [prey, prey_early, reach, reach_early, reach_by_two, lone, lone_early, joined, ..] = *numbers;
        let [.., by_card, besides, safe, stays, lost, banked] = *numbers;
        let (stolen, guarded) = ((by_card, besides), (stays, lost));
        Self {
            prey,
            prey_early,
            reach,
            reach_early,
            reach_by_two,
            lone,
            lone_early,
            joined,
            stolen,
            safe,
            guarded,
            banked,
        }
    }

    /// What some worths are by the cards of the stock.
    #[inline(always)]
    pub fn now(&self, stock: usize) -> Now {
        let early = stock as f64 / 38.0 - 0.5;
        Now {
            prey: self.prey + self.prey_early * early,
            reach: self.reach + self.reach_early * early,
            lone: self.lone + self.lone_early * early,
        }
    }

    /// What an own group is worth that lies open until the next turn, by what it is worth if it stays.
    #[inline(always)]
    pub fn open(&self, size: u8, safe: f64, stays: f64) -> f64 {
        let (by_card, besides) = self.stolen;
        safe * stays - (1.0 - safe) * (f64::from(size) * by_card + besides)
    }

    /// The same of a group of two or more, by whether a card of the hand joins it.
    #[inline(always)]
    pub fn group(&self, size: u8, safe: f64, guarded: bool) -> f64 {
        let (stays, stolen) = self.guarded;
        let guarded = f64::from(u8::from(guarded));
        self.open(size, safe, f64::from(size) * self.safe + guarded * stays) + (1.0 - safe) * guarded * stolen
    }

    /// What a group of two or more is worth that lies there.
    #[inline(always)]
    pub fn lying(&self, size: u8, own: bool) -> f64 {
        f64::from(size) * if own { self.banked } else { -1.0 }
    }
}

/// The most cards that may join a group.
pub const JOINING: usize = 5;

/// The chance that nobody holds a card that is wanted: by the unseen cards, how many of them others hold, and
/// how many are wanted.
pub static NONE: [[[f64; JOINING + 1]; 53]; 53] = {
    let mut ways = [[0.0; 53]; 53];
    let mut of = 0;
    while of < 53 {
        ways[of][0] = 1.0;
        let mut chosen = 1;
        while chosen <= of {
            ways[of][chosen] = ways[of - 1][chosen - 1] + ways[of - 1][chosen];
            chosen += 1;
        }
        of += 1;
    }
    let mut table = [[[0.0; JOINING + 1]; 53]; 53];
    let mut unseen = 0;
    while unseen < 53 {
        let mut held = 0;
        while held <= unseen {
            let mut wanted = 0;
            while wanted <= JOINING && wanted <= unseen {
                table[unseen][held][wanted] = ways[unseen - wanted][held] / ways[unseen][held];
                wanted += 1;
            }
            held += 1;
        }
        unseen += 1;
    }
    table
};

/// A position as one seat weighs its actions in it.
struct Scale<'a> {
    state: &'a State,
    constants: &'a Constants,
    seat: usize,
    hand: Set,
    unseen: Set,
    now: Now,
    /// The chance that nobody holds one of so many wanted cards.
    none: &'static [f64; JOINING + 1],
}

impl<'a> Scale<'a> {
    fn new(state: &'a State, seat: usize, constants: &'a Constants) -> Self {
        let hand = state.hands[seat];
        let unseen = state.unseen(seat);
        let others = state.hands.iter().map(|hand| hand.count_ones()).sum::<u32>() - hand.count_ones();
        let count = unseen.count_ones();
        let none = &NONE[count as usize][others.min(count) as usize];
        let now = constants.now(state.stock.len());
        Self { state, constants, seat, hand, unseen, now, none }
    }

    fn safe(&self, joining: Set) -> f64 {
        self.none[(joining & self.unseen).count_ones() as usize]
    }

    /// What an own single card is worth, by whether a card of the hand joins it.
    fn single(&self, joining: Set, joins: bool) -> f64 {
        let stays = if joins { self.constants.joined } else { self.now.lone };
        self.constants.open(1, self.safe(joining), stays)
    }

    /// What a group is worth that lies there, by whether a card of the hand joins it.
    fn lying(&self, group: &Group, joins: bool) -> f64 {
        match (usize::from(group.owner) == self.seat, group.len) {
            (false, 1) => self.now.prey * f64::from(u8::from(joins)),
            (true, 1) => self.single(group.joining, joins),
            (own, size) => self.constants.lying(size, own), // its owner will secure it
        }
    }

    /// What it is worth to be able to steal those of the unseen cards by one card, and those by two.
    fn reach(&self, once: Set, twice: Set) -> f64 {
        let share =
            |cards: Set| f64::from((cards & self.unseen).count_ones()) / f64::from(self.unseen.count_ones().max(1));
        self.now.reach * share(once) + self.constants.reach_by_two * share(twice)
    }

    /// What the position is worth after a card was played, alone or on a group, in cards.
    fn worth(&self, card: Card, on: Option<usize>) -> f64 {
        let hand = self.hand & !bit(card);
        let last = hand == 0 && self.state.stock.is_empty();
        let mut worth = 0.0;
        for owner in 0..self.state.hands.len() {
            for (place, group) in self.state.groups.iter().enumerate() {
                if usize::from(group.owner) != owner || Some(place) == on {
                    continue;
                }
                let lost = last && owner == self.seat && group.len == 1;
                worth += if lost { -1.0 } else { self.lying(group, group.joining & hand != 0) };
            }
        }
        let (once, twice) = each(hand)
            .map(joining_single)
            .fold((0, 0), |(once, twice), joining| (once | joining, twice | once & joining));
        let touched = match on {
            Some(place) => self.state.groups[place].with(card),
            None => Group::single(self.seat, u8::MAX, card),
        };
        let joins = touched.joining & hand != 0;
        let open = match touched.len {
            size if last => -f64::from(size), // it was the last turn
            1 => self.single(touched.joining, joins),
            size => self.constants.group(size, self.safe(touched.joining), joins),
        };
        worth + self.reach(once, twice) + open
    }

    /// All that may be done: each card, alone or on the group at a place.
    fn each(&self, mut visit: impl FnMut(Card, Option<usize>)) {
        each(self.hand).for_each(|card| visit(card, None));
        for (place, group) in self.state.groups.iter().enumerate() {
            each(group.joining & self.hand).for_each(|card| visit(card, Some(place)));
        }
    }

    fn action(&self, card: Card, on: Option<usize>) -> Action {
        match on.map(|place| self.state.groups[place]) {
            None => Action::Play(card),
            Some(group) if usize::from(group.owner) == self.seat => Action::Build(card, group.number),
            Some(group) => Action::Steal(card, group.owner, group.number),
        }
    }
}

/// The place of an action in the documented order.
fn order(action: &Action) -> (u8, Card, u8) {
    match *action {
        Action::Play(card) => (0, card, 0),
        Action::Build(card, group) => (1, card, group),
        Action::Steal(card, _, group) => (2, card, group),
        Action::Secure(_) => (3, 0, 0),
    }
}

const THOUGHTFUL: Constants = Constants {
    prey: 0.5,
    prey_early: 0.0,
    reach: 3.0,
    reach_early: 0.0,
    reach_by_two: 0.0,
    lone: -0.5,
    lone_early: 0.0,
    joined: 1.0,
    stolen: (1.0, 1.0),
    safe: 1.0,
    guarded: (0.0, 0.0),
    banked: 1.0,
};

/// thoughtful's constants, and others that beat it without search: at two seats, at three, at four.
static STYLES: [[Constants; 2]; 3] = [
    [
        THOUGHTFUL,
        Constants::new(&[
            0.989, 0.465, 15.558, -2.478, 3.454, -0.35, -0.166, 1.313, 1.125, 0.031, 1.142, 0.905, 0.327, 0.558,
        ]),
    ],
    [
        THOUGHTFUL,
        Constants::new(&[
            1.094, -0.184, 5.78, 4.958, 0.569, -0.769, -1.001, 1.982, 0.686, 0.031, 1.384, 1.523, 2.694, 0.913,
        ]),
    ],
    [
        THOUGHTFUL,
        Constants::new(&[
            1.184, 0.113, 1.66, 0.484, 0.364, -1.252, -1.181, 2.227, 0.766, 0.439, 1.836, 0.871, 3.233, 1.371,
        ]),
    ],
];

impl Policy for State {
    type Constants = Constants;

    fn styles(&self) -> &'static [Constants] {
        &STYLES[self.hands.len().clamp(2, 4) - 2]
    }

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        if self.securing {
            return Action::Secure(self.securable());
        }
        let scale = Scale::new(self, seat, constants);
        let mut best = (f64::NEG_INFINITY, Action::Secure(0));
        scale.each(|card, on| {
            let (worth, action) = (scale.worth(card, on), scale.action(card, on));
            if worth > best.0 || worth == best.0 && order(&action) < order(&best.1) {
                best = (worth, action);
            }
        });
        best.1
    }

    fn quick(&self, seat: usize, constants: &Constants) -> Action {
        if self.securing {
            return self.choose(seat, constants);
        }
        let mut rollout = Rollout::new(self);
        let (card, on) = rollout.choose(seat, constants);
        let place = match on {
            0 => None,
            GROUP.. => self.groups.iter().position(|group| group.len > 1 && group.first() == on - GROUP),
            _ => self.groups.iter().position(|group| group.is_single(on)),
        };
        Scale::new(self, seat, constants).action(card, place)
    }

    fn finish(&self, by: &[&Constants; MOST_SEATS]) -> Option<Ends> {
        Some(kleftis_rollout::finish(self, by))
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        if self.securing {
            let secured = |action: &Action| match action {
                Action::Secure(groups) => f64::from(groups.count_ones()),
                _ => 0.0,
            };
            return by_worth(self.legal(seat), secured);
        }
        let scale = Scale::new(self, seat, constants);
        let mut all = Vec::new();
        scale.each(|card, on| all.push((scale.worth(card, on), scale.action(card, on))));
        all.sort_by(|one, other| other.0.total_cmp(&one.0).then(order(&one.1).cmp(&order(&other.1))));
        all.into_iter().map(|(_, action)| action).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::{Chance, Random};
    use crate::games::Silent;

    /// What an action is worth to the seat that acts.
    fn worth(state: &State, constants: &Constants, action: &Action) -> f64 {
        let scale = Scale::new(state, state.seat, constants);
        let mut found = None;
        scale.each(|card, on| {
            if scale.action(card, on) == *action {
                found = Some(scale.worth(card, on));
            }
        });
        found.expect("a legal action")
    }

    #[test]
    fn the_quick_choice_is_worth_as_much_as_thoughtfuls() {
        let mut equal = 0;
        let mut compared = 0;
        for number in 0..300 {
            let mut random = Random::new(number);
            let mut deck = State::deck(&State::usual());
            random.shuffle(&mut deck);
            let mut state = State::new(&State::usual(), 2 + number as usize % 3, 0, &deck, &mut random, &mut Silent);
            while let Some(seat) = state.to_act() {
                let constants = &state.styles()[random.below(2)];
                let (choice, quick) = (state.choose(seat, constants), state.quick(seat, constants));
                if !state.securing {
                    compared += 1;
                    equal += usize::from(choice == quick);
                    let lost = worth(&state, constants, &choice) - worth(&state, constants, &quick);
                    assert!(lost < 1e-6, "{quick:?} is worth {lost} less than {choice:?} in {state:?}");
                }
                let legal = state.legal(seat);
                let wild = random.below(3) == 0; // to come into positions that thoughtful avoids
                let action = if wild { legal[random.below(legal.len())] } else { quick };
                state.apply(seat, &action, &mut random, &mut Silent);
            }
        }
        assert!(equal * 100 > compared * 95, "{equal} of {compared} choices are the same");
    }
}
