//! Forty-one, thoughtfully: collect one suit, whatever the other cards cost, and stop as soon as it pays.

use super::{Policy, by_worth, first_best};
use crate::cards::{Card, Set, bit, each, suit};
use crate::games::Rules;
use crate::games::forty_one::{Action, State, by_suit, score, value};

#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// The score with which to stop.
    pub stop_at: i32,
    /// How much of a discard's value counts against it when the next seat was seen to collect its suit.
    pub feeding: f64,
}

/// What the best suit of a hand is worth, the other cards left out.
fn promise(hand: Set) -> i32 {
    by_suit(hand).into_iter().max().unwrap_or(0)
}

/// What thoughtful does at the beginning of its turn.
///
/// Args: the hand, the discard that it may take, whether there is a stock, whether it may end play.
pub fn beginning(hand: Set, discard: Option<Card>, stock: bool, may_end: bool, constants: &Constants) -> Action {
    if may_end && (!stock || score(hand) >= constants.stop_at) {
        Action::End
    } else if discard.is_some_and(|card| takes(hand, card)) {
        Action::Take
    } else {
        Action::Draw
    }
}

/// Whether taking a discard makes a hand more promising.
fn takes(hand: Set, discard: Card) -> bool {
    let five = hand | bit(discard);
    each(hand).map(|card| promise(five & !bit(card))).max() > Some(promise(hand))
}

/// What thoughtful discards.
///
/// Args: the hand without the card just drawn, that card, whether it was taken and so has to be kept, and the
/// suit that the next seat was seen to collect.
pub fn discard(hand: Set, drawn: Card, taken: bool, wanted: Option<u8>, constants: &Constants) -> Card {
    let cards = (!taken).then_some(drawn).into_iter().chain(each(hand));
    first_best(cards, |&card| discard_worth(hand | bit(drawn), card, wanted, constants)).unwrap_or(drawn)
}

fn discard_worth(five: Set, card: Card, wanted: Option<u8>, constants: &Constants) -> f64 {
    let gift = if wanted == Some(suit(card)) { value(card) } else { 0 };
    f64::from(promise(five & !bit(card))) - constants.feeding * f64::from(gift)
}

impl State {
    /// What thoughtful thinks of an action: the highest is what it chooses.
    fn worth(&self, seat: usize, action: &Action, constants: &Constants) -> f64 {
        let hand = self.hands[seat];
        match *action {
            Action::Discard(card) => {
                let five = hand | self.drawn.map_or(0, |(drawn, _)| bit(drawn));
                discard_worth(five, card, self.wanted_next[seat], constants)
            }
            Action::End if self.stock.is_empty() || score(hand) >= constants.stop_at => 3.0,
            Action::Take if self.discards.last().is_some_and(|&card| takes(hand, card)) => 2.0,
            Action::Draw => 1.0,
            Action::Take => 0.5,
            Action::End => 0.0,
        }
    }
}

impl Policy for State {
    type Constants = Constants;

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        let hand = self.hands[seat];
        match self.drawn {
            Some((drawn, taken)) => Action::Discard(discard(hand, drawn, taken, self.wanted_next[seat], constants)),
            None => {
                let last = self.discards.last().copied();
                beginning(hand, last, !self.stock.is_empty(), self.may_end(), constants)
            }
        }
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        by_worth(self.legal(seat), |action| self.worth(seat, action, constants))
    }
}
