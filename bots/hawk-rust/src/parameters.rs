//! The numbers by which hawk plays, and how they came about; `docs/design-notes.md` of the arena has what was measured.
//!
//! What a point counts, the standard errors and the actions tried come from matches of 60 to 500 boards against
//! thoughtful, at 100 to 3,000 rollouts, of a program before this one with the same search: in Kleftis a point
//! may count a lot, in Forty-one hardly; to switch at less than one standard error costs games where rollouts
//! are few, and in Hyrule at less than two. In Nyuri sixteen actions and then what `prospects.rs` says are better than
//! forty actions and then the lead, in the same time. The rules of thumb know their own numbers for two seats, three and
//! four; `hawk tune` finds them.

use crate::prospects;
use crate::search::{Game, Parameters, lead};
use arena_engine::games::{MOST_SEATS, forty_one, hyrule, kleftis, nur_mut, nyuri};
use arena_engine::list::List;
use arena_engine::policy::{self, Policy};
use arena_engine::sampling;

impl Game for kleftis::State {
    type Mind = sampling::kleftis::Memory;
    const NAME: &str = "kleftis";

    fn parameters(seats: usize) -> Parameters {
        let candidates = if seats == 2 { 6 } else { 12 };
        Parameters { candidates, cut: 0, by_point: 0.1, errors: 0.3, rollouts: 60_000 }
    }

    fn own(&self) -> &'static Self::Constants {
        &self.styles()[1]
    }

    fn estimate(&self, seat: usize) -> f64 {
        0.5 + self.lead(seat) / 20.0
    }

    fn lead(&self, seat: usize) -> f64 {
        let points: List<i32, MOST_SEATS> = (0..self.hands.len()).map(|seat| self.points(seat)).collect();
        lead(&points, seat)
    }

    fn decisions_left(&self, seat: usize) -> f64 {
        let turns = f64::from(self.hands[seat].count_ones()) + self.stock.len() as f64 / self.hands.len() as f64;
        1.5 * turns // some with groups to secure
    }
}

const NYURI: Parameters = Parameters { candidates: 16, cut: 16, by_point: 0.02, errors: 0.5, rollouts: 40_000 };

impl Game for nyuri::State {
    type Mind = sampling::nyuri::Memory;
    const NAME: &str = "nyuri";

    fn parameters(_: usize) -> Parameters {
        NYURI
    }

    fn own(&self) -> &'static Self::Constants {
        &self.styles()[1]
    }

    fn estimate(&self, seat: usize) -> f64 {
        prospects::share(self, seat)
    }

    fn lead(&self, seat: usize) -> f64 {
        lead(&self.counts(), seat)
    }

    fn decisions_left(&self, _: usize) -> f64 {
        8.0 + 2.0 * self.stock.len() as f64 / (self.hands.len() - 1) as f64
    }
}

const FORTY_ONE: Parameters = Parameters { candidates: 5, cut: 0, by_point: 0.004, errors: 0.0, rollouts: 20_000 };

/// Found by `hawk tune forty-one 2`, which takes a minute: 54.4 % against thoughtful without search.
const FORTY_ONE_OWN: policy::forty_one::Constants =
    policy::forty_one::Constants::Weighing(policy::forty_one::Weights {
        cards: [-6.03, -5.29, -3.61, 15.58],
        unseen: 0.42,
        rival: -1.21,
        second: 0.099,
        others: 0.116,
        gift: 0.163,
        wanted_gift: 0.527,
        take: 5.35,
        stop_at: [11.7, 9.3, 16.1, 10.3],
    });

impl Game for forty_one::State {
    type Mind = sampling::forty_one::Memory;
    const NAME: &str = "forty-one";

    fn parameters(_: usize) -> Parameters {
        FORTY_ONE
    }

    fn own(&self) -> &'static Self::Constants {
        &FORTY_ONE_OWN
    }

    fn estimate(&self, seat: usize) -> f64 {
        0.5 + self.lead(seat) / 80.0
    }

    fn lead(&self, seat: usize) -> f64 {
        let scores: Vec<i32> = self.hands.iter().map(|&hand| forty_one::score(hand)).collect();
        lead(&scores, seat)
    }

    fn decisions_left(&self, _: usize) -> f64 {
        4.0 + self.stock.len() as f64 / self.hands.len() as f64
    }
}

const HYRULE: Parameters = Parameters { candidates: 14, cut: 0, by_point: 0.02, errors: 2.0, rollouts: 1_500 };

impl Game for hyrule::State {
    type Mind = sampling::hyrule::Memory;
    const NAME: &str = "hyrule";

    fn parameters(_: usize) -> Parameters {
        HYRULE
    }

    fn own(&self) -> &'static Self::Constants {
        &self.styles()[0]
    }

    fn estimate(&self, seat: usize) -> f64 {
        0.5 + self.lead(seat) / 40.0
    }

    fn lead(&self, seat: usize) -> f64 {
        let captured: Vec<i32> = self.captured.iter().map(|&count| count as i32).collect();
        lead(&captured, seat)
    }

    fn decisions_left(&self, seat: usize) -> f64 {
        1.5 * f64::from(self.hands[seat].count_ones())
    }
}

const NUR_MUT: Parameters = Parameters { candidates: 5, cut: 0, by_point: 0.02, errors: 1.0, rollouts: 20_000 };

impl Game for nur_mut::State {
    type Mind = sampling::nur_mut::Memory;
    const NAME: &str = "nur-mut";

    fn parameters(_: usize) -> Parameters {
        NUR_MUT
    }

    fn own(&self) -> &'static Self::Constants {
        &self.styles()[0]
    }

    fn estimate(&self, seat: usize) -> f64 {
        1.0 / (1.0 + (-self.lead(seat) / 8.0).exp())
    }

    fn lead(&self, seat: usize) -> f64 {
        lead(&self.points(), seat)
    }

    fn decisions_left(&self, seat: usize) -> f64 {
        10.0 + 2.0 * self.decks[seat].len() as f64
    }
}
