//! `hawk verify FILE`: plays recorded games again, step by step, and compares everything with the referee.
//!
//! Of every step are compared: the legal actions and their order, what the seat was told and what it sees,
//! and what thoughtful chose. Positions are drawn from what the seat knows, and must show it the same. The
//! file is text; see `tests/bots/recorded.py` of the arena, which writes it:
//!
//!     game NAME
//!     start HEX           a TableStart
//!     deck NUMBER ...     in dealing order; in Nur Mut 16 * front + back
//!     draw BOUND DRAWN    a random draw of the rules, in order
//!     step SEAT INDEX CHOICE HEX    the action played, what thoughtful would play (or -), and the Turn
//!     end PLACE ... / POINTS ...

use std::fs;

use prost::Message;

use crate::arena::{TableStart, Turn};
use crate::player::Seat;
use crate::search::Game;
use arena_engine::chance::{Random, Recorded};
use arena_engine::games::{Outcome, Told, forty_one, hyrule, kleftis, nur_mut, nyuri};
use arena_engine::wire::Wire;

/// Positions drawn at each step.
const SAMPLES: usize = 3;

#[derive(Default)]
struct Record {
    game: String,
    start: TableStart,
    deck: Vec<u8>,
    draws: Vec<(usize, usize)>,
    steps: Vec<Step>,
    places: Vec<u32>,
    points: Vec<i32>,
}

struct Step {
    seat: usize,
    index: usize,
    thoughtful: Option<usize>,
    turn: Turn,
}

/// Checks all games of a file; the text says how many there were, or where one went another way.
pub fn verify(path: &str) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path} ({error})"))?;
    let mut records: Vec<Record> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.first() == Some(&"game") {
            records.push(Record::default());
        }
        let read = records.last_mut().and_then(|record| read(record, &words));
        read.ok_or_else(|| format!("{path} line {} cannot be read", number + 1))?;
    }
    let mut steps = 0;
    for (number, record) in records.iter().enumerate() {
        let replayed = match record.game.as_str() {
            "nyuri" => replay::<nyuri::State>(record),
            "forty-one" => replay::<forty_one::State>(record),
            "nur-mut" => replay::<nur_mut::State>(record),
            "kleftis" => replay::<kleftis::State>(record),
            "hyrule" => replay::<hyrule::State>(record),
            other => Err(format!("no game {other}")),
        };
        replayed.map_err(|problem| format!("game {number} ({}): {problem}", record.game))?;
        steps += record.steps.len();
    }
    Ok(format!("{} games, {steps} steps: all as recorded", records.len()))
}

fn read(record: &mut Record, words: &[&str]) -> Option<()> {
    match *words {
        ["game", name] => record.game = name.to_owned(),
        ["start", hex] => record.start = TableStart::decode(bytes(hex)?.as_slice()).ok()?,
        ["deck", ref cards @ ..] => record.deck = numbers(cards)?,
        ["draw", bound, drawn] => record.draws.push((bound.parse().ok()?, drawn.parse().ok()?)),
        ["step", seat, index, thoughtful, hex] => record.steps.push(Step {
            seat: seat.parse().ok()?,
            index: index.parse().ok()?,
            thoughtful: thoughtful.parse().ok(),
            turn: Turn::decode(bytes(hex)?.as_slice()).ok()?,
        }),
        ["end", ref words @ ..] => {
            let middle = words.iter().position(|word| *word == "/")?;
            record.places = numbers(&words[..middle])?;
            record.points = numbers(&words[middle + 1..])?;
        }
        _ => return None,
    }
    Some(())
}

fn numbers<T: std::str::FromStr>(words: &[&str]) -> Option<Vec<T>> {
    words.iter().map(|word| word.parse().ok()).collect()
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    (0..hex.len()).step_by(2).map(|place| u8::from_str_radix(hex.get(place..place + 2)?, 16).ok()).collect()
}

fn replay<S: Game + Wire>(record: &Record) -> Result<(), String> {
    let options = S::options(&record.start).ok_or("options that are not known")?;
    let (seats, starter) = (record.start.seats as usize, record.start.starter as usize);
    let mut chance = Recorded::new(record.draws.clone());
    let mut random = Random::new(7);
    let mut log: Vec<Told<S::Event>> = Vec::new();
    let mut state = S::new(&options, seats, starter, &record.deck, &mut chance, &mut log);
    let mut minds: Vec<Seat<S>> = (0..seats).map(|seat| Seat::new(&options, seats, seat, starter)).collect();
    let mut told = vec![0; seats];
    for (number, step) in record.steps.iter().enumerate() {
        let seat = step.seat;
        let wrong = |what: &str, found: &dyn std::fmt::Debug, recorded: &dyn std::fmt::Debug| {
            Err(format!("step {number}, seat {seat}: {what}\n{found:?}\nwhere was recorded\n{recorded:?}"))
        };
        let view = S::view(&step.turn).ok_or("a turn of another game")?;
        let events: Vec<S::Event> = log[told[seat]..].iter().map(|event| event.to(seat).clone()).collect();
        told[seat] = log.len();
        if events != view.events {
            return wrong("events", &events, &view.events);
        }
        if state.observation(seat) != *view.observation {
            return wrong("observation", &state.observation(seat), view.observation);
        }
        let actions = state.legal(seat);
        let messages: Vec<S::Message> = actions.iter().map(S::message).collect();
        if messages != view.legal {
            return wrong("legal actions", &messages, &view.legal);
        }
        let choice = |state: &S| {
            let chosen = state.choose(seat, &state.styles()[0]);
            actions.iter().position(|action| *action == chosen)
        };
        if step.thoughtful.is_some() && choice(&state) != step.thoughtful {
            return wrong("thoughtful's choice", &(choice(&state), &actions), &step.thoughtful);
        }
        events.iter().for_each(|event| minds[seat].told(event));
        for _ in 0..SAMPLES {
            let Some(sample) = minds[seat].sample(view.observation, &mut random) else {
                return wrong("no position can be drawn", &(), view.observation);
            };
            if sample.observation(seat) != *view.observation {
                return wrong("a position was drawn that shows", &sample.observation(seat), view.observation);
            }
            if sample.legal(seat) != actions || choice(&sample) != choice(&state) {
                return wrong(
                    "in a position drawn",
                    &(sample.legal(seat), choice(&sample)),
                    &(&actions, choice(&state)),
                );
            }
        }
        let action = actions.get(step.index).ok_or("an index out of range")?;
        state.apply(seat, action, &mut chance, &mut log);
    }
    let ended = state.outcome().map(|Outcome { places, points, .. }| (places, points));
    let recorded = Some((record.places.clone(), record.points.clone()));
    if ended != recorded {
        return Err(format!("it ended {ended:?} where was recorded {recorded:?}"));
    }
    if !chance.complete() {
        return Err("chance was asked for other draws than recorded".to_owned());
    }
    Ok(())
}
