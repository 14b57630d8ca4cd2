//! Hyrule, thoughtfully: odds of winning by counting the cards, and a hand that has an answer to everything.

use std::sync::LazyLock;

use super::{Policy, by_worth, chance_of_none, first_best};
use crate::cards::{Card, Set, bit, each};
use crate::games::Rules;
use crate::games::hyrule::{Action, State, WHOLE, winning};

#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// A card counts as unanswered at this rate for each card of the hand that answers it.
    pub second_answer: f64,
    /// What the readiness of the hand counts against a sure trick: for the seat that plays last, and others.
    pub readiness: (f64, f64),
}

/// By card led, the cards that beat it when they are played after it.
static BEATEN_BY: LazyLock<[Set; 55]> = LazyLock::new(|| {
    let beaters = |led: Card| each(WHOLE & !bit(led)).filter(move |&card| winning(&[led, card], false) == 1);
    std::array::from_fn(|led| if led == 0 { 0 } else { beaters(led as Card).fold(0, |set, card| set | bit(card)) })
});

/// To what share of the unseen cards the hand has an answer.
fn readiness(hand: Set, unseen: Set, constants: &Constants) -> f64 {
    let rates: [f64; 9] = std::array::from_fn(|count| constants.second_answer.powf(count as f64));
    let answers = |led: Card| (hand & BEATEN_BY[usize::from(led)]).count_ones() as usize;
    each(unseen).map(|led| 1.0 - rates[answers(led).min(8)]).sum::<f64>() / f64::from(unseen.count_ones().max(1))
}

impl State {
    fn worth(&self, seat: usize, action: &Action, unseen: Set, constants: &Constants) -> f64 {
        let hand = self.hands[seat];
        let to_come = self.hands.len() - 1 - self.trick.len(); // where cards are sealed: all others
        let (last, before) = constants.readiness;
        let ready = |card| readiness(hand & !bit(card), unseen, constants);
        match *action {
            Action::Swap(card) => 1.0 + ready(card), // always: it means to play last
            Action::Play(card) => {
                let weight = if to_come > 0 { before } else { last };
                weight * ready(card) + self.chance_to_win(card, unseen, to_come * hand.count_ones() as usize)
            }
        }
    }

    /// The chance that a card wins the trick, where the seats to come hold so many of the unseen cards.
    fn chance_to_win(&self, card: Card, unseen: Set, held: usize) -> f64 {
        let mut played = self.trick.clone();
        played.push(card);
        let last = played.len() - 1;
        if winning(&played, self.options.last_joker) != last {
            return 0.0;
        }
        if held == 0 {
            return 1.0;
        }
        let beats = |other: Card| {
            let mut trick = [0; 8];
            trick[..=last].copy_from_slice(&played[..=last]);
            trick[last + 1] = other;
            winning(&trick[..last + 2], self.options.last_joker) != last
        };
        let beaters = each(unseen).filter(|&other| beats(other)).count();
        chance_of_none(beaters, unseen.count_ones() as usize, held)
    }

    fn unseen(&self, seat: usize) -> Set {
        let shown = self.played.iter().chain(&self.discards).chain(&self.trick);
        WHOLE & !shown.fold(self.hands[seat], |set, &card| set | bit(card))
    }
}

/// thoughtful's constants.
const STYLES: [Constants; 1] = [Constants { second_answer: 0.3, readiness: (0.3, 0.02) }];

impl Policy for State {
    type Constants = Constants;

    fn styles(&self) -> &'static [Constants] {
        &STYLES
    }

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        let unseen = self.unseen(seat);
        first_best(self.legal(seat), |action| self.worth(seat, action, unseen, constants)).expect("a legal action")
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        let unseen = self.unseen(seat);
        by_worth(self.legal(seat), |action| self.worth(seat, action, unseen, constants))
    }
}
