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
  versus=thoughtful  the other player: thoughtful, other (hawk's rules of thumb, or thoughtful with other
                     constants), random, or hawk, which searches as well
  rollouts=N  think=SECONDS    how much hawk may search for a decision
  candidates= cut= by_point= errors=    parameters in place of those of the game
  other.rollouts=  other.errors=  and so on: those of the other, where it is hawk";

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
    let usual = S::parameters(seats);
    let mut parameters = |whose: &str| {
        Ok::<_, String>(Parameters {
            candidates: take(settings, &format!("{whose}candidates"), usual.candidates)?,
            cut: take(settings, &format!("{whose}cut"), usual.cut)?,
            by_point: take(settings, &format!("{whose}by_point"), usual.by_point)?,
            errors: take(settings, &format!("{whose}errors"), usual.errors)?,
            rollouts: take(settings, &format!("{whose}rollouts"), usual.rollouts)?,
        })
    };
    let (parameters, others) = (parameters("")?, parameters("other.")?);
    let think: f64 = take(settings, "think", 0.0)?;
    if let Some(name) = settings.keys().next() {
        return Err(format!("no setting {name}\n{HELP}"));
    }
    let other = match versus.as_str() {
        "thoughtful" => Other::Thoughtful,
        "other" => Other::OtherStyle,
        "random" => Other::Random,
        "hawk" => Other::Hawk(others),
        _ => return Err(format!("nobody is called {versus}\n{HELP}")),
    };
    let mut table =
        Lab { seats, parameters, think, other, decisions: 0, rollouts: 0, thought: Duration::ZERO, longest: 0 };
    let mut shares = Vec::new();
    for board in first..first + boards {
        let games: Vec<f64> = (0..seats).map(|hawk| table.game::<S>(board, hawk)).collect();
        shares.push(games.iter().sum::<f64>() / seats as f64);
    }
    let count = shares.len() as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    Ok(format!(
        "{} against {versus}, {seats} seats, {boards} boards: {:.1} ± {:.1} %, {:.1} ms a decision, {} rollouts, {:.0} a second, \
         most {} decisions in a game\n{parameters:?}",
        S::NAME,
        100.0 * mean,
        196.0 * (variance / count).sqrt(),
        1e3 * table.thought.as_secs_f64() / f64::from(table.decisions.max(1)),
        table.rollouts,
        table.rollouts as f64 / table.thought.as_secs_f64(),
        table.longest,
    ))
}

/// Who plays the other seats.
enum Other {
    /// By thoughtful's rules of thumb, with its constants.
    Thoughtful,
    /// The same, with the last constants that are known.
    OtherStyle,
    Hawk(Parameters),
    Random,
}

struct Lab {
    seats: usize,
    parameters: Parameters,
    think: f64,
    other: Other,
    decisions: u32,
    rollouts: usize,
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
        let mut players: Vec<Seat<S>> = (0..self.seats).map(|seat| Seat::new(&options, self.seats, seat, 0)).collect();
        let mut told = vec![0; self.seats];
        let mut decisions = 0;
        while let Some(seat) = state.to_act() {
            let actions = state.legal(seat);
            let mut search = |parameters: &Parameters, think: f64| {
                let deadline = (think > 0.0).then(|| Instant::now() + Duration::from_secs_f64(think));
                let player = &mut players[seat];
                log[told[seat]..].iter().for_each(|event| player.told(event.to(seat)));
                told[seat] = log.len();
                let legal: Vec<S::Message> = actions.iter().map(S::message).collect();
                let effort = Effort { deadline, rollouts: parameters.rollouts };
                let chosen = player.choose(&state.observation(seat), &legal, parameters, &mut random, |_| effort);
                chosen.expect("a position that is understood")
            };
            let index = if actions.len() == 1 {
                0
            } else if seat == hawk {
                let started = Instant::now();
                let found = search(&self.parameters, self.think);
                self.thought += started.elapsed();
                self.rollouts += found.rollouts;
                decisions += 1;
                found.place
            } else {
                match &self.other {
                    Other::Hawk(parameters) => search(parameters, self.think).place,
                    Other::Thoughtful | Other::OtherStyle => {
                        let styles = state.styles();
                        let style = if matches!(self.other, Other::Thoughtful) { 0 } else { styles.len() - 1 };
                        let chosen = state.choose(seat, &styles[style]);
                        actions.iter().position(|action| *action == chosen).expect("a legal action")
                    }
                    Other::Random => random.below(actions.len()),
                }
            };
            state.apply(seat, &actions[index], &mut chance, &mut log);
        }
        self.decisions += decisions;
        self.longest = self.longest.max(decisions);
        share_beaten(&state.outcome().expect("a deal that is over").places, hawk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a decision takes of its time before the search is counted: if nothing is left, one world is tried.
    fn one_world_a_decision<S: Game + Wire>() {
        let parameters = S::parameters(2);
        let (other, thought) = (Other::Thoughtful, Duration::ZERO);
        let mut lab = Lab { seats: 2, parameters, think: 1e-9, other, decisions: 0, rollouts: 0, thought, longest: 0 };
        lab.game::<S>(1, 0);
        assert!(lab.decisions > 0 && lab.rollouts <= lab.decisions as usize * parameters.candidates, "{}", S::NAME);
    }

    #[test]
    fn a_decision_without_time_left_tries_one_world() {
        one_world_a_decision::<nyuri::State>();
        one_world_a_decision::<forty_one::State>();
        one_world_a_decision::<nur_mut::State>();
        one_world_a_decision::<kleftis::State>();
        one_world_a_decision::<hyrule::State>();
    }
}
