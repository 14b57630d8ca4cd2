//! Nyuri, thoughtfully: lay the pile that the others are least likely to be able to steal.

use super::{Policy, by_worth};
use crate::cards::{ALL, Set, bit, suit};
use crate::games::nyuri::{Action, Pile, SMALL_PILE, State, Values, falling, values, worth};
use crate::games::{MOST_SEATS, Rules};

#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// What a point of a card's value is worth in the hand rather than on the table, in cards.
    pub keep_high: f64,
    /// What losing a pile of two cards to one or two counts, of what it costs.
    pub pair_loss: f64,
    /// What leaving the own pile is worth besides.
    pub leaving: f64,
}

/// The values above a number.
fn above(value: i32) -> Values {
    Values::MAX.checked_shl((value + 1).max(0) as u32).unwrap_or(0)
}

/// For each sum that two cards can have, and for less, the chance that a seat can show no more with two.
type UpTo = [f64; 28];

/// What another seat may hold, as far as one can tell.
#[derive(Clone, Copy)]
struct Other {
    known: Set,
    /// The chance that it holds a card of which it is not known who holds it.
    chance: f64,
}

/// What another seat may hold of one suit.
#[derive(Clone, Copy)]
struct Suited {
    known: Values,
    /// What it is known to hold, and what it may.
    held: Values,
    chance: f64,
}

impl Suited {
    /// The chance that the seat holds a card.
    fn holds(&self, value: i32) -> f64 {
        if self.known & 1 << value != 0 { 1.0 } else { self.chance }
    }

    /// The chances that it can show no more with two cards.
    fn up_to_by_two(&self) -> UpTo {
        let mut most = [0.0; 28];
        let mut none = 1.0;
        for one in falling(self.held) {
            let held = self.holds(one);
            let mut alone = none * held; // the highest that it holds is this one
            for two in falling(self.held & !above(one - 1)) {
                let held = self.holds(two);
                most[(one + two) as usize] += alone * held;
                alone *= 1.0 - held;
                if alone == 0.0 {
                    break;
                }
            }
            most[one as usize] += alone;
            none *= 1.0 - held;
            if none == 0.0 {
                break;
            }
        }
        for chance in &mut most {
            none += *chance;
            *chance = none;
        }
        most
    }

    /// The chance that it can show no more than a sum with three cards.
    fn up_to_by_three(&self, bar: u8) -> f64 {
        let mut most = [0.0; 3 * 14];
        let mut none = 1.0;
        for one in falling(self.held) {
            let held = self.holds(one);
            let mut alone = none * held;
            none *= 1.0 - held;
            if one > bar.into() {
                continue;
            }
            for two in falling(self.held & !above(one - 1)) {
                let held = self.holds(two);
                let mut pair = alone * held;
                alone *= 1.0 - held;
                if one + two > bar.into() {
                    continue;
                }
                for three in falling(self.held & !above(two - 1)) {
                    let held = self.holds(three);
                    most[(one + two + three) as usize] += pair * held;
                    pair *= 1.0 - held;
                }
                most[(one + two) as usize] += pair;
            }
            most[one as usize] += alone;
        }
        most[..=bar.into()].iter().fold(none, |sum, chance| sum + chance)
    }
}

/// The odds of a position, as far as they were asked for.
struct Odds {
    others: [Other; MOST_SEATS],
    count: usize,
    /// The cards of which it is not known who holds them.
    anywhere: Set,
    /// By suit, the chances that no seat can show more with two cards.
    up_to_by_two: [Option<UpTo>; 4],
}

impl Odds {
    fn new(state: &State, seat: usize) -> Self {
        let lying = state.piles.iter().fold(0, |set, pile| set | pile.set());
        let spent = state.spent.iter().fold(0, |set, &card| set | bit(card));
        let hidden = ALL & !(lying | spent | state.hands[seat].set);
        let seats = state.hands.len();
        let others = || (0..seats).filter(|other| *other != seat);
        let known = |other: usize| state.holdings[seat].of(other) & hidden;
        let anywhere = others().fold(hidden, |anywhere, other| anywhere & !known(other));
        let mut odds = Self {
            others: [Other { known: 0, chance: 0.0 }; MOST_SEATS],
            count: seats - 1,
            anywhere,
            up_to_by_two: [None; 4],
        };
        for (odds, other) in odds.others.iter_mut().zip(others()) {
            odds.known = known(other);
            let unknown = state.hands[other].len().saturating_sub(odds.known.count_ones() as usize);
            odds.chance = (unknown as f64 / f64::from(anywhere.count_ones().max(1))).min(1.0);
        }
        odds
    }

    /// For each other seat, what it may hold of a suit.
    fn suited(&self, suit: u8) -> impl Iterator<Item = Suited> {
        let anywhere = values(self.anywhere, suit);
        self.others[..self.count].iter().map(move |&Other { known, chance }| {
            let known = values(known, suit);
            Suited { known, held: known | if chance > 0.0 { anywhere } else { 0 }, chance }
        })
    }

    /// The chance that some seat can show more than a sum with two cards.
    fn above_by_two(&mut self, suit: u8, bar: u8) -> f64 {
        if self.up_to_by_two[usize::from(suit)].is_none() {
            let mut all = [1.0; 28];
            for seat in self.suited(suit) {
                for (all, one) in all.iter_mut().zip(seat.up_to_by_two()) {
                    *all *= one;
                }
            }
            self.up_to_by_two[usize::from(suit)] = Some(all);
        }
        self.up_to_by_two[usize::from(suit)].as_ref().map_or(0.0, |up_to| 1.0 - up_to[usize::from(bar)])
    }

    /// The chance that some seat can show more than a sum with three cards.
    fn above_by_three(&self, suit: u8, bar: u8) -> f64 {
        1.0 - self.suited(suit).map(|seat| seat.up_to_by_three(bar)).product::<f64>()
    }
}

impl State {
    /// What one loses to another is gained by a rival.
    fn swing(&self) -> f64 {
        1.0 + 1.0 / (self.hands.len() - 1) as f64
    }

    /// What a pile is likely to cost, in cards; where that is not below a limit, any number that is not.
    fn risk(&self, pile: Pile, leaving: bool, odds: &mut Odds, constants: &Constants, limit: f64) -> f64 {
        let Some(base) = pile.base else { return 0.0 };
        let (suit, bar) = (suit(base), pile.worth());
        let size = pile.len() as f64;
        let kept = constants.keep_high * f64::from(bar) - if leaving { constants.leaving } else { 0.0 };
        if kept >= limit {
            return kept;
        }
        let by_two = odds.above_by_two(suit, bar);
        let loss = by_two * size * if size > 1.0 { constants.pair_loss } else { 1.0 };
        let risk = self.swing() * loss + kept;
        if risk >= limit || size < 2.0 || bar <= SMALL_PILE {
            return risk;
        }
        // N13: three cards shown cost one
        let by_three = odds.above_by_three(suit, bar) - by_two;
        self.swing() * (loss + by_three * (size - 1.0)) + kept
    }

    /// What stealing a pile by so many cards is worth, in cards.
    fn net(&self, owner: usize, count: u8) -> f64 {
        let price = u8::from(count == 3) + if self.options.spend_cards { count } else { 0 }; // N13, N6
        (self.piles[owner].len() as f64 - f64::from(price)) * self.swing()
    }

    /// How well a bid does among as many cards: where others may overbid (N7), the higher the better.
    fn bid(&self, worth: u8) -> i32 {
        if self.hands.len() > 2 { worth.into() } else { -i32::from(worth) }
    }
}

/// thoughtful's constants, and others that beat it without search.
const STYLES: [Constants; 2] = [
    Constants { keep_high: 0.03, pair_loss: 1.0, leaving: 0.0 },
    Constants { keep_high: 0.0145, pair_loss: 0.5, leaving: 0.2 },
];

impl Policy for State {
    type Constants = Constants;

    fn styles() -> &'static [Constants] {
        &STYLES
    }

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        if self.placing {
            let mut odds = Odds::new(self, seat);
            let old = self.piles[seat];
            let mut best = (f64::INFINITY, Action::Leave);
            if old.len() > 0 {
                best.0 = self.risk(old, true, &mut odds, constants, f64::INFINITY);
            }
            self.placements(seat, |pile| {
                let risk = self.risk(pile, false, &mut odds, constants, best.0);
                if risk < best.0 {
                    best = (risk, Action::Place(pile));
                }
            });
            return best.1;
        }
        let mut best = ((1.0, 0, 0), Action::Draw);
        for owner in 0..self.hands.len() {
            for count in 1..=3 {
                let net = self.net(owner, count);
                if (net, -i32::from(count)) < (best.0.0, best.0.1) {
                    continue;
                }
                self.steals(seat, owner, count, |cards, worth| {
                    let gain = (net, -i32::from(count), self.bid(worth));
                    if gain > best.0 {
                        best = (gain, Action::Steal(owner, cards));
                    }
                });
            }
        }
        best.1
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        let actions = self.legal(seat);
        if self.placing {
            let mut odds = Odds::new(self, seat);
            return by_worth(actions, |action| match *action {
                Action::Place(pile) => -self.risk(pile, false, &mut odds, constants, f64::INFINITY),
                _ => -self.risk(self.piles[seat], true, &mut odds, constants, f64::INFINITY),
            });
        }
        let gain = |action: &Action| match *action {
            Action::Steal(owner, cards) => {
                let count = cards.count_ones() as u8;
                (self.net(owner, count), -i32::from(count), self.bid(worth(cards)))
            }
            _ => (1.0, 0, 0),
        };
        let mut ranked: Vec<((f64, i32, i32), Action)> = actions.iter().map(|action| (gain(action), *action)).collect();
        ranked.sort_by(|(one, _), (other, _)| other.partial_cmp(one).unwrap_or(std::cmp::Ordering::Equal));
        ranked.into_iter().map(|(_, action)| action).collect()
    }
}
