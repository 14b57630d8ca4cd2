//! Chance: what the rules ask of it, a small fast generator, and the chance of a board's key.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::games::MOST_SEATS;
use crate::list::List;

/// Where the rules get their random draws from.
pub trait Chance {
    /// Says which event the next draws belong to, and of which seat.
    fn begin(&mut self, _: Event, _seat: usize) {}

    /// A uniform number from 0 to `bound` - 1.
    fn below(&mut self, bound: usize) -> usize;

    /// Puts items into a uniform random order, by the draws that the referee makes.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// An event that draws: each has its own row of draws, so that chance never depends on what happened before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    Deck,
    /// How the cards of Nur Mut come to lie when they are dealt.
    Orientation,
    /// N13: the card that a stealing seat hands over.
    Penalty,
    /// M16: which of the highest piles a seat takes, before its reshuffle.
    Highest,
    /// M15: how the deck of a seat is mixed.
    Reshuffle,
    /// How the deck of a seat lies, if it is drawn anew.
    Redrawn,
}

/// SplitMix64: equal seeds give equal draws.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A uniform number from 0 up to, not including, 1.
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number of the standard normal distribution.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.share()).ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos()
    }
}

impl Chance for Random {
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// The draws of a recorded game, each with its bound, in the order in which they were made.
pub struct Recorded {
    draws: std::vec::IntoIter<(usize, usize)>,
    /// Whether a draw was asked for that the record does not have next.
    pub broken: bool,
}

impl Recorded {
    pub fn new(draws: Vec<(usize, usize)>) -> Self {
        Self { draws: draws.into_iter(), broken: false }
    }

    /// Whether all draws were used, and no other was asked for.
    pub fn complete(&self) -> bool {
        !self.broken && self.draws.len() == 0
    }
}

impl Chance for Recorded {
    fn below(&mut self, bound: usize) -> usize {
        match self.draws.next() {
            Some((recorded, drawn)) if recorded == bound => drawn,
            _ => {
                self.broken = true;
                0
            }
        }
    }
}

type Authentication = Hmac<Sha256>;

/// The deals of a board, which follow from its key as `arena/table/deal.py` of the arena says.
#[derive(Clone)]
pub struct Board(Authentication);

impl Board {
    pub fn new(key: &[u8]) -> Self {
        Self(Authentication::new_from_slice(key).expect("a key may have any length"))
    }

    /// The chance of a deal, from 0, and its deck: the ordered one, shuffled.
    pub fn deal(&self, number: u32, mut deck: Vec<u8>) -> (Keyed, Vec<u8>) {
        let mut chance = Keyed {
            board: self.0.clone(),
            deal: number,
            penalties: [0; MOST_SEATS],
            reshuffles: [0; MOST_SEATS],
            event: String::new(),
            block: 0,
            numbers: List::new(),
        };
        chance.begin(Event::Deck, 0);
        chance.shuffle(&mut deck);
        (chance, deck)
    }
}

/// The chance of one deal of a board. It counts the events of each seat, which are told apart by their number.
#[derive(Clone)]
pub struct Keyed {
    board: Authentication,
    deal: u32,
    penalties: [u32; MOST_SEATS],
    reshuffles: [u32; MOST_SEATS],
    /// The text of the running event, to which the number of the block is added.
    event: String,
    /// The number of the next block.
    block: u32,
    /// The numbers that come next, the first of them last.
    numbers: List<u32, BLOCK>,
}

/// The 32-bit numbers of a block.
const BLOCK: usize = 8;

impl Keyed {
    /// The chance of the first deal of another board, from where this one stands.
    pub fn on(&self, board: &Board) -> Self {
        Self { board: board.0.clone(), deal: 0, event: String::new(), block: 0, numbers: List::new(), ..*self }
    }

    fn number(&mut self) -> u32 {
        loop {
            if let Some(number) = self.numbers.pop() {
                return number;
            }
            let mut block = self.board.clone();
            block.update(format!("{}{}", self.event, self.block).as_bytes());
            self.block += 1;
            let bytes = block.finalize().into_bytes();
            let big_endian = |four: &[u8]| four.iter().fold(0, |number, &byte| number << 8 | u32::from(byte));
            self.numbers = bytes.chunks(4).rev().map(big_endian).collect();
        }
    }
}

impl Chance for Keyed {
    fn begin(&mut self, event: Event, seat: usize) {
        let next = |counts: &mut [u32; MOST_SEATS]| {
            counts[seat] += 1;
            counts[seat] - 1
        };
        let (purpose, count) = match event {
            Event::Deck => ("deck", 0),
            Event::Orientation => ("orientation", 0),
            Event::Penalty => ("penalty", next(&mut self.penalties)),
            Event::Highest => ("highest", self.reshuffles[seat]),
            Event::Reshuffle => ("reshuffle", next(&mut self.reshuffles)),
            Event::Redrawn => ("redrawn", 0),
        };
        self.event = format!("arena chance 1\n{}\n{purpose}\n{seat}\n{count}\n", self.deal);
        self.block = 0;
        self.numbers = List::new();
    }

    fn below(&mut self, bound: usize) -> usize {
        const SPAN: u64 = 1 << 32;
        let bound = bound as u64;
        let limit = SPAN - SPAN % bound;
        loop {
            let number = u64::from(self.number());
            if number < limit {
                return (number % bound) as usize;
            }
        }
    }
}
