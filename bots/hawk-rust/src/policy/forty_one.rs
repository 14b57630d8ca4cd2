//! Forty-one, thoughtfully: collect one suit, whatever the other cards cost, and stop as soon as it pays.

use super::{Policy, by_worth, first_best};
use crate::cards::{Set, bit, each, suit};
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

impl State {
    /// What thoughtful thinks of an action: the highest is what it chooses.
    fn worth(&self, seat: usize, action: &Action, constants: &Constants) -> f64 {
        let hand = self.hands[seat];
        match *action {
            Action::Discard(card) => {
                let five = hand | self.drawn.map_or(0, |(drawn, _)| bit(drawn));
                let gift = if self.wanted_next[seat] == Some(suit(card)) { value(card) } else { 0 };
                f64::from(promise(five & !bit(card))) - constants.feeding * f64::from(gift)
            }
            Action::End if self.stock.is_empty() || score(hand) >= constants.stop_at => 3.0,
            Action::Take => {
                let five = hand | self.discards.last().map_or(0, |&card| bit(card));
                let best = each(hand).map(|card| promise(five & !bit(card))).max();
                if best > Some(promise(hand)) { 2.0 } else { 0.5 }
            }
            Action::Draw => 1.0,
            Action::End => 0.0,
        }
    }
}

impl Policy for State {
    type Constants = Constants;

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        if let Some((drawn, taken)) = self.drawn {
            let first = (!taken).then_some(drawn);
            let discards = first.into_iter().chain(each(self.hands[seat])).map(Action::Discard);
            return first_best(discards, |action| self.worth(seat, action, constants)).expect("a hand");
        }
        if self.may_end() && (self.stock.is_empty() || score(self.hands[seat]) >= constants.stop_at) {
            return Action::End;
        }
        let draw = if self.stock.is_empty() { Action::End } else { Action::Draw };
        let takes = !self.discards.is_empty() && self.worth(seat, &Action::Take, constants) > 1.0;
        if takes { Action::Take } else { draw }
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        by_worth(self.legal(seat), |action| self.worth(seat, action, constants))
    }
}
