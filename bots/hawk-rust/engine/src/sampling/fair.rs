//! Positions by their likelihood alone, as `arena/sampling` defines it: an action shows that the seat could take it,
//! not why.
//!
//! The samplers in Python work out what a seat knows, once for a turn. Here positions are drawn from that.

use std::sync::Arc;

use crate::cards::{Card, Set, bit, each};
use crate::chance::{Chance, Random};
use crate::games::{forty_one, hyrule, kleftis, nur_mut, nyuri};
use crate::sampling::nur_mut_walk::Walk;

/// The hidden part of a position.
pub trait Hidden<S>: Send {
    /// Draws it anew for a position that shows the seat what it sees.
    fn draw(&mut self, position: &mut S, random: &mut Random);
}

/// Cards that may be anywhere: in the hands of other seats and in the stock.
#[derive(Clone)]
pub struct Unseen {
    /// The seat that knows.
    pub seat: usize,
    /// By seat, the cards that are certainly in its hand, and how many there are.
    pub certain: Vec<Set>,
    pub sizes: Vec<usize>,
    /// The cards that were not seen.
    pub pool: Vec<Card>,
    /// Hypotheses: by seat, what else is in its hand, with the weights up to and with each. None is none.
    pub hypotheses: Arc<Vec<Vec<Set>>>,
    pub weights: Arc<Vec<f64>>,
}

/// A game in which all that is hidden are cards of hands and the stock.
pub trait Hands {
    fn set_hand(&mut self, seat: usize, cards: Set);
    /// The stock, the next card last.
    fn set_stock(&mut self, stock: &[Card]);
}

impl<S: Hands> Hidden<S> for Unseen {
    fn draw(&mut self, position: &mut S, random: &mut Random) {
        let total = self.weights.last().copied().unwrap_or_default();
        let at = random.share() * total;
        let chosen = self.weights.partition_point(|&weight| weight <= at);
        let held = self.hypotheses.get(chosen.min(self.weights.len().saturating_sub(1)));
        random.shuffle(&mut self.pool);
        let mut left = self.pool.len();
        for (seat, (&certain, &size)) in self.certain.iter().zip(&self.sizes).enumerate() {
            if seat == self.seat {
                continue;
            }
            let known = certain | held.map_or(0, |held| held[seat]);
            let missing = size - known.count_ones() as usize;
            let dealt = &self.pool[left - missing..left];
            position.set_hand(seat, dealt.iter().fold(known, |hand, &card| hand | bit(card)));
            left -= missing;
        }
        position.set_stock(&self.pool[..left]);
    }
}

impl Unseen {
    /// Whether the cards suffice in every hypothesis, and none is in two places.
    pub fn is_sound(&self) -> bool {
        let pool = self.pool.iter().fold(0, |pool, &card| pool | bit(card));
        let fits = |held: Option<&Vec<Set>>| {
            let mut seen = pool;
            let mut missing = 0;
            for (seat, (&certain, &size)) in self.certain.iter().zip(&self.sizes).enumerate() {
                let extra = held.map_or(0, |held| held.get(seat).copied().unwrap_or_default());
                let known = certain | extra;
                if certain & extra != 0 || seen & known != 0 || known.count_ones() as usize > size {
                    return false;
                }
                seen |= known;
                missing += if seat == self.seat { 0 } else { size - known.count_ones() as usize };
            }
            missing <= self.pool.len()
        };
        self.certain.len() == self.sizes.len()
            && self.hypotheses.len() == self.weights.len()
            && pool.count_ones() as usize == self.pool.len()
            && self.hypotheses.iter().all(|held| held.len() == self.sizes.len())
            && if self.hypotheses.is_empty() { fits(None) } else { self.hypotheses.iter().all(|held| fits(Some(held))) }
    }
}

impl Hands for nyuri::State {
    fn set_hand(&mut self, seat: usize, cards: Set) {
        self.hands[seat] = nyuri::Hand::of(each(cards));
    }

    fn set_stock(&mut self, stock: &[Card]) {
        self.stock.clear();
        self.stock.extend_from_slice(stock);
    }
}

impl Hands for forty_one::State {
    fn set_hand(&mut self, seat: usize, cards: Set) {
        self.hands[seat] = cards;
    }

    fn set_stock(&mut self, stock: &[Card]) {
        self.stock.clear();
        self.stock.extend_from_slice(stock);
    }
}

impl Hands for kleftis::State {
    fn set_hand(&mut self, seat: usize, cards: Set) {
        self.hands[seat] = cards;
    }

    fn set_stock(&mut self, stock: &[Card]) {
        self.stock = stock.iter().copied().collect();
    }
}

impl Hands for hyrule::State {
    fn set_hand(&mut self, seat: usize, cards: Set) {
        self.hands[seat] = cards;
    }

    fn set_stock(&mut self, stock: &[Card]) {
        self.stock.clear();
        self.stock.extend_from_slice(stock);
    }
}

impl Hidden<nur_mut::State> for Walk {
    fn draw(&mut self, position: &mut nur_mut::State, random: &mut Random) {
        self.go(random);
        for (deck, spots) in position.decks.iter_mut().zip(&self.decks) {
            deck.clear();
            deck.extend(spots.iter().map(|&spot| self.lying_now(spot, random)));
        }
        for (pile, spots) in position.piles.iter_mut().zip(&self.piles) {
            pile.clear();
            pile.extend(spots.iter().map(|&spot| self.lying_now(spot, random)));
        }
    }
}
