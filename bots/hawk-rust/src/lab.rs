//! `hawk lab GAME`: plays hawk against another player within this process, to measure it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::player::Seat;
use crate::search::{Effort, Game, Parameters, share_beaten};
use arena_engine::chance::{Chance, Random};
use arena_engine::games::{Told, forty_one, hyrule, kleftis, nur_mut, nyuri};
use arena_engine::wire::Wire;

pub const HELP: &str = "usage: hawk lab GAME [name=value ...]

Each board is played once from every seat, hawk in one and the other player in all others, with hawk's
knowledge of the deal made of what its seat is told. Prints hawk's share of the seats it beats, in %, with the
95 % margin over boards.

  boards=100       how many boards
  seats=2          how many seats
  seed=1           the first board
  versus=thoughtful  the other player: thoughtful, other (thoughtful with other constants), random
  rollouts=N  think=SECONDS    how much hawk may search for a decision
  candidates= cut= by_point= errors=    parameters in place of those of the game";

/// Plays as the words ask, and says what came out.
pub fn run(words: &[String]) -> Result<String, String> {
    let (game, given) = words.split_first().ok_or(HELP)?;
    let mut settings = HashMap::new();
    for word in given {
        let (name, value) = word.split_once('=').ok_or_else(|| format!("{word} is no setting\n{HELP}"))?;
        settings.insert(name, value);
    }
    match game.as_str() {
        "nyuri" => play::<nyuri::State>(&mut settings),
        "forty-one" => play::<forty_one::State>(&mut settings),
        "nur-mut" => play::<nur_mut::State>(&mut settings),
        "kleftis" => play::<kleftis::State>(&mut settings),
        "hyrule" => play::<hyrule::State>(&mut settings),
        _ => Err(format!("no game {game}\n{HELP}")),
    }
}

type Settings<'a> = HashMap<&'a str, &'a str>;

fn take<T: std::str::FromStr>(settings: &mut Settings, name: &str, otherwise: T) -> Result<T, String> {
    settings.remove(name).map_or(Ok(otherwise), |value| value.parse().map_err(|_| format!("{name}={value}?")))
}

fn play<S: Game + Wire>(settings: &mut Settings) -> Result<String, String> {
    let boards: u64 = take(settings, "boards", 100)?;
    let seats: usize = take(settings, "seats", 2)?;
    let first: u64 = take(settings, "seed", 1)?;
    let versus = take(settings, "versus", "thoughtful".to_owned())?;
    let usual = S::parameters();
    let parameters = Parameters {
        candidates: take(settings, "candidates", usual.candidates)?,
        cut: take(settings, "cut", usual.cut)?,
        by_point: take(settings, "by_point", usual.by_point)?,
        errors: take(settings, "errors", usual.errors)?,
        rollouts: take(settings, "rollouts", usual.rollouts)?,
    };
    let think: f64 = take(settings, "think", 0.0)?;
    if let Some(name) = settings.keys().next() {
        return Err(format!("no setting {name}\n{HELP}"));
    }
    let other = match versus.as_str() {
        "thoughtful" => Some(0),
        "other" => Some(S::styles().len() - 1),
        "random" => None,
        _ => return Err(format!("nobody is called {versus}\n{HELP}")),
    };
    let mut table = Lab { seats, parameters, think, other, decisions: 0, thought: Duration::ZERO, longest: 0 };
    let mut shares = Vec::new();
    for board in first..first + boards {
        let games: Vec<f64> = (0..seats).map(|hawk| table.game::<S>(board, hawk)).collect();
        shares.push(games.iter().sum::<f64>() / seats as f64);
    }
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    Ok(format!(
        "{} against {versus}, {seats} seats, {boards} boards: {:.1} ± {:.1} %, {:.1} ms a decision, most {} in a game\n{parameters:?}",
        S::NAME,
        100.0 * mean,
        196.0 * (variance / count).sqrt(),
        1e3 * table.thought.as_secs_f64() / f64::from(table.decisions.max(1)),
        table.longest,
    ))
}

struct Lab {
    seats: usize,
    parameters: Parameters,
    think: f64,
    /// The style of the others; none for random actions.
    other: Option<usize>,
    decisions: u32,
    thought: Duration,
    longest: u32,
}

impl Lab {
    /// Plays a board with hawk at a seat; the share of the others that it beats.
    fn game<S: Game + Wire>(&mut self, board: u64, hawk: usize) -> f64 {
        let options = S::usual();
        let mut chance = Random::new(board.wrapping_mul(0x5851_f42d_4c95_7f2d));
        let mut random = Random::new(board.wrapping_mul(31).wrapping_add(hawk as u64));
        let mut deck = S::deck(&options);
        chance.shuffle(&mut deck);
        let mut log: Vec<Told<S::Event>> = Vec::new();
        let mut state = S::new(&options, self.seats, 0, &deck, &mut chance, &mut log);
        let mut player: Seat<S> = Seat::new(&options, self.seats, hawk, 0);
        let mut told = 0;
        let mut decisions = 0;
        while let Some(seat) = state.to_act() {
            let actions = state.legal(seat);
            let index = if actions.len() == 1 {
                0
            } else if seat == hawk {
                log[told..].iter().for_each(|event| player.told(event.to(hawk)));
                told = log.len();
                let legal: Vec<S::Message> = actions.iter().map(S::message).collect();
                let started = Instant::now();
                let effort = Effort {
                    deadline: (self.think > 0.0).then(|| started + Duration::from_secs_f64(self.think)),
                    rollouts: self.parameters.rollouts,
                };
                let chosen = player.choose(&state.observation(hawk), &legal, &self.parameters, &mut random, |_| effort);
                self.thought += started.elapsed();
                decisions += 1;
                chosen.expect("a position that is understood")
            } else if let Some(style) = self.other {
                let chosen = state.choose(seat, &S::styles()[style]);
                actions.iter().position(|action| *action == chosen).expect("a legal action")
            } else {
                random.below(actions.len())
            };
            state.apply(seat, &actions[index], &mut chance, &mut log);
        }
        self.decisions += decisions;
        self.longest = self.longest.max(decisions);
        share_beaten(&state.outcome().expect("a deal that is over").places, hawk)
    }
}
