//! The numbers by which hawk plays, and how they came about: `README.md` says how they were measured.

use crate::games::kleftis;
use crate::policy;
use crate::sampling;
use crate::search::{Game, Parameters};

const KLEFTIS: Parameters =
    Parameters { candidates: 6, cut: 0, by_point: 0.1, errors: 1.0, margin: 0.0, rollouts: 20_000 };

/// thoughtful's own constants, and others that were found to beat it without search.
const KLEFTIS_STYLES: [policy::kleftis::Constants; 2] = [
    policy::kleftis::Constants { prey: 0.5, reach: 3.0, lone: -0.5, stolen: (1.0, 1.0), safe: 1.0 },
    policy::kleftis::Constants { prey: 1.0, reach: 16.0, lone: -0.08, stolen: (1.09, 0.08), safe: 1.13 },
];

impl Game for kleftis::State {
    type Mind = sampling::kleftis::Memory;
    const NAME: &str = "kleftis";

    fn parameters() -> Parameters {
        KLEFTIS
    }

    fn styles() -> &'static [Self::Constants] {
        &KLEFTIS_STYLES
    }

    fn estimate(&self, seat: usize) -> f64 {
        0.5 + self.lead(seat) / 20.0
    }

    fn lead(&self, seat: usize) -> f64 {
        lead(&self.points(), seat)
    }

    fn decisions_left(&self, seat: usize) -> f64 {
        f64::from(self.hands[seat].count_ones()) + self.stock.len() as f64 / self.hands.len() as f64
    }
}

/// By how many points a seat leads the mean of the others.
fn lead(points: &[i32], seat: usize) -> f64 {
    let others = points.iter().sum::<i32>() - points[seat];
    f64::from(points[seat]) - f64::from(others) / (points.len() - 1) as f64
}
