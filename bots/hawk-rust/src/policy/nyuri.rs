//! Nyuri, thoughtfully: lay the pile that the others are least likely to be able to steal.

use super::{Policy, by_worth};
use crate::cards::{ALL, Card, Set, bit, each, of_suit, suit};
use crate::games::Rules;
use crate::games::nyuri::{Action, Pile, SMALL_PILE, State, value, worth};

#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// What a point of a card's value is worth in the hand rather than on the table, in cards.
    pub keep_high: f64,
    /// What losing a pile of two cards to one or two counts, of what it costs.
    pub pair_loss: f64,
    /// What leaving the own pile is worth besides.
    pub leaving: f64,
}

/// The sums that up to three cards of a suit can have, and one more.
const SUMS: usize = 40;

/// For each sum, how likely it is that a seat can show no more with two cards, and with three.
type UpTo = [(f64, f64); SUMS];

/// Args: `chances` are the cards of a suit that a seat may hold, each with its chance, the highest first.
fn up_to(chances: &[(Card, f64)]) -> UpTo {
    let mut most = [(0.0, 0.0); SUMS];
    let mut none = 1.0;
    for (place, &(one, held)) in chances.iter().enumerate() {
        let mut alone = none * held; // the highest that it holds is this one
        let sum = usize::from(value(one));
        for (place, &(two, held)) in chances.iter().enumerate().skip(place + 1) {
            let mut pair = alone * held;
            let sum = sum + usize::from(value(two));
            most[sum].0 += pair;
            for &(three, held) in &chances[place + 1..] {
                most[sum + usize::from(value(three))].1 += pair * held;
                pair *= 1.0 - held;
            }
            most[sum].1 += pair;
            alone *= 1.0 - held;
        }
        most[sum].0 += alone;
        most[sum].1 += alone;
        none *= 1.0 - held;
    }
    let mut all = (none, none);
    for chance in &mut most {
        all = (all.0 + chance.0, all.1 + chance.1);
        *chance = all;
    }
    most
}

/// The odds of a position, as far as they were asked for.
struct Odds {
    /// For each other seat the cards that it is known to hold, and the chance that it holds another hidden one.
    others: Vec<(Set, f64)>,
    /// The cards of which it is not known who holds them.
    anywhere: Set,
    /// By suit, for each sum how likely it is that no seat can show more.
    by_suit: [Option<UpTo>; 4],
}

impl Odds {
    fn new(state: &State, seat: usize) -> Self {
        let lying = state.piles.iter().fold(0, |set, pile| set | pile.set());
        let spent = state.spent.iter().fold(0, |set, &card| set | bit(card));
        let hidden = ALL & !(lying | spent | state.hands[seat].set);
        let mut known = vec![0; state.hands.len()];
        for card in each(hidden) {
            let holder = usize::from(state.holders[seat][usize::from(card)]);
            if holder > 0 && holder - 1 != seat {
                known[holder - 1] |= bit(card);
            }
        }
        let anywhere = hidden & !known.iter().fold(0, |all, cards| all | cards);
        let others = (0..state.hands.len()).filter(|other| *other != seat);
        let chances = others.map(|other| {
            let unknown = state.hands[other].len().saturating_sub(known[other].count_ones() as usize);
            (known[other], (unknown as f64 / f64::from(anywhere.count_ones().max(1))).min(1.0))
        });
        Self { others: chances.collect(), anywhere, by_suit: [None; 4] }
    }

    /// How likely it is that some seat can show more than a pile's sum, with two cards and with three.
    fn above(&mut self, suit: u8, bar: u8) -> (f64, f64) {
        let (others, anywhere) = (&self.others, self.anywhere);
        let sums = self.by_suit[usize::from(suit)].get_or_insert_with(|| {
            let mut all = [(1.0, 1.0); SUMS];
            for &(known, chance) in others {
                let may = (known | if chance > 0.0 { anywhere } else { 0 }) & of_suit(suit);
                let mut cards = [(0, 0.0); 13];
                let mut count = 0;
                let ace = may & (of_suit(suit) & !(of_suit(suit) << 1)); // the lowest bit, and the highest card
                let mut left = may;
                while left != 0 {
                    let card = if left & ace != 0 { ace.trailing_zeros() } else { 63 - left.leading_zeros() } as Card;
                    left &= !bit(card);
                    cards[count] = (card, if known & bit(card) != 0 { 1.0 } else { chance });
                    count += 1;
                }
                for (all, one) in all.iter_mut().zip(up_to(&cards[..count])) {
                    *all = (all.0 * one.0, all.1 * one.1);
                }
            }
            all
        });
        let (two, three) = sums[usize::from(bar)];
        (1.0 - two, if bar > SMALL_PILE { two - three } else { 0.0 })
    }
}

impl State {
    /// What one loses to another is gained by a rival.
    fn swing(&self) -> f64 {
        1.0 + 1.0 / (self.hands.len() - 1) as f64
    }

    /// What a pile is likely to cost, in cards.
    fn risk(&self, pile: Pile, leaving: bool, odds: &mut Odds, constants: &Constants) -> f64 {
        let Some(base) = pile.base else { return 0.0 };
        let bar = worth(pile.set());
        let (by_two, by_three) = odds.above(suit(base), bar);
        let size = pile.len() as f64;
        let by_two = if size > 1.0 { by_two * constants.pair_loss } else { by_two };
        let loss = by_two * size + by_three * (size - 1.0); // N13: three cards shown cost one
        let bonus = if leaving { constants.leaving } else { 0.0 };
        self.swing() * loss + constants.keep_high * f64::from(bar) - bonus
    }

    /// What a steal is worth in cards, and how little it shows.
    fn gain(&self, owner: usize, cards: Set) -> (f64, i32, i32) {
        let count = cards.count_ones() as i32;
        let price = i32::from(count == 3) + if self.options.spend_cards { count } else { 0 }; // N13, N6
        let net = self.piles[owner].len() as i32 - price;
        let bid = i32::from(worth(cards)); // where others may overbid (N7), the higher the better
        (f64::from(net) * self.swing(), -count, if self.hands.len() > 2 { bid } else { -bid })
    }
}

impl Policy for State {
    type Constants = Constants;

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        if self.placing {
            let mut odds = Odds::new(self, seat);
            let old = self.piles[seat];
            let mut best = (f64::INFINITY, Action::Leave);
            if old.len() > 0 {
                best.0 = self.risk(old, true, &mut odds, constants);
            }
            self.placements(seat, |pile| {
                let risk = self.risk(pile, false, &mut odds, constants);
                if risk < best.0 {
                    best = (risk, Action::Place(pile));
                }
            });
            return best.1;
        }
        let mut best = ((1.0, 0, 0), Action::Draw);
        self.steals(seat, |owner, cards| {
            let gain = self.gain(owner, cards);
            if gain > best.0 {
                best = (gain, Action::Steal(owner, cards));
            }
        });
        best.1
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        let actions = self.legal(seat);
        if self.placing {
            let mut odds = Odds::new(self, seat);
            return by_worth(actions, |action| self.placing_worth(seat, action, &mut odds, constants));
        }
        let gain = |action: &Action| match *action {
            Action::Steal(owner, cards) => self.gain(owner, cards),
            _ => (1.0, 0, 0),
        };
        let mut ranked: Vec<((f64, i32, i32), Action)> = actions.iter().map(|action| (gain(action), *action)).collect();
        ranked.sort_by(|(one, _), (other, _)| other.partial_cmp(one).unwrap_or(std::cmp::Ordering::Equal));
        ranked.into_iter().map(|(_, action)| action).collect()
    }
}

impl State {
    fn placing_worth(&self, seat: usize, action: &Action, odds: &mut Odds, constants: &Constants) -> f64 {
        match *action {
            Action::Place(pile) => -self.risk(pile, false, odds, constants),
            _ => -self.risk(self.piles[seat], true, odds, constants),
        }
    }
}
