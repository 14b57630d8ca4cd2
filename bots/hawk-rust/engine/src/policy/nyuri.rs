//! Nyuri, thoughtfully: lay the pile that the others are least likely to be able to steal.

use std::cell::RefCell;

use super::{Policy, by_worth};
use crate::cards::{ALL, Set, bit, suit};
use crate::games::nyuri::{Action, Pile, SMALL_PILE, State, Values, falling, value, values, worth};
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
type ByTwo = [f64; 28];

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
    fn up_to_by_two(&self) -> ByTwo {
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
    up_to_by_two: [Option<ByTwo>; 4],
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

/// By the worth of a pile, the chances that a seat can show no more of its suit, with two cards and with three;
/// in parts of `SURE`.
#[derive(Clone, Copy)]
struct UpTo {
    two: [u16; 28],
    three: [u16; 28],
}

const SURE: f32 = u16::MAX as f32;

impl Suited {
    /// The chances that it can show no more with two cards and with three.
    fn up_to(&self) -> UpTo {
        let mut two = [0.0f32; 28];
        let mut three = [0.0f32; 40];
        let mut none = 1.0f32;
        for one in falling(self.held) {
            let held = self.holds(one) as f32;
            let mut alone = none * held; // the highest that it holds is this one
            for other in falling(self.held & !above(one - 1)) {
                let held = self.holds(other) as f32;
                let mut pair = alone * held;
                two[(one + other) as usize] += pair;
                for third in falling(self.held & !above(other - 1)) {
                    let held = self.holds(third) as f32;
                    three[(one + other + third) as usize] += pair * held;
                    pair *= 1.0 - held;
                }
                three[(one + other) as usize] += pair;
                alone *= 1.0 - held;
                if alone == 0.0 {
                    break;
                }
            }
            two[one as usize] += alone;
            three[one as usize] += alone;
            none *= 1.0 - held;
            if none == 0.0 {
                break;
            }
        }
        let (mut by_two, mut by_three) = (none, none);
        let mut up_to = UpTo { two: [0; 28], three: [0; 28] };
        for worth in 0..28 {
            by_two += two[worth];
            by_three += three[worth];
            up_to.two[worth] = (by_two * SURE) as u16;
            up_to.three[worth] = (by_three * SURE) as u16;
        }
        up_to
    }
}

const SLOTS: usize = 1 << 13;

/// What was worked out lately; the positions of many rollouts ask for the same.
#[derive(Clone, Copy)]
#[repr(align(128))]
struct Slot {
    key: u64,
    up_to: UpTo,
}

thread_local! {
    static LATELY: RefCell<Box<[Slot]>> =
        RefCell::new(vec![Slot { key: u64::MAX, up_to: UpTo { two: [0; 28], three: [0; 28] } }; SLOTS].into());
}

impl State {
    /// The pile that is likely to cost least, but for how sums are rounded; for rollouts.
    fn quick_placement(&self, seat: usize, constants: &Constants, lately: &mut [Slot]) -> Action {
        let seats = self.hands.len();
        let odds = Odds::new(self, seat);
        let swing = self.swing() as f32;
        let (keep, pair_loss) = (constants.keep_high as f32, constants.pair_loss as f32);
        let old = self.piles[seat];
        let held = self.hands[seat].set | old.set();
        let mut best = (f32::INFINITY, 0, 0, 0);
        for of in 0..4u8 {
            let mine = values(held, of);
            if mine == 0 {
                continue;
            }
            let free = values(odds.anywhere, of);
            let mut all = ([1.0f32; 28], [1.0f32; 28]);
            for other in &odds.others[..seats - 1] {
                let known = values(other.known, of);
                let key = u64::from(known) | u64::from(free) << 15 | u64::from((other.chance as f32).to_bits()) << 30;
                let slot = &mut lately[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 51) as usize % SLOTS];
                if slot.key != key {
                    let held = known | if other.chance > 0.0 { free } else { 0 };
                    *slot = Slot { key, up_to: Suited { known, held, chance: other.chance }.up_to() };
                }
                for worth in 0..28 {
                    all.0[worth] *= f32::from(slot.up_to.two[worth]) / SURE;
                    all.1[worth] *= f32::from(slot.up_to.three[worth]) / SURE;
                }
            }
            let (two, three) = all;
            let single = |worth: usize| swing * (1.0 - two[worth]) + keep * worth as f32;
            let pair = |worth: usize| {
                let by_three = if worth <= SMALL_PILE.into() { 0.0 } else { two[worth] - three[worth] };
                swing * (2.0 * pair_loss * (1.0 - two[worth]) + by_three) + keep * worth as f32
            };
            let own = old.base.filter(|&base| suit(base) == of);
            if own.is_some() {
                let worth = usize::from(old.worth());
                let risk = if old.len() == 1 { single(worth) } else { pair(worth) } - constants.leaving as f32;
                if risk <= best.0 {
                    best = (risk, 0, 0, 0);
                }
            }
            let bases = mine & !own.map_or(0, |base| 1 << value(base)); // N12
            let mut pairs: Values = 0; // the worths of the pairs
            for base in falling(bases) {
                pairs |= (mine & above(base)) << base;
            }
            let mut rest = bases;
            while rest != 0 {
                let worth = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let risk = single(worth);
                if risk < best.0 {
                    best = (risk, of, worth, worth);
                }
            }
            while pairs != 0 {
                let worth = pairs.trailing_zeros() as usize;
                pairs &= pairs - 1;
                let risk = pair(worth);
                if risk < best.0 {
                    let base = falling(bases).find(|&base| {
                        let guard = worth as i32 - base;
                        guard > base && mine >> guard & 1 == 1
                    });
                    best = (risk, of, base.unwrap_or(0) as usize, worth);
                }
            }
        }
        let (_, of, base, worth) = best;
        if base == 0 {
            return Action::Leave;
        }
        let card = |value: usize| 13 * of + if value == 14 { 1 } else { value as u8 };
        Action::Place(Pile { base: Some(card(base)), guard: (worth > base).then(|| card(worth - base)) })
    }
}

const THOUGHTFUL: Constants = Constants { keep_high: 0.03, pair_loss: 1.0, leaving: 0.0 };

/// thoughtful's constants, and others that beat it without search: at two seats, at three, at four and more.
static STYLES: [[Constants; 2]; 3] = [
    [THOUGHTFUL, Constants { keep_high: 0.0145, pair_loss: 0.5, leaving: 0.2 }],
    [THOUGHTFUL, Constants { keep_high: -0.06, pair_loss: 0.858, leaving: 0.163 }],
    [THOUGHTFUL, Constants { keep_high: -0.04, pair_loss: 1.222, leaving: 0.087 }],
];

impl Policy for State {
    type Constants = Constants;

    fn styles(&self) -> &'static [Constants] {
        &STYLES[self.hands.len().clamp(2, 4) - 2]
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

    fn quick(&self, seat: usize, constants: &Constants) -> Action {
        if !self.placing || self.options.reuse_base {
            return self.choose(seat, constants);
        }
        LATELY.with_borrow_mut(|lately| self.quick_placement(seat, constants, lately))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::{Chance, Random};
    use crate::games::Silent;
    use crate::games::nyuri::Options;

    #[test]
    fn the_quick_choice_is_worth_as_much_as_thoughtfuls() {
        let (mut equal, mut compared) = (0, 0);
        for number in 0..200 {
            let mut random = Random::new(number);
            let options = Options { spend_cards: number % 7 == 0, reuse_base: number % 5 == 0, ..State::usual() };
            let mut deck = State::deck(&options);
            random.shuffle(&mut deck);
            let mut state = State::new(&options, 2 + number as usize % 3, 0, &deck, &mut random, &mut Silent);
            while let Some(seat) = state.to_act() {
                let constants = &state.styles()[random.below(2)];
                let (choice, quick) = (state.choose(seat, constants), state.quick(seat, constants));
                let legal = state.legal(seat);
                assert!(legal.contains(&quick), "{quick:?} among {legal:?}");
                if state.placing {
                    compared += 1;
                    equal += usize::from(choice == quick);
                    let mut odds = Odds::new(&state, seat);
                    let mut risk = |action| match action {
                        Action::Place(pile) => state.risk(pile, false, &mut odds, constants, f64::INFINITY),
                        _ => state.risk(state.piles[seat], true, &mut odds, constants, f64::INFINITY),
                    };
                    let more = risk(quick) - risk(choice);
                    assert!(more < 1e-3, "{quick:?} costs {more} more than {choice:?}");
                }
                let wild = random.below(3) == 0; // to come into positions that thoughtful avoids
                let action = if wild { legal[random.below(legal.len())] } else { quick };
                state.apply(seat, &action, &mut random, &mut Silent);
            }
        }
        assert!(equal * 100 > compared * 95, "{equal} of {compared} choices are the same");
    }
}
