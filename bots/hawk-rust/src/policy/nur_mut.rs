//! Nur Mut, thoughtfully: courage by the odds of the hidden face, and piles that do not help the next seat.

use super::{Policy, by_worth, first_best};
use crate::games::Rules;
use crate::games::nur_mut::{Action, Face, HIDDEN, PILES, State, fits, pair};

#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// What a further turn after successful courage is worth.
    pub going_on: f64,
    /// What a new top card is worth that a tuck brings.
    pub fresh_top: f64,
    /// What it costs when the next seat can lay its top card.
    pub denial: f64,
}

const WIN: f64 = 10.0;

type Tops = [Face; PILES];

fn fits_some(face: Face, piles: &Tops) -> bool {
    piles.iter().any(|&top| fits(face, top))
}

impl State {
    /// The chance that the hidden face of a card fits, by the face that it shows.
    fn chance_to_fit(&self, top: Face, piles: &Tops) -> f64 {
        let (mut fitting, mut all) = (0u32, 0u32);
        for face in 1..=HIDDEN {
            let (low, high) = pair(top, face);
            let copies = self.terms.copies[usize::from(low)][usize::from(high)];
            if copies == 0 {
                continue;
            }
            let left = u32::from(copies.saturating_sub(self.known.all[usize::from(low)][usize::from(high)]));
            all += left;
            if fits_some(face, piles) {
                fitting += left;
            }
        }
        f64::from(fitting) / f64::from(all.max(1))
    }

    /// What failed courage costs: the highest pile, and a card that the next seat gets rid of.
    fn price(&self, seat: usize, tops: &Tops) -> f64 {
        let highest = tops.iter().max();
        let piles = (0..PILES).filter(|&pile| Some(&tops[pile]) == highest);
        let size = piles.map(|pile| self.piles[pile].len()).max().unwrap_or(0) as f64;
        let seats = self.decks.len();
        if self.decks[(seat + 1) % seats].len() == 1 {
            size + WIN
        } else if seats > 2 {
            size + 1.0 / (seats - 1) as f64
        } else {
            size // M18: of two seats the same one goes on
        }
    }

    /// How much piles help the next seat to lay its top card.
    fn help(&self, seat: usize, piles: &Tops, constants: &Constants) -> f64 {
        let following = (seat + 1) % self.decks.len();
        let top = self.top(following);
        let flip = self.chance_to_fit(top, piles);
        let shown = top != HIDDEN && fits_some(top, piles);
        if self.decks[following].len() == 1 {
            WIN * if shown { 1.0 } else { flip }
        } else {
            constants.denial * if shown { 1.0 } else { 0.3 * flip }
        }
    }

    /// What an action is worth, in cards got rid of.
    fn worth(&self, seat: usize, action: &Action, constants: &Constants) -> f64 {
        let own = self.decks[seat].len();
        let top = self.top(seat);
        let laid = if own == 1 { WIN } else { 1.0 };
        let mut tops = self.tops();
        match *action {
            Action::Choose(pile) | Action::Place(pile) => {
                tops[usize::from(pile)] = top;
                laid - self.help(seat, &tops, constants)
            }
            Action::Courage => {
                let fits = self.chance_to_fit(top, &tops);
                let going_on = if own == 1 { 0.0 } else { constants.going_on };
                fits * (laid + going_on) - (1.0 - fits) * self.price(seat, &tops)
            }
            Action::Try => laid * self.chance_to_fit(top, &tops),
            Action::Tuck => constants.fresh_top - self.help(seat, &tops, constants),
            Action::Pass => -self.help(seat, &tops, constants),
        }
    }
}

impl Policy for State {
    type Constants = Constants;

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        first_best(self.legal(seat), |action| self.worth(seat, action, constants)).expect("a legal action")
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        by_worth(self.legal(seat), |action| self.worth(seat, action, constants))
    }
}
