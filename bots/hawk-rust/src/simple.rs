//! What is played where a turn is not understood, such as under rules of a later protocol: one kind of action
//! before another.

use crate::arena::turn::Game;
use crate::arena::{Turn, forty_one_action, kleftis_action, nur_mut_action, nyuri_action};

/// The index of a legal action; 0, which is always legal, where nothing is known of any.
pub fn choose(turn: &Turn) -> usize {
    let worths: Vec<usize> = match &turn.game {
        Some(Game::Nyuri(view)) => view
            .legal_actions
            .iter()
            .map(|action| match &action.kind {
                Some(nyuri_action::Kind::Steal(steal)) => 10 - steal.cards.len().min(9),
                Some(nyuri_action::Kind::Place(place)) if place.guard.is_none() => 1,
                _ => 0,
            })
            .collect(),
        Some(Game::FortyOne(view)) => view
            .legal_actions
            .iter()
            .map(|action| usize::from(matches!(action.kind, Some(forty_one_action::Kind::EndPlay(_)))))
            .collect(),
        Some(Game::NurMut(view)) => view
            .legal_actions
            .iter()
            .map(|action| match &action.kind {
                Some(nur_mut_action::Kind::Place(_) | nur_mut_action::Kind::ChoosePile(_)) => 2,
                Some(nur_mut_action::Kind::Tuck(_) | nur_mut_action::Kind::TryTop(_)) => 1,
                _ => 0,
            })
            .collect(),
        Some(Game::Kleftis(view)) => view
            .legal_actions
            .iter()
            .map(|action| match &action.kind {
                Some(kleftis_action::Kind::Secure(secure)) => secure.groups.len(),
                Some(kleftis_action::Kind::Steal(_)) => 2,
                Some(kleftis_action::Kind::Build(_)) => 1,
                _ => 0,
            })
            .collect(),
        Some(Game::Hyrule(_)) | None => Vec::new(),
    };
    (0..worths.len()).rev().max_by_key(|&index| worths[index]).unwrap_or(0)
}
