//! Chance: a small fast generator, and what the rules ask of chance.

/// Where the rules get their random draws from.
pub trait Chance {
    /// A uniform number from 0 to `bound` - 1.
    fn below(&mut self, bound: usize) -> usize;

    /// Puts items into a uniform random order, by the draws that the referee makes.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
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
