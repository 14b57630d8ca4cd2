//! The legal actions in words, as the arena itself writes them.

use crate::arena::{Turn, forty_one_action, hyrule_action, kleftis_action, nur_mut_action, nyuri_action, turn::Game};

const UNKNOWN: &str = "?"; // of a later protocol

/// The legal actions of a turn, in their order.
pub fn actions(turn: &Turn) -> Vec<String> {
    match &turn.game {
        Some(Game::Nyuri(view)) => view.legal_actions.iter().map(|action| nyuri(action.kind.as_ref())).collect(),
        Some(Game::FortyOne(view)) => view.legal_actions.iter().map(|action| forty_one(action.kind.as_ref())).collect(),
        Some(Game::NurMut(view)) => view.legal_actions.iter().map(|action| nur_mut(action.kind.as_ref())).collect(),
        Some(Game::Kleftis(view)) => view.legal_actions.iter().map(|action| kleftis(action.kind.as_ref())).collect(),
        Some(Game::Hyrule(view)) => view.legal_actions.iter().map(|action| hyrule(action.kind.as_ref())).collect(),
        None => Vec::new(),
    }
}

/// A card in short, such as `10♥` or `JK1`.
pub fn card(number: i32) -> String {
    match number {
        1..=52 => {
            let suit = ['♣', '♦', '♥', '♠'][(number as usize - 1) / 13];
            match (number - 1) % 13 + 1 {
                1 => format!("A{suit}"),
                11 => format!("J{suit}"),
                12 => format!("Q{suit}"),
                13 => format!("K{suit}"),
                rank => format!("{rank}{suit}"),
            }
        }
        53 | 54 => format!("JK{}", number - 52),
        _ => UNKNOWN.to_owned(),
    }
}

fn cards(numbers: &[i32]) -> String {
    numbers.iter().map(|&number| card(number)).collect::<Vec<_>>().join(" ")
}

fn nyuri(action: Option<&nyuri_action::Kind>) -> String {
    use nyuri_action::Kind;
    match action {
        Some(Kind::Leave(_)) => "leave".to_owned(),
        Some(Kind::Place(place)) => match place.guard {
            Some(guard) => format!("place {} guarded by {}", card(place.base), card(guard)),
            None => format!("place {}", card(place.base)),
        },
        Some(Kind::Draw(_)) => "draw".to_owned(),
        Some(Kind::Steal(steal)) => format!("steal from seat {} with {}", steal.owner, cards(&steal.cards)),
        None => UNKNOWN.to_owned(),
    }
}

fn forty_one(action: Option<&forty_one_action::Kind>) -> String {
    use forty_one_action::Kind;
    match action {
        Some(Kind::DrawStock(_)) => "draw from the stock".to_owned(),
        Some(Kind::TakeDiscard(_)) => "take the discard".to_owned(),
        Some(Kind::EndPlay(_)) => "end play".to_owned(),
        Some(Kind::Discard(discard)) => format!("discard {}", card(discard.card)),
        None => UNKNOWN.to_owned(),
    }
}

fn nur_mut(action: Option<&nur_mut_action::Kind>) -> String {
    use nur_mut_action::Kind;
    match action {
        Some(Kind::PassTurn(_)) => "pass".to_owned(),
        Some(Kind::Tuck(_)) => "tuck the top card".to_owned(),
        Some(Kind::Place(place)) => format!("place the top card on pile {}", place.pile),
        Some(Kind::TryTop(_)) => "try the top card".to_owned(),
        Some(Kind::Courage(_)) => "courage".to_owned(),
        Some(Kind::ChoosePile(choice)) => format!("lay the flipped card on pile {}", choice.pile),
        None => UNKNOWN.to_owned(),
    }
}

fn kleftis(action: Option<&kleftis_action::Kind>) -> String {
    use kleftis_action::Kind;
    match action {
        Some(Kind::Play(play)) => format!("play {}", card(play.card)),
        Some(Kind::Build(build)) => format!("build {} on group {}", card(build.card), build.group),
        Some(Kind::Steal(steal)) => {
            format!("steal group {} from seat {} with {}", steal.group, steal.owner, card(steal.card))
        }
        Some(Kind::Secure(secure)) => match secure.groups.as_slice() {
            [] => "secure nothing".to_owned(),
            [group] => format!("secure group {group}"),
            groups => {
                let numbers: Vec<_> = groups.iter().map(u32::to_string).collect();
                format!("secure groups {}", numbers.join(" "))
            }
        },
        None => UNKNOWN.to_owned(),
    }
}

fn hyrule(action: Option<&hyrule_action::Kind>) -> String {
    use hyrule_action::Kind;
    match action {
        Some(Kind::Play(play)) => format!("play {}", card(play.card)),
        Some(Kind::Swap(swap)) => format!("swap {}", card(swap.card)),
        None => UNKNOWN.to_owned(),
    }
}
