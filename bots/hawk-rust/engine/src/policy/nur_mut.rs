//! Nur Mut, thoughtfully: courage by the odds of the hidden face, and piles that do not help the next seat.

use super::{Policy, by_worth};
use crate::games::Rules;
use crate::games::nur_mut::{Action, Face, HIDDEN, JOKER, PILES, State, Tops, fits_some};

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

/// For each top face, all bits for a face that fits it, and none for another.
const FITTING: [[u8; 16]; 12] = {
    let mut fitting = [[0; 16]; 12];
    let mut top = 0;
    while top < 12 {
        let mut face = 1;
        while face <= HIDDEN as usize {
            if face == JOKER as usize || top == JOKER as usize || face.abs_diff(top) == 1 {
                fitting[top][face] = u8::MAX;
            }
            face += 1;
        }
        top += 1;
    }
    fitting
};

impl State {
    /// The chance that the hidden face of a card fits, by the face that it shows.
    fn chance_to_fit(&self, top: Face, piles: &Tops) -> f64 {
        let (copies, known) = (&self.terms.copies[usize::from(top)], &self.known.all[usize::from(top)]);
        let fits = piles.map(|pile| &FITTING[usize::from(pile)]);
        let (mut fitting, mut all) = (0, 0);
        for face in 0..copies.len() {
            let left = copies[face].saturating_sub(known[face]);
            all += u32::from(left);
            fitting += u32::from(left & fits.iter().fold(0, |some, fits| some | fits[face]));
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
        let shown = top != HIDDEN && fits_some(top, piles);
        let flip = || self.chance_to_fit(top, piles);
        if self.decks[following].len() == 1 {
            WIN * if shown { 1.0 } else { flip() }
        } else {
            constants.denial * if shown { 1.0 } else { 0.3 * flip() }
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

/// thoughtful's constants, and others.
const STYLES: [Constants; 2] = [
    Constants { going_on: 0.6, fresh_top: 0.2, denial: 0.3 },
    Constants { going_on: 0.3, fresh_top: 0.1, denial: 0.5 },
];

impl Policy for State {
    type Constants = Constants;

    fn styles(&self) -> &'static [Constants] {
        &STYLES
    }

    fn choose(&self, seat: usize, constants: &Constants) -> Action {
        let mut best = (f64::NEG_INFINITY, Action::Courage);
        self.each_legal(seat, |action| {
            let worth = self.worth(seat, &action, constants);
            if worth > best.0 {
                best = (worth, action);
            }
        });
        best.1
    }

    fn ranked(&self, seat: usize, constants: &Constants) -> Vec<Action> {
        by_worth(self.legal(seat), |action| self.worth(seat, action, constants))
    }
}
