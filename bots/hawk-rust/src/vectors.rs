//! Checks against `proto/vectors/`: turns of every game, written down.

use std::fs;
use std::time::Instant;

use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::Value;

use crate::arena::{TableStart, Turn};
use crate::player::Player;

/// The turns of all games, each with the number of its actions.
fn vectors() -> Vec<(Turn, usize)> {
    let pool = DescriptorPool::decode(arena_engine::DESCRIPTORS).unwrap();
    let message = pool.get_message_by_name("arena.v1.Turn").unwrap();
    let mut found = Vec::new();
    for file in fs::read_dir("proto/vectors").expect("the folder proto/vectors") {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let items: Vec<Value> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for item in items {
            let turn = DynamicMessage::deserialize(message.clone(), &item["turn"]).unwrap();
            let turn = Turn::decode(turn.encode_to_vec().as_slice()).unwrap();
            found.push((turn, item["actions"].as_array().unwrap().len()));
        }
    }
    assert!(found.len() >= 50, "only {} vectors", found.len());
    found
}

/// The start of a table at which a turn may have been, under the usual options; the vectors do not tell it.
fn start(turn: &Turn) -> TableStart {
    use crate::arena::*;
    let (game, seats, seat) = match turn.game.as_ref() {
        Some(turn::Game::Nyuri(view)) => {
            let options = NyuriOptions { players: 4, contest: 1, stall: 40, series: 1, ..Default::default() };
            let seen = view.observation.as_ref();
            (table_start::Game::Nyuri(options), seen.map_or(0, |it| it.hand_sizes.len()), seen.and_then(|it| it.seat))
        }
        Some(turn::Game::FortyOne(view)) => {
            let options = FortyOneOptions { players: 4, stall: 8, series: 1, ..Default::default() };
            let seen = view.observation.as_ref();
            (
                table_start::Game::FortyOne(options),
                seen.map_or(0, |it| it.hand_sizes.len()),
                seen.and_then(|it| it.seat),
            )
        }
        Some(turn::Game::NurMut(view)) => {
            let options =
                NurMutOptions { model: 1, min_value: 1, stall: 3, max_turns: 500, rounds: 1, ..Default::default() };
            let seen = view.observation.as_ref();
            (table_start::Game::NurMut(options), seen.map_or(0, |it| it.deck_sizes.len()), seen.and_then(|it| it.seat))
        }
        Some(turn::Game::Kleftis(view)) => {
            let options = KleftisOptions { tiebreak: 1, series: 1, ..Default::default() };
            let seen = view.observation.as_ref();
            (table_start::Game::Kleftis(options), seen.map_or(0, |it| it.hand_sizes.len()), seen.and_then(|it| it.seat))
        }
        Some(turn::Game::Hyrule(view)) => {
            let options = HyruleOptions { mode: 1, double_joker: 1, series: 1, ..Default::default() };
            let seen = view.observation.as_ref();
            (table_start::Game::Hyrule(options), seen.map_or(0, |it| it.hand_sizes.len()), seen.and_then(|it| it.seat))
        }
        None => return TableStart::default(),
    };
    TableStart { seats: seats as u32, seat: seat.unwrap_or(0), game: Some(game), ..Default::default() }
}

fn choose(start: &TableStart, turn: &Turn, think: f64) -> usize {
    Player::new(start, think).choose(turn, Instant::now())
}

#[test]
fn it_chooses_a_legal_action_whatever_it_knows_of_the_table() {
    for (turn, actions) in vectors() {
        assert!(choose(&start(&turn), &turn, 0.01) < actions);
        assert!(choose(&TableStart::default(), &turn, 0.01) < actions);
    }
}

#[test]
fn what_is_cut_off_or_changed_is_no_reason_to_panic() {
    for (turn, _) in vectors() {
        let (start, data) = (start(&turn), turn.encode_to_vec());
        for place in 0..data.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut changed = data.clone();
                changed[place] = byte;
                if let Ok(turn) = Turn::decode(changed.as_slice()) {
                    choose(&start, &turn, 0.0);
                }
            }
        }
    }
}
