//! Forty-one: collect one suit and stop as soon as it pays, as thoughtful does; or weighing what the hand may
//! become and what a discard gives away.

use super::{Policy, by_worth, first_best};
use crate::cards::{Card, Set, bit, each, of_suit, suit};
use crate::games::Rules;
use crate::games::forty_one::{Action, State, by_suit, score, value};

/// Rules of thumb.
#[derive(Clone, Debug)]
pub enum Constants {
    Thoughtful(Thoughtful),
    Weighing(Weights),
}

#[derive(Clone, Copy, Debug)]
pub struct Thoughtful {
    /// The score with which to stop.
    pub stop_at: i32,
    /// How much of a discard's value counts against it when the next seat was seen to collect its suit.
    pub feeding: f64,
}

/// What counts for a hand that may be kept, in points.
#[derive(Clone, Copy, Debug)]
pub struct Weights {
    /// What one to four cards of a suit are worth besides what they count.
    pub cards: [f64; 4],
    /// Each unseen card of a suit that is not complete.
    pub unseen: f64,
    /// How much the next seat seems to collect that suit.
    pub rival: f64,
    /// The share of what the second best suit is worth.
    pub second: f64,
    /// The share that the cards of other suits cost.
    pub others: f64,
    /// The share of a discard's value that is given away, and more of it the more the next seat seems to collect
    /// its suit.
    pub gift: f64,
    pub wanted_gift: f64,
    /// How much better a hand has to become by the discard for it to be taken.
    pub take: f64,
    /// The score with which to stop: in the first two turns, the next two, the next four, later.
    pub stop_at: [f64; 4],
}

impl Weights {
    pub const COUNT: usize = 15;

    /// The weights in their order.
    pub fn new(values: &[f64; Self::COUNT]) -> Self {
        let [one, two, three, four, unseen, rival, second, others, gift, wanted_gift, take, stop_at @ ..] = *values;
        let cards = [one, two, three, four];
        Self { cards, unseen, rival, second, others, gift, wanted_gift, take, stop_at }
    }
}

/// What the best suit of a hand is worth, the other cards left out.
fn promise(hand: Set) -> i32 {
    by_suit(hand).into_iter().max().unwrap_or(0)
}

impl Thoughtful {
    /// What thoughtful does at the beginning of its turn.
    ///
    /// Args: the hand, the discard that it may take, whether there is a stock, whether it may end play.
    pub fn beginning(&self, hand: Set, discard: Option<Card>, stock: bool, may_end: bool) -> Action {
        if may_end && (!stock || score(hand) >= self.stop_at) {
            Action::End
        } else if discard.is_some_and(|card| takes(hand, card)) {
            Action::Take
        } else {
            Action::Draw
        }
    }

    /// What thoughtful discards.
    ///
    /// Args: the hand without the card just drawn, that card, whether it was taken and so has to be kept, and the
    /// suit that the next seat was seen to collect.
    pub fn discard(&self, hand: Set, drawn: Card, taken: bool, wanted: Option<u8>) -> Card {
        let sums = by_suit(hand | bit(drawn));
        first_best(choices(hand, drawn, taken), |&card| self.discard_worth(&sums, card, wanted)).unwrap_or(drawn)
    }

    /// Args: what the suits of all five cards count, one of them, and the suit that the next seat collects.
    fn discard_worth(&self, sums: &[i32; 4], card: Card, wanted: Option<u8>) -> f64 {
        let mut kept = *sums;
        kept[usize::from(suit(card))] -= value(card);
        let gift = if wanted == Some(suit(card)) { value(card) } else { 0 };
        f64::from(kept.into_iter().max().unwrap_or(0)) - self.feeding * f64::from(gift)
    }
}

/// Whether taking a discard makes a hand more promising.
fn takes(hand: Set, discard: Card) -> bool {
    let five = hand | bit(discard);
    each(hand).map(|card| promise(five & !bit(card))).max() > Some(promise(hand))
}

/// The cards that may be discarded, in the documented order.
fn choices(hand: Set, drawn: Card, taken: bool) -> impl Iterator<Item = Card> {
    (!taken).then_some(drawn).into_iter().chain(each(hand))
}

/// A position as the seat that weighs it sees it.
struct Weighing<'a> {
    weights: &'a Weights,
    /// How much the next seat seems to collect each suit.
    leaning: &'a [f64; 4],
    unseen: Set,
    hand: Set,
}

impl<'a> Weighing<'a> {
    fn new(state: &'a State, seat: usize, weights: &'a Weights) -> Self {
        let seats = state.hands.len();
        let shown = &state.shown;
        let hand = state.hands[seat];
        let others = (0..seats).filter(|&other| other != seat).fold(0, |all, other| all | shown.held[other]);
        let drawn = state.drawn.map_or(0, |(drawn, _)| bit(drawn));
        let unseen = !(hand | drawn | shown.lying | others);
        Self { weights, leaning: &shown.leaning[(seat + 1) % seats], unseen, hand }
    }

    /// What four cards are worth.
    fn worth(&self, four: Set) -> f64 {
        let weights = self.weights;
        let sums = by_suit(four);
        let all: i32 = sums.iter().sum();
        let (mut best, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for suit in (0..4).filter(|&suit| sums[suit] > 0) {
            let cards = of_suit(suit as u8);
            let count = (four & cards).count_ones() as usize;
            let mut worth = f64::from(sums[suit]) + weights.cards[count - 1];
            worth -= weights.others * f64::from(all - sums[suit]);
            if count < 4 {
                worth += weights.unseen * f64::from((self.unseen & cards).count_ones());
                worth -= weights.rival * self.leaning[suit].max(-1.0);
            }
            second = second.max(worth.min(best));
            best = best.max(worth);
        }
        if second.is_finite() { best + weights.second * second } else { best }
    }

    /// What is left after a discard, less what it gives away.
    fn discard_worth(&self, drawn: Card, card: Card) -> f64 {
        let leaning = self.leaning[usize::from(suit(card))];
        let gift = (self.weights.gift + self.weights.wanted_gift * leaning) * f64::from(value(card));
        self.worth((self.hand | bit(drawn)) & !bit(card)) - gift
    }

    fn discard(&self, drawn: Card, taken: bool) -> Card {
        first_best(choices(self.hand, drawn, taken), |&card| self.discard_worth(drawn, card)).unwrap_or(drawn)
    }

    fn takes(&self, discard: Card) -> bool {
        let best = each(self.hand).map(|card| self.discard_worth(discard, card)).fold(f64::NEG_INFINITY, f64::max);
        best > self.worth(self.hand) + self.weights.take
    }

    fn stops(&self, turn: usize) -> bool {
        let phase = match turn {
            0 | 1 => 0,
            2 | 3 => 1,
            4..8 => 2,
            _ => 3,
        };
        f64::from(score(self.hand)) >= self.weights.stop_at[phase]
    }
}

impl State {
    /// What a seat does at the beginning of its turn.
    fn beginning(&self, seat: usize, constants: &Constants) -> Action {
        let (hand, discard) = (self.hands[seat], self.discards.last().copied());
        let (stock, may_end) = (!self.stock.is_empty(), self.may_end());
        match constants {
            Constants::Thoughtful(thoughtful) => thoughtful.beginning(hand, discard, stock, may_end),
            Constants::Weighing(weights) => {
                let weighing = Weighing::new(self, seat, weights);
                let turn = self.discards.len() / self.hands.len();
                if may_end && (!stock || weighing.stops(turn)) {
                    Action::End
                } else if discard.is_some_and(|card| weighing.takes(card)) {
                    Action::Take
                } else {
                    Action::Draw
                }
            }
        }
    }
}

/// thoughtful's constants.
pub const THOUGHTFUL: Thoughtful = Thoughtful { stop_at: 22, feeding: 0.3 };

const STYLES: [Constants; 1] = [Constants::Thoughtful(THOUGHTFUL)];

impl Policy for State {
    type Constants = Constants;

    fn styles(&self) -> &'static [Constants] {
        &STYLES
    }

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        let Some((drawn, taken)) = self.drawn else { return self.beginning(seat, constants) };
        Action::Discard(match constants {
            Constants::Thoughtful(thoughtful) => {
                thoughtful.discard(self.hands[seat], drawn, taken, self.shown.wanted_next[seat])
            }
            Constants::Weighing(weights) => Weighing::new(self, seat, weights).discard(drawn, taken),
        })
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        let Some((drawn, _)) = self.drawn else {
            let chosen = self.beginning(seat, constants);
            return by_worth(self.legal(seat), |action| f64::from(u8::from(*action == chosen)));
        };
        by_worth(self.legal(seat), |action| match (action, constants) {
            (Action::Discard(card), Constants::Thoughtful(thoughtful)) => {
                let sums = by_suit(self.hands[seat] | bit(drawn));
                thoughtful.discard_worth(&sums, *card, self.shown.wanted_next[seat])
            }
            (Action::Discard(card), Constants::Weighing(weights)) => {
                Weighing::new(self, seat, weights).discard_worth(drawn, *card)
            }
            _ => 0.0,
        })
    }
}
