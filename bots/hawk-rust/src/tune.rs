//! `hawk tune GAME SEATS`: finds the numbers of hawk's rules of thumb, those that it plays by itself.
//!
//! By the cross-entropy method: numbers are drawn around the best so far, all play on the same boards, and the next are
//! drawn around the mean of the few best. It is seeded. Each plays thoughtful, and in Kleftis and Nyuri also the best
//! so far; nobody searches.

use arena_engine::chance::{Chance, Random};
use arena_engine::games::{MOST_SEATS, Silent, forty_one, kleftis, nyuri};
use arena_engine::policy;
use arena_engine::policy::forty_one::{Constants, Weights};

use crate::search::{Game, beaten_by, share_beaten};

const DRAWN: usize = 24;
const BEST: usize = 6;
/// How far the mean moves to that of the best, and how fast the spread follows theirs.
const MOVES: f64 = 0.8;
const NARROWS: f64 = 0.15;
/// After so many generations the best so far play as the opponents.
const RENEWED: usize = 8;

/// A game for whose rules of thumb numbers can be found.
trait Tuned: Game {
    /// Each number's first value, and how far from it others are drawn at first.
    const START: &[(f64, f64)];
    const GENERATIONS: usize;
    /// Boards of a generation; each is played from every seat.
    const BOARDS: u64;
    /// Boards on which what was found is measured in the end.
    const CHECK: u64;
    /// Whether the best so far are opponents too.
    const AGAINST_BEST: bool;
    fn constants(numbers: &[f64]) -> Self::Constants;
}

impl Tuned for forty_one::State {
    /// It begins with what thoughtful does.
    const START: &[(f64, f64)] = &[
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
    const GENERATIONS: usize = 60;
    const BOARDS: u64 = 8_000;
    const CHECK: u64 = 100_000;
    const AGAINST_BEST: bool = false;

    fn constants(numbers: &[f64]) -> Constants {
        Constants::Weighing(Weights::new(numbers.try_into().expect("fifteen numbers")))
    }
}

impl Tuned for kleftis::State {
    /// It begins with what is good at two seats.
    const START: &[(f64, f64)] = &[
        (0.99, 0.3), // prey
        (0.47, 0.3),
        (15.6, 5.0), // reach
        (-2.5, 3.0),
        (3.5, 3.0),
        (-0.35, 0.3), // lone
        (-0.17, 0.3),
        (1.31, 0.3), // joined
        (1.13, 0.2), // stolen
        (0.03, 0.2),
        (1.14, 0.2), // safe
        (0.91, 0.3), // guarded
        (0.33, 0.3),
        (0.56, 0.2), // banked
    ];
    const GENERATIONS: usize = 60;
    const BOARDS: u64 = 2_000;
    const CHECK: u64 = 10_000;
    const AGAINST_BEST: bool = true;

    fn constants(numbers: &[f64]) -> policy::kleftis::Constants {
        policy::kleftis::Constants::new(numbers.try_into().expect("fourteen numbers"))
    }
}

impl Tuned for nyuri::State {
    const START: &[(f64, f64)] = &[(0.0145, 0.02), (0.5, 0.3), (0.2, 0.2)];
    const GENERATIONS: usize = 24;
    const BOARDS: u64 = 600;
    const CHECK: u64 = 4_000;
    const AGAINST_BEST: bool = true;

    fn constants(numbers: &[f64]) -> policy::nyuri::Constants {
        let [keep_high, pair_loss, leaving] = *numbers else { unreachable!("three numbers") };
        policy::nyuri::Constants { keep_high, pair_loss, leaving }
    }
}

/// Finds numbers for a game at a table of so many seats; the text has them, and what they score.
pub fn run(game: &str, seats: usize) -> Option<String> {
    match game {
        "forty-one" => Some(tuned::<forty_one::State>(seats)),
        "kleftis" => Some(tuned::<kleftis::State>(seats)),
        "nyuri" => Some(tuned::<nyuri::State>(seats)),
        _ => None,
    }
}

fn tuned<S: Tuned>(seats: usize) -> String {
    let mut random = Random::new(1);
    let mut mean: Vec<f64> = S::START.iter().map(|(value, _)| *value).collect();
    let mut spread: Vec<f64> = S::START.iter().map(|(_, spread)| *spread).collect();
    let mut best_so_far = S::constants(&mean);
    for generation in 0..S::GENERATIONS {
        let first = (generation as u64 + 1) * S::BOARDS;
        let boards = first..first + S::BOARDS;
        let mut drawn: Vec<(f64, Vec<f64>)> = (0..DRAWN)
            .map(|_| {
                let numbers: Vec<f64> =
                    mean.iter().zip(&spread).map(|(mean, spread)| mean + spread * random.normal()).collect();
                let own = S::constants(&numbers);
                let mut scored = score::<S>(&own, None, seats, boards.clone());
                if S::AGAINST_BEST {
                    scored = 0.5 * (scored + score::<S>(&own, Some(&best_so_far), seats, boards.clone()));
                }
                (scored, numbers)
            })
            .collect();
        drawn.sort_by(|one, other| other.0.total_cmp(&one.0));
        for place in 0..mean.len() {
            let of_best = |what: &dyn Fn(f64) -> f64| {
                drawn[..BEST].iter().map(|(_, numbers)| what(numbers[place])).sum::<f64>() / BEST as f64
            };
            let old = mean[place];
            mean[place] = old + MOVES * (of_best(&|value| value) - old);
            let variance = of_best(&|value| (value - old).powi(2));
            spread[place] = ((1.0 - NARROWS) * spread[place].powi(2) + NARROWS * variance).sqrt();
        }
        if (generation + 1) % RENEWED == 0 {
            best_so_far = S::constants(&mean);
        }
        eprintln!("generation {generation}: best {:.2} %", 100.0 * drawn[0].0);
    }
    let first = (S::GENERATIONS as u64 + 2) * S::BOARDS;
    let checked = score::<S>(&S::constants(&mean), None, seats, first..first + S::CHECK);
    format!("{mean:.3?}\n{:.2} % against thoughtful on {} other boards", 100.0 * checked, S::CHECK)
}

/// The share of the other seats that numbers beat, without search; the others play by some, or are thoughtful.
fn score<S: Game>(
    own: &S::Constants,
    others: Option<&S::Constants>,
    seats: usize,
    boards: std::ops::Range<u64>,
) -> f64 {
    let count = (boards.end - boards.start) as usize * seats;
    let games = boards.flat_map(|board| (0..seats).map(move |seat| (board, seat)));
    games.map(|(board, seat)| game::<S>(board, seats, seat, own, others)).sum::<f64>() / count as f64
}

fn game<S: Game>(board: u64, seats: usize, seat: usize, own: &S::Constants, others: Option<&S::Constants>) -> f64 {
    let mut chance = Random::new(board);
    let mut deck = S::deck(&S::usual());
    chance.shuffle(&mut deck);
    let mut state = S::new(&S::usual(), seats, 0, &deck, &mut chance, &mut Silent);
    let others = others.unwrap_or(&state.styles()[0]);
    let by: [&S::Constants; MOST_SEATS] = std::array::from_fn(|at| if at == seat { own } else { others });
    if let Some(ends) = state.finish(&by) {
        return beaten_by(&ends, seat);
    }
    while let Some(acting) = state.to_act() {
        let action = state.quick(acting, by[acting]);
        state.apply(acting, &action, &mut chance, &mut Silent);
    }
    share_beaten(&state.outcome().expect("a deal that is over").places, seat)
}
