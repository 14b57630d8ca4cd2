//! How likely it is what nobody has seen.

use crate::arena::NurMutFace;
use crate::cards::{bit, each, suit};
use crate::rules::{fits, high, worth};

/// The chance that none of `wanted` cards is among `drawn` of `unseen` ones.
pub fn none_of(wanted: u32, unseen: u32, drawn: u32) -> f64 {
    let left = |taken| f64::from(unseen.saturating_sub(taken));
    (0..drawn.min(unseen).min(54)).map(|taken| 1.0 - (f64::from(wanted) / left(taken)).min(1.0)).product()
}

/// Nyuri: another seat, by the cards that it may have in its hand.
pub struct Rival {
    /// The cards that it is known to hold.
    pub held: u64,
    /// The cards of which nobody is known to hold them.
    pub hidden: u64,
    /// The chance that it holds one of those.
    pub chance: f64,
}

impl Rival {
    /// The chance that it cannot steal a pile by showing so many cards.
    pub fn falls_short(&self, pile: u64, shown: i32) -> f64 {
        let of_suit = each(pile).next().map_or(0, |card| 0x3ffe << (13 * suit(card)));
        self.stays_within(worth(pile), shown, (self.held | self.hidden) & of_suit)
    }

    /// The chance that its best `shown` of these cards are together worth no more than `bar`.
    fn stays_within(&self, bar: i32, shown: i32, cards: u64) -> f64 {
        if bar < 0 {
            return 0.0;
        }
        let Some(card) = each(cards).max_by_key(|&card| high(card)) else { return 1.0 };
        if bar >= shown * high(card) {
            return 1.0;
        }
        let chance = if self.held & bit(card) != 0 { 1.0 } else { self.chance };
        let rest = cards & !bit(card);
        chance * self.stays_within(bar - high(card), shown - 1, rest)
            + (1.0 - chance) * self.stays_within(bar, shown, rest)
    }
}

/// Nur Mut: the chance that the hidden face of a card fits on a pile, by the face that it shows (standard decks).
pub fn chance_to_fit(shown: i32, piles: &[i32]) -> f64 {
    let joker = NurMutFace::Joker as i32;
    let weight = |face| match face {
        _ if face == shown => 0.0, // no card has the same face twice
        _ if face == joker || shown == joker => 1.0,
        _ => 2.0, // every pair of numbers is there twice
    };
    let all: f64 = (1..=joker).map(weight).sum();
    let fitting = (1..=joker).filter(|&face| piles.iter().any(|&pile| fits(face, pile)));
    fitting.map(weight).sum::<f64>() / all
}
