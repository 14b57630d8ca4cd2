//! The time manager: how long to think about a decision, so that the clock never runs out.

use crate::arena::TimeControl;

/// What of the bank is never spent on thinking: this share, but no more seconds than that.
const RESERVE: (f64, f64) = (0.25, 1.0);
/// What a decision is taken to cost besides thinking until that is measured: this share of the bank, but no
/// more seconds than that.
const OVERHEAD: (f64, f64) = (0.004, 0.02);
/// How much one measurement counts against those before it.
const MEASURED: f64 = 0.1;
/// Of the time left for a decision, no more than this share is thought.
const SHARE_OF_MOVE: f64 = 0.4;

/// The clock of one table, as far as the bot can tell. Times are in seconds.
pub struct Clock {
    think: f64,
    bank: f64,
    increment: f64,
    /// The limit of one decision.
    limit: f64,
    reserve: f64,
    /// What a decision costs besides thinking: the way to the referee and back, and a busy machine.
    overhead: f64,
    /// The most that a decision cost besides thinking; of those long ago less.
    worst: f64,
    /// The time that was allotted to the last decision.
    allotted: f64,
    /// What the bank would hold if the last decision had cost nothing but the thinking.
    expected: Option<f64>,
}

/// The seconds of a duration; none for one that is negative or absent.
fn seconds(duration: Option<&prost_types::Duration>) -> f64 {
    duration.map_or(0.0, |it| (it.seconds as f64 + f64::from(it.nanos) / 1e9).max(0.0))
}

impl Clock {
    /// Args: `think` is the most time for a decision.
    pub fn new(control: Option<&TimeControl>, think: f64) -> Self {
        let bank = seconds(control.and_then(|it| it.bank.as_ref()));
        let increment = seconds(control.and_then(|it| it.increment.as_ref()));
        let limit = control.and_then(|it| it.r#move.as_ref()).map_or(f64::INFINITY, |it| seconds(Some(it)));
        let share = |(share, most): (f64, f64)| (share * bank).min(most);
        let (reserve, overhead) = (share(RESERVE), share(OVERHEAD));
        Self { think, bank, increment, limit, reserve, overhead, worst: overhead, allotted: 0.0, expected: None }
    }

    /// How long to think about a decision of which about so many more will come.
    pub fn allot(&mut self, time_left: Option<&prost_types::Duration>, decisions_left: f64) -> f64 {
        let left = time_left.map_or(self.bank.min(self.limit), |it| seconds(Some(it)));
        let expected = self.expected.take();
        if left < self.limit {
            self.bank = left; // the lesser of bank and limit
            if let Some(expected) = expected {
                let cost = (expected - left).max(0.0);
                self.overhead += MEASURED * (cost - self.overhead);
                self.worst = cost.max(self.worst - MEASURED * (self.worst - self.overhead));
            }
        } else {
            self.bank = expected.map_or(self.bank, |bank| bank - self.overhead).max(left);
        }
        let free = self.bank - self.reserve - self.worst;
        let fair = free / (decisions_left + 3.0) + 0.8 * self.increment - self.overhead;
        self.allotted = fair.min(SHARE_OF_MOVE * left - self.worst).min(self.think).max(0.0);
        self.allotted
    }

    /// Notes that a decision was answered so long after it arrived; what it took beyond its time was no thinking.
    pub fn spent(&mut self, elapsed: f64) {
        self.expected = Some(self.bank + self.increment - elapsed.min(self.allotted));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::chance::Random;

    fn duration(seconds: f64) -> Option<prost_types::Duration> {
        let whole = seconds.floor();
        Some(prost_types::Duration { seconds: whole as i64, nanos: ((seconds - whole) * 1e9) as i32 })
    }

    /// Plays a game of so many decisions by a made-up clock; what was left of the bank, and all that was thought.
    ///
    /// Args: `cost` says what the next decision costs besides thinking.
    fn game(bank: f64, increment: f64, decisions: usize, mut cost: impl FnMut() -> f64) -> (f64, f64) {
        let control = TimeControl { bank: duration(bank), increment: duration(increment), r#move: duration(20.0) };
        let mut clock = Clock::new(Some(&control), 0.25);
        let (mut left, mut thought) = (bank, 0.0);
        for decision in 0..decisions {
            let time = clock.allot(duration(left.min(20.0)).as_ref(), (decisions - decision) as f64);
            let cost = cost();
            clock.spent(time + cost / 2.0); // half of it passes while the bot has the turn
            thought += time;
            left -= time + cost;
            assert!(left > 0.0, "bank {bank}: the clock ran out at decision {decision}");
            left += increment;
        }
        (left, thought)
    }

    const CLOCKS: [(f64, f64); 4] = [(0.5, 0.0), (1.0, 0.0), (5.0, 0.0), (60.0, 0.1)];

    #[test]
    fn it_thinks_most_of_a_short_bank() {
        for (bank, increment) in CLOCKS {
            let cost = bank / 1000.0;
            let (_, thought) = game(bank, increment, 45, || cost);
            let most = (bank + 45.0 * (increment - cost)).min(45.0 * 0.25);
            assert!(thought > 0.6 * most, "bank {bank}: thought {thought} of {most}");
        }
    }

    #[test]
    fn the_clock_does_not_run_out_on_a_busy_machine() {
        for (bank, increment) in CLOCKS {
            for seed in 0..200 {
                let mut random = Random::new(seed);
                // The costs alone take half of the bank on average, and one in twenty is ten times as long.
                let usual = bank / 45.0 / 2.0 / 1.45;
                game(bank, increment, 45, || if random.share() < 0.05 { 10.0 * usual } else { usual });
            }
        }
    }

    #[test]
    fn more_decisions_than_foreseen_find_time() {
        for (bank, increment) in CLOCKS {
            let control = TimeControl { bank: duration(bank), increment: duration(increment), r#move: duration(20.0) };
            let mut clock = Clock::new(Some(&control), 0.25);
            let mut left = bank;
            for _ in 0..300 {
                let time = clock.allot(duration(left.min(20.0)).as_ref(), 8.0);
                clock.spent(time);
                left -= time + bank / 2000.0;
                assert!(left > 0.0);
                left += increment;
            }
        }
    }

    #[test]
    fn a_clock_of_which_nothing_is_told_gives_no_time() {
        let mut clock = Clock::new(None, 0.25);
        assert_eq!(clock.allot(None, 10.0), 0.0);
    }
}
