//! What a seat knows of a deal, and full positions drawn from all that are consistent with it.
//!
//! A mind is told what its seat is told, the events and the observation, and nothing else.

pub mod fair;
pub mod forty_one;
mod forty_one_hands;
pub mod hyrule;
pub mod kleftis;
pub mod nur_mut;
pub mod nur_mut_walk;
pub mod nyuri;

use crate::chance::Random;
use crate::games::Rules;

/// What one seat remembers of a deal.
pub trait Mind<S: Rules> {
    fn new(options: &S::Options, seats: usize, seat: usize, starter: usize) -> Self;

    /// Remembers an event of the deal; all come, in their order.
    fn told(&mut self, event: &S::Event);

    /// Thinks about the actions of others before samples are drawn, for a part of so many seconds.
    fn prepare(&mut self, _seconds: f64) {}

    /// A position in which the seat would have been told and would see all this; none where there is none.
    fn sample(&mut self, seen: &S::Observation, random: &mut Random) -> Option<S>;

    /// Another such position, where one was drawn with the same view.
    fn again(&mut self, _drawn: &S, seen: &S::Observation, random: &mut Random) -> Option<S> {
        self.sample(seen, random)
    }
}
