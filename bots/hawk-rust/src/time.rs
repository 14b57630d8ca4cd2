//! The time manager: how long to think about a decision, so that the clock never runs out.

use std::time::{Duration, Instant};

use crate::arena::TimeControl;

/// What of the bank is never spent on thinking.
const RESERVE: f64 = 1.0;
/// What a decision takes besides thinking: the way to the referee and back, and a busy machine.
const OVERHEAD: f64 = 0.02;
/// Of the time left for a decision, no more than this share is thought.
const SHARE_OF_MOVE: f64 = 0.4;

/// The clock of one table, as far as the bot can tell.
pub struct Clock {
    think: f64,
    bank: f64,
    increment: f64,
}

/// The seconds of a duration; none for one that is negative or absent.
fn seconds(duration: Option<&prost_types::Duration>) -> f64 {
    duration.map_or(0.0, |it| (it.seconds as f64 + f64::from(it.nanos) / 1e9).max(0.0))
}

impl Clock {
    /// Args: `think` is the most time for a decision, in seconds.
    pub fn new(control: Option<&TimeControl>, think: f64) -> Self {
        let bank = seconds(control.and_then(|it| it.bank.as_ref()));
        let increment = seconds(control.and_then(|it| it.increment.as_ref()));
        Self { think, bank, increment }
    }

    /// How long to think about a decision of which about so many more will come.
    pub fn allot(&mut self, time_left: Option<&prost_types::Duration>, decisions_left: f64) -> Duration {
        let left = time_left.map_or(self.bank, |it| seconds(Some(it)));
        self.bank = self.bank.max(left); // the bank holds at least what is left for this decision
        let fair = (self.bank - RESERVE) / (decisions_left + 3.0) + 0.8 * self.increment - OVERHEAD;
        Duration::from_secs_f64(fair.min(SHARE_OF_MOVE * left).clamp(0.0, self.think))
    }

    /// Notes that a decision was answered now that arrived at a moment.
    pub fn spent(&mut self, arrived: Instant) {
        self.bank += self.increment - arrived.elapsed().as_secs_f64() - OVERHEAD;
    }
}
