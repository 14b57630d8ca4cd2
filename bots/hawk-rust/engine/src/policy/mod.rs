//! The rules of thumb of the bot thoughtful, exactly: what hawk plays unless a search finds better, and
//! what it takes all seats to play in a rollout. And the greedy policies, of which `greedy` says more.

pub mod forty_one;
pub mod greedy;
pub mod hyrule;
pub mod kleftis;
mod kleftis_rollout;
pub mod nur_mut;
pub mod nyuri;

use std::sync::LazyLock;

use crate::games::{MOST_SEATS, Rules};
use crate::list::List;

/// Of each seat, its points at the end of a deal and what breaks a tie.
pub type Ends = List<(i32, i32), MOST_SEATS>;

/// A game with rules of thumb.
pub trait Policy: Rules {
    /// The numbers in the rules of thumb; other players have others.
    type Constants: Clone + 'static;

    /// The constants of players that are known, at a table of so many seats; thoughtful's first.
    fn styles(&self) -> &'static [Self::Constants];

    /// What thoughtful chooses; it looks at nothing but what its seat knows.
    fn choose(&self, seat: usize, constants: &Self::Constants) -> Self::Action;

    /// The same for rollouts, where of nearly equal actions another may be chosen.
    fn quick(&self, seat: usize, constants: &Self::Constants) -> Self::Action {
        self.choose(seat, constants)
    }

    /// How a deal ends that all seats play on, each by its own constants; only where the game has a quicker way than
    /// to apply one quick choice after another.
    fn finish(&self, _by: &[&Self::Constants; MOST_SEATS]) -> Option<Ends> {
        None
    }

    /// The legal actions by what thoughtful thinks of them, its choice first.
    fn ranked(&self, seat: usize, constants: &Self::Constants) -> Vec<Self::Action>;
}

/// The first of the items that are worth most.
pub fn first_best<T>(items: impl IntoIterator<Item = T>, mut worth: impl FnMut(&T) -> f64) -> Option<T> {
    let mut best: Option<(f64, T)> = None;
    for item in items {
        let now = worth(&item);
        if best.as_ref().is_none_or(|(most, _)| now > *most) {
            best = Some((now, item));
        }
    }
    best.map(|(_, item)| item)
}

/// Items by what they are worth, most first; equal ones stay in their order.
pub fn by_worth<T>(items: Vec<T>, worth: impl FnMut(&T) -> f64) -> Vec<T> {
    let worths: Vec<f64> = items.iter().map(worth).collect();
    let mut ranked: Vec<(f64, T)> = worths.into_iter().zip(items).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    ranked.into_iter().map(|(_, item)| item).collect()
}

/// The number of ways to choose so many of so many things.
fn ways(of: usize, chosen: usize) -> f64 {
    static TABLE: LazyLock<[[f64; 55]; 55]> = LazyLock::new(|| {
        let mut table = [[0.0; 55]; 55];
        for of in 0..55 {
            table[of][0] = 1.0;
            for chosen in 1..=of {
                table[of][chosen] = table[of - 1][chosen - 1] + table[of - 1][chosen];
            }
        }
        table
    });
    TABLE[of][chosen]
}

/// The chance that of `drawn` unseen cards none is among the `wanted` ones.
pub fn chance_of_none(wanted: usize, unseen: usize, drawn: usize) -> f64 {
    let drawn = drawn.min(unseen);
    ways(unseen - wanted, drawn) / ways(unseen, drawn)
}
