//! `hawk tune`: finds the weights of hawk's rules of thumb for Forty-one, those in `parameters.rs`.
//!
//! By the cross-entropy method: weights are drawn around the best so far, all play thoughtful on the same boards, and
//! the next are drawn around the mean of the few best. It begins with what thoughtful does, and is seeded.

use crate::search::share_beaten;
use arena_engine::chance::{Chance, Random};
use arena_engine::games::forty_one::State;
use arena_engine::games::{Rules, Silent};
use arena_engine::policy::Policy;
use arena_engine::policy::forty_one::{Constants, Weights};

const GENERATIONS: u64 = 60;
const DRAWN: usize = 24;
const BEST: usize = 6;
/// Boards of a generation; each is played from both seats.
const BOARDS: u64 = 8_000;
/// How far the mean moves to that of the best, and how fast the spread follows theirs.
const MOVES: f64 = 0.8;
const NARROWS: f64 = 0.15;

/// Each weight's first value, and how far from it others are drawn at first.
const START: [(f64, f64); Weights::COUNT] = [
    (0.0, 2.0), // one card of a suit
    (0.0, 2.0),
    (0.0, 2.0),
    (0.0, 3.0),
    (0.0, 0.2),  // unseen
    (0.0, 0.5),  // rival
    (0.0, 0.1),  // second
    (0.0, 0.1),  // others
    (0.0, 0.1),  // gift
    (0.0, 0.1),  // wanted gift
    (0.0, 1.0),  // take
    (22.0, 3.0), // stop at
    (22.0, 3.0),
    (22.0, 3.0),
    (22.0, 3.0),
];

/// Finds weights; the text has them, and what they score.
pub fn run() -> String {
    let mut random = Random::new(1);
    let mut mean = START.map(|(value, _)| value);
    let mut spread = START.map(|(_, spread)| spread);
    for generation in 0..GENERATIONS {
        let first = (generation + 1) * BOARDS;
        let mut drawn: Vec<(f64, [f64; Weights::COUNT])> = (0..DRAWN)
            .map(|_| {
                let values = std::array::from_fn(|place| mean[place] + spread[place] * random.normal());
                (score(&Weights::new(&values), first..first + BOARDS), values)
            })
            .collect();
        drawn.sort_by(|one, other| other.0.total_cmp(&one.0));
        for place in 0..Weights::COUNT {
            let of_best = |what: &dyn Fn(f64) -> f64| {
                drawn[..BEST].iter().map(|(_, values)| what(values[place])).sum::<f64>() / BEST as f64
            };
            let old = mean[place];
            mean[place] = old + MOVES * (of_best(&|value| value) - old);
            let variance = of_best(&|value| (value - old).powi(2));
            spread[place] = ((1.0 - NARROWS) * spread[place].powi(2) + NARROWS * variance).sqrt();
        }
        eprintln!("generation {generation}: best {:.2} %", 100.0 * drawn[0].0);
    }
    let weights = Weights::new(&mean);
    let check = (GENERATIONS + 2) * BOARDS;
    format!("{weights:#?}\n{:.2} % of 100,000 other boards", 100.0 * score(&weights, check..check + 100_000))
}

/// The share of games that weights win against thoughtful, without search.
fn score(weights: &Weights, boards: std::ops::Range<u64>) -> f64 {
    let own = Constants::Weighing(*weights);
    let count = boards.end - boards.start;
    boards.flat_map(|board| [game(board, 0, &own), game(board, 1, &own)]).sum::<f64>() / (2 * count) as f64
}

fn game(board: u64, own_seat: usize, own: &Constants) -> f64 {
    let mut chance = Random::new(board);
    let mut deck = State::deck(&State::usual());
    chance.shuffle(&mut deck);
    let mut state = State::new(&State::usual(), 2, 0, &deck, &mut chance, &mut Silent);
    while let Some(seat) = state.to_act() {
        let action = state.choose(seat, if seat == own_seat { own } else { &State::styles()[0] });
        state.apply(seat, &action, &mut chance, &mut Silent);
    }
    share_beaten(&state.outcome().expect("a deal that is over").places, own_seat)
}
