//! Nyuri, thoughtfully: lay the pile that the others are least likely to be able to steal.

use super::{Policy, by_worth, first_best};
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

/// How likely each sum is to be the most that a seat can show: in the order in which thoughtful adds them
/// up, for the last bit of a sum depends on it.
type Sums = Vec<(u8, f64)>;

/// The most entries there are: 0 to 3 cards and their sum.
const ENTRIES: usize = 4 * 40;

/// How likely each value is to be the most that a seat can show with `limit` cards of a suit.
///
/// Args: `chances` are the cards of the suit that it may hold, each with its chance, the highest first.
fn best_sums(chances: &[(Card, f64)], limit: u8) -> Sums {
    let mut odds: [(u8, u8, f64); ENTRIES] = [(0, 0, 0.0); ENTRIES];
    odds[0] = (0, 0, 1.0);
    let mut count = 1;
    let mut then = odds;
    for &(card, held) in chances {
        let mut places = [u8::MAX; ENTRIES];
        let mut made = 0;
        let mut add = |shown: u8, total: u8, chance: f64| {
            let place = &mut places[usize::from(shown) * 40 + usize::from(total)];
            if *place == u8::MAX {
                *place = made as u8;
                then[made] = (shown, total, 0.0 + chance);
                made += 1;
            } else {
                then[usize::from(*place)].2 += chance;
            }
        };
        for &(shown, total, chance) in &odds[..count] {
            if shown == limit {
                add(shown, total, chance);
            } else {
                add(shown, total, chance * (1.0 - held));
                add(shown + 1, total + value(card), chance * held);
            }
        }
        std::mem::swap(&mut odds, &mut then);
        count = made;
    }
    let mut sums: Sums = Vec::with_capacity(count);
    let mut places = [u8::MAX; 40];
    for &(_, total, chance) in &odds[..count] {
        let place = &mut places[usize::from(total)];
        if *place == u8::MAX {
            *place = sums.len() as u8;
            sums.push((total, chance));
        } else {
            sums[usize::from(*place)].1 += chance;
        }
    }
    sums
}

/// The chance that some seat can show more than `bar`.
fn some_above(bar: u8, seats: &[Sums]) -> f64 {
    let up_to = |sums: &Sums| sums.iter().filter(|(total, _)| *total <= bar).fold(0.0, |sum, (_, chance)| sum + chance);
    1.0 - seats.iter().fold(1.0, |all, sums| all * up_to(sums))
}

/// The odds of a position, as far as they were asked for.
struct Odds {
    /// For each other seat the cards that it is known to hold, and the chance that it holds another hidden one.
    others: Vec<(Set, f64)>,
    /// The cards of which it is not known who holds them.
    anywhere: Set,
    by_suit: [Option<(Vec<Sums>, Vec<Sums>)>; 4],
    by_pile: [[Option<(f64, f64)>; 28]; 4],
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
        Self { others: chances.collect(), anywhere, by_suit: [const { None }; 4], by_pile: [[None; 28]; 4] }
    }

    /// How likely it is that some seat can show more than a pile's sum, with two cards and with three.
    fn above(&mut self, suit: u8, bar: u8) -> (f64, f64) {
        let place = usize::from(suit);
        if let Some(found) = self.by_pile[place][usize::from(bar)] {
            return found;
        }
        let (others, anywhere) = (&self.others, self.anywhere);
        let (by_two, by_three) = self.by_suit[place].get_or_insert_with(|| {
            let chances = |&(known, chance): &(Set, f64)| {
                let held = |card: Card| if known & bit(card) != 0 { 1.0 } else { chance };
                let may = (known | if chance > 0.0 { anywhere } else { 0 }) & of_suit(suit);
                let mut cards: Vec<(Card, f64)> = each(may).map(|card| (card, held(card))).collect();
                cards.sort_by_key(|&(card, _)| std::cmp::Reverse(value(card)));
                cards
            };
            let suited: Vec<Vec<(Card, f64)>> = others.iter().map(chances).collect();
            let sums = |limit| suited.iter().map(|cards| best_sums(cards, limit)).collect();
            (sums(2), sums(3))
        });
        let two = some_above(bar, by_two);
        let three = if bar > SMALL_PILE { some_above(bar, by_three) - two } else { 0.0 };
        self.by_pile[place][usize::from(bar)] = Some((two, three));
        (two, three)
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
            return first_best(self.legal(seat), |action| self.placing_worth(seat, action, &mut odds, constants))
                .expect("a legal action");
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
