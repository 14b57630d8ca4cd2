//! Kleftis, thoughtfully: what each group will be worth, by the chance that somebody can steal it.

use super::{Policy, by_worth};
use crate::cards::{Card, Set, bit, each};
use crate::games::Rules;
use crate::games::kleftis::{Action, Group, State, joining_pair, joining_single};

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

/// The most cards that may join a group.
const JOINING: usize = 5;

/// The chance that nobody holds a card that is wanted: by the unseen cards, how many of them others hold, and
/// how many are wanted.
static NONE: [[[f64; JOINING + 1]; 53]; 53] = {
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

/// Added to worths this makes them positive, so that their bits compare as they do.
const SHIFT: f64 = 1024.0;
/// The lowest bits say which action it is: the earlier in the documented order, the higher.
const LAST: u64 = 0xffff;
/// The places of groups, where smaller numbers are those of single cards.
const PLACE: u8 = 64;

/// A position as one seat weighs its actions in it.
struct Scale<'a> {
    state: &'a State,
    constants: &'a Constants,
    seat: usize,
    hand: Set,
    unseen: Set,
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
        Self { state, constants, seat, hand, unseen, none }
    }

    fn safe(&self, joining: Set) -> f64 {
        self.none[(joining & self.unseen).count_ones() as usize]
    }

    /// What an own group is worth that lies open until the next turn.
    fn open(&self, size: u8, safe: f64, alone: f64) -> f64 {
        let (by_card, besides) = self.constants.stolen;
        let stays = if size == 1 { alone } else { f64::from(size) * self.constants.safe };
        safe * stays - (1.0 - safe) * (f64::from(size) * by_card + besides)
    }

    /// What an own single card is worth, by whether a card of the hand joins it.
    fn single(&self, joining: Set, joins: bool) -> f64 {
        self.open(1, self.safe(joining), if joins { 1.0 } else { self.constants.lone })
    }

    /// What a group is worth that lies there, by whether a card of the hand joins it.
    fn lying(&self, group: &Group, joins: bool) -> f64 {
        match (usize::from(group.owner) == self.seat, group.len) {
            (false, 1) => self.constants.prey * f64::from(u8::from(joins)),
            (false, size) => -f64::from(size), // its owner will secure it
            (true, 1) => self.single(group.joining, joins),
            (true, size) => f64::from(size), // to be secured at once
        }
    }

    /// What it is worth to be able to steal those of the unseen cards.
    fn reach(&self, cards: Set) -> f64 {
        let share = f64::from((cards & self.unseen).count_ones()) / f64::from(self.unseen.count_ones().max(1));
        self.constants.reach * share
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
        let reach = each(hand).fold(0, |reach, card| reach | joining_single(card));
        let touched = match on {
            Some(place) => self.state.groups[place].with(card),
            None => Group::single(self.seat, u8::MAX, card),
        };
        let open = if last {
            -f64::from(touched.len) // it was the last turn
        } else {
            let alone = if touched.joining & hand != 0 { 1.0 } else { self.constants.lone };
            self.open(touched.len, self.safe(touched.joining), alone)
        };
        worth + self.reach(reach) + open
    }

    /// All that may be done: each card, alone or on the group at a place.
    fn each(&self, mut visit: impl FnMut(Card, Option<usize>)) {
        each(self.hand).for_each(|card| visit(card, None));
        for (place, group) in self.state.groups.iter().enumerate() {
            each(group.joining & self.hand).for_each(|card| visit(card, Some(place)));
        }
    }

    /// What is worth most, but for how sums are rounded; for rollouts.
    ///
    /// A card joins a single one if and only if that joins it, so sets of cards say what the hand joins. What
    /// counts the same in every action is left out.
    fn quick(&self) -> Action {
        let mine = self.state.lone[self.seat];
        let lone = self.state.lone.iter().fold(0, |all, cards| all | cards);
        let (mut once, mut twice) = (0, 0); // what one card of the hand joins, and two
        for card in each(self.hand) {
            let joining = joining_single(card);
            twice |= once & joining;
            once |= joining;
        }
        let unseen = 1.0 / f64::from(self.unseen.count_ones().max(1));
        let single = |card, joins| self.single(joining_single(card), joins);
        let mut best = 0;
        let mut weigh = |worth: f64, kind: u64, card: Card, on: u8| {
            let order = kind << 14 | u64::from(card) << 8 | u64::from(on);
            best = best.max((worth + SHIFT).to_bits() & !LAST | LAST - order);
        };
        let mut rest = [0.0; 53]; // what the hand is worth without a card
        for card in each(self.hand) {
            let joining = joining_single(card);
            let only = joining & !twice; // what no other card of the hand joins
            let prey = f64::from((lone & !mine & only).count_ones());
            let reach = f64::from((once & !only & self.unseen).count_ones()) * unseen;
            let mut worth = self.constants.reach * reach - self.constants.prey * prey;
            for own in each(mine & only) {
                worth -= single(own, true) - single(own, false);
            }
            rest[usize::from(card)] = worth;
            weigh(worth + single(card, joining & self.hand != 0), 0, card, 0);
        }
        for on in each(lone & once) {
            let joins = twice >> on & 1 == 1; // also without the card that is played on it
            let (kind, before) = match mine >> on & 1 == 1 {
                true => (1, single(on, joins)),
                false => (2, self.constants.prey * f64::from(u8::from(joins))),
            };
            for card in each(joining_single(on) & self.hand) {
                let after = self.open(2, self.safe(joining_pair(on, card)), 0.0);
                weigh(rest[usize::from(card)] - before + after, kind, card, on);
            }
        }
        for (place, group) in self.state.groups.iter().enumerate().filter(|(_, group)| group.len > 1) {
            let kind = if usize::from(group.owner) == self.seat { 1 } else { 2 };
            for card in each(group.joining & self.hand) {
                let made = group.with(card);
                let after = self.open(made.len, self.safe(made.joining), 0.0);
                weigh(rest[usize::from(card)] - self.lying(group, true) + after, kind, card, PLACE + place as u8);
            }
        }
        let order = LAST - (best & LAST);
        let (card, on) = ((order >> 8 & 63) as u8, order as u8);
        let place = match on {
            0 => None,
            PLACE.. => Some(usize::from(on - PLACE)),
            _ => self.state.groups.iter().position(|group| group.is_single(on)),
        };
        self.action(card, place)
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

/// thoughtful's constants, and others that beat it without search.
const STYLES: [Constants; 2] = [
    Constants { prey: 0.5, reach: 3.0, lone: -0.5, stolen: (1.0, 1.0), safe: 1.0 },
    Constants { prey: 1.0, reach: 16.0, lone: -0.08, stolen: (1.09, 0.08), safe: 1.13 },
];

impl Policy for State {
    type Constants = Constants;

    fn styles() -> &'static [Constants] {
        &STYLES
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
        let last = self.hands[seat].is_power_of_two() && self.stock.is_empty(); // its groups count otherwise
        if self.securing || last {
            return self.choose(seat, constants);
        }
        Scale::new(self, seat, constants).quick()
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
                let constants = &State::styles()[random.below(2)];
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
