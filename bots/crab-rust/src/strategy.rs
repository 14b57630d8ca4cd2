//! How crab plays: cautiously. What it does leaves the others the least to gain.
//!
//! This is the file to edit: one function per game says what each action is worth,
//! and the best is played. `view.observation` is all that your seat may see.

use crate::arena::{turn::Game, *};
use crate::cards::{best_suit, fits, friends, height, rank, suit, winner};
use crate::runtime::best;

/// A seat at one table; fields that you add are what it remembers of the table.
#[derive(Default)]
pub struct Player {}

impl Player {
    /// The index of the legal action to play; none stands for 0.
    pub fn choose(&mut self, _start: &TableStart, turn: &Turn) -> Option<usize> {
        match turn.game.as_ref()? {
            Game::Nyuri(view) => nyuri(view, view.observation.as_ref()?),
            Game::FortyOne(view) => forty_one(view, view.observation.as_ref()?),
            Game::NurMut(view) => nur_mut(view, view.observation.as_ref()?),
            Game::Kleftis(view) => kleftis(view, view.observation.as_ref()?),
            Game::Hyrule(view) => hyrule(view, view.observation.as_ref()?),
        }
    }
}

/// Never shows three cards; lays one high card, of a suit that it holds itself.
fn nyuri(view: &NyuriView, seen: &NyuriObservation) -> Option<usize> {
    use nyuri_action::Kind::*;
    let held = |card| seen.hand.iter().filter(|&&own| suit(own) == suit(card)).count() as i32;
    best(&view.legal_actions, |action| match &action.kind {
        Some(Steal(it)) if it.cards.len() < 3 => 100 - it.cards.iter().map(|&card| height(card)).sum::<i32>(),
        Some(Place(it)) if it.guard.is_none() => height(it.base) + 2 * held(it.base),
        Some(Leave(_)) => 12,
        _ => 0, // draw; or a guard, which would be stolen as well
    })
}

/// Collects one suit, discards what is worth least, and stops when it may.
fn forty_one(view: &FortyOneView, seen: &FortyOneObservation) -> Option<usize> {
    use forty_one_action::Kind::*;
    let five: Vec<i32> = seen.hand.iter().chain(seen.discards.last()).copied().collect();
    best(&view.legal_actions, |action| match &action.kind {
        Some(EndPlay(_)) => 3,
        Some(TakeDiscard(_)) if best_suit(&five, 0) > best_suit(&seen.hand, 0) => 2,
        Some(DrawStock(_)) => 1,
        Some(Discard(it)) => 20 * best_suit(&seen.hand, it.card) - rank(it.card),
        _ => 0,
    })
}

/// Covers what the next seat could lay on; is brave only where it is cheap.
fn nur_mut(view: &NurMutView, seen: &NurMutObservation) -> Option<usize> {
    use nur_mut_action::Kind::*;
    let next = *seen.top_faces.get((seen.seat() as usize + 1) % seen.top_faces.len().max(1))?;
    let fit = |face| seen.piles.iter().any(|&pile| fits(face, pile));
    let covered = |pile| seen.piles.get(pile as usize).is_some_and(|&face| fits(next, face));
    let safe = (1..10).filter(|&face| fit(face)).count() > 4 && seen.pile_sizes.iter().all(|&size| size < 3);
    best(&view.legal_actions, |action| match &action.kind {
        Some(Place(NurMutPlace { pile }) | ChoosePile(NurMutChoosePile { pile })) => 10 + covered(*pile) as i32,
        Some(Courage(_)) if safe => 5,
        Some(TryTop(_) | Tuck(_)) => 4,
        _ => 0,
    })
}

/// Makes pairs and leaves them alone, for what was not touched can be secured.
fn kleftis(view: &KleftisView, seen: &KleftisObservation) -> Option<usize> {
    use kleftis_action::Kind::*;
    let groups = || seen.dashboards.iter().flat_map(|board| &board.groups);
    let size = |group| groups().find(|it| it.group == group).map_or(0, |it| it.cards.len() as i32);
    best(&view.legal_actions, |action| match &action.kind {
        Some(Secure(it)) => it.groups.len() as i32,
        Some(Steal(it)) => 100 + size(it.group),
        Some(Build(it)) if size(it.group) == 1 => 50,
        Some(Play(it)) => seen.hand.iter().filter(|&&own| friends(own, it.card)).count() as i32,
        _ => -1,
    })
}

/// Plays last if it may; wins cheaply, and leads what is beaten least.
fn hyrule(view: &HyruleView, seen: &HyruleObservation) -> Option<usize> {
    use hyrule_action::Kind::*;
    let with = |card| seen.trick.iter().map(|it| it.card).chain([card]).collect::<Vec<_>>();
    let beats = |card| (1..55).filter(|&led| winner(&[led, card]) == card).count() as i32;
    best(&view.legal_actions, |action| match &action.kind {
        Some(Swap(it)) => 200 - beats(it.card),
        Some(Play(it)) if seen.trick.is_empty() => beats(it.card),
        Some(Play(it)) if winner(&with(it.card)) == it.card => 100 - beats(it.card),
        Some(Play(it)) => -beats(it.card),
        None => 0,
    })
}
