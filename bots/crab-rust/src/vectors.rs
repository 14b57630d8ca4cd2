//! Checks against `proto/vectors/`: turns of every game, written down with their actions in words.

use std::fs;

use prost_reflect::prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::Value;

use crate::arena::{TableStart, Turn};
use crate::strategy::Player;
use crate::text;

/// The turns of all games, each with its actions in words.
fn vectors() -> Vec<(Turn, Vec<String>)> {
    let pool = DescriptorPool::decode(include_bytes!(concat!(env!("OUT_DIR"), "/arena.bin")).as_slice()).unwrap();
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
            found.push((turn, serde_json::from_value(item["actions"].clone()).unwrap()));
        }
    }
    assert!(found.len() >= 50, "only {} vectors", found.len());
    found
}

#[test]
fn legal_actions_read_as_the_arena_writes_them() {
    for (turn, actions) in vectors() {
        assert_eq!(text::actions(&turn), actions);
    }
}

#[test]
fn the_strategy_chooses_a_legal_action() {
    for (turn, actions) in vectors() {
        assert!(
            Player::default().choose(&TableStart::default(), &turn).is_some_and(|index| index < actions.len()),
            "one of {actions:?}"
        );
    }
}

#[test]
fn what_is_cut_off_or_changed_is_no_reason_to_panic() {
    for (turn, _) in vectors() {
        let data = turn.encode_to_vec();
        for place in 0..data.len() {
            for byte in [0, 1, 0x7f, 0xff] {
                let mut changed = data.clone();
                changed[place] = byte;
                if let Ok(turn) = Turn::decode(changed.as_slice()) {
                    Player::default().choose(&TableStart::default(), &turn);
                    text::actions(&turn);
                }
            }
        }
    }
}
