//! Luck: the choices of a game that are not a baseline's, and how it ends after them and after the baseline's, with
//! the later cards as they lay and drawn anew. `arena/comparison/luck.py` of the arena says what that is for.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::chance::Board;
use crate::games::Silent;
use crate::games::series::Series;
use crate::policy::Policy;
use crate::policy::greedy::Greedy;
use crate::table::{Game, Setup, begin, by_game};

/// The place of each seat after the choice, and after the baseline's, if all play on like the baseline.
pub type Ends = (Vec<u32>, Vec<u32>);

/// A choice that is not the baseline's.
pub struct Choice {
    pub seat: usize,
    /// With the later cards as they lay.
    pub here: Ends,
    /// With each fresh order of the later cards.
    pub there: Vec<Ends>,
}

/// What the choices are compared with.
#[derive(Clone, Copy)]
pub enum Baseline {
    Greedy,
    Thoughtful,
}

impl Baseline {
    /// The baseline with a name; none if there is none.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "greedy" => Some(Self::Greedy),
            "thoughtful" => Some(Self::Thoughtful),
            _ => None,
        }
    }

    fn choose<S: Policy + Greedy>(self, deal: &S, seat: usize) -> S::Action {
        match self {
            Self::Greedy => deal.greedy(seat),
            Self::Thoughtful => deal.choose(seat, &deal.styles()[0]),
        }
    }
}

/// The choices of recorded actions that are not the baseline's, with so many fresh orders for each, which follow from
/// the board's key; none unless each action is legal.
pub fn choices(setup: &Setup, actions: &[usize], samples: usize, baseline: Baseline) -> Option<Vec<Choice>> {
    fn choices<S: Game + Policy + Greedy>(
        setup: &Setup,
        actions: &[usize],
        samples: usize,
        baseline: Baseline,
    ) -> Option<Vec<Choice>> {
        let mut game = begin::<S>(setup, &mut Silent)?;
        let mut choices = Vec::new();
        for (number, &index) in actions.iter().enumerate() {
            let seat = *game.acting().first()?;
            let legal = game.legal(seat);
            let action = legal.get(index)?;
            let usual = if legal.len() == 1 { action.clone() } else { baseline.choose(&game.deal, seat) };
            if usual != *action {
                let ends = |game: &Series<S>| {
                    (end_after(game, seat, action, baseline), end_after(game, seat, &usual, baseline))
                };
                let redrawn = |sample| {
                    let mut game = game.clone();
                    game.redraw(fresh_board(setup.key, number, sample));
                    ends(&game)
                };
                choices.push(Choice { seat, here: ends(&game), there: (0..samples).map(redrawn).collect() });
            }
            game.play(seat, action, &mut Silent);
        }
        Some(choices)
    }
    by_game!(setup.game, choices(setup, actions, samples, baseline))
}

/// The board of a fresh order of the later cards, by the number of the action and of the order.
fn fresh_board(key: &[u8], number: usize, sample: usize) -> Board {
    let mut fresh = Hmac::<Sha256>::new_from_slice(key).expect("a key may have any length");
    fresh.update(format!("arena luck 1\n{number}\n{sample}").as_bytes());
    Board::new(&fresh.finalize().into_bytes())
}

/// The places if a seat plays an action, and then all play like the baseline.
fn end_after<S: Game + Policy + Greedy>(
    game: &Series<S>,
    seat: usize,
    action: &S::Action,
    baseline: Baseline,
) -> Vec<u32> {
    let mut game = game.clone();
    game.play(seat, action, &mut Silent);
    while let Some(seat) = game.to_act() {
        let action = baseline.choose(&game.deal, seat);
        game.play(seat, &action, &mut Silent);
    }
    game.outcome().expect("no seat is to act, so the game is over").places.clone()
}
