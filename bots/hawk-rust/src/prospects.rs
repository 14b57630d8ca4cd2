//! How likely a seat of Nyuri is to have more cards than another one in the end, by what both have now.
//!
//! A logistic regression, fitted by `hawk tune nyuri-prospects` to deals that hawk's rules of thumb play to their end.

use arena_engine::cards::{each, suit};
use arena_engine::chance::{Chance, Random};
use arena_engine::games::nyuri::{SMALL_PILE, State, falling, value, values};
use arena_engine::games::{Rules, Silent};
use arena_engine::policy::Policy;

use crate::search::{Game, share_of};

const PARTS: usize = 7;
/// What a seat has: its cards; how many of them lie in a pile that another seat can take by showing two cards, only
/// by three, or not at all; what its hand is worth; whether it is to act; whether it is to lay a pile.
type Parts = [f64; PARTS];

/// What the parts count: where the stock is nearly used up, and at all times.
const WEIGHTS: [Parts; 2] =
    [[2.881, -1.491, -0.571, -0.136, -0.101, 1.443, -3.197], [-0.608, 0.228, 0.194, 0.769, 0.077, -0.117, 0.321]];

/// The share of the other seats that a seat is likely to beat.
pub fn share(state: &State, seat: usize) -> f64 {
    let own = parts(state, seat);
    let against = |other| chance(&WEIGHTS, late(state), &less(&own, &parts(state, other)));
    let others = || (0..state.hands.len()).filter(|&other| other != seat);
    others().map(against).sum::<f64>() / others().count() as f64
}

/// How near the end is: the fewer cards the stock has, the higher.
fn late(state: &State) -> f64 {
    1.0 / (0.7 + 0.5 * (state.stock.len() as f64).sqrt())
}

fn parts(state: &State, seat: usize) -> Parts {
    let (hand, pile) = (&state.hands[seat], state.piles[seat]);
    let mut parts = [0.0; PARTS];
    parts[0] = (hand.len() + pile.len()) as f64;
    if let Some(base) = pile.base {
        let bar = i32::from(pile.worth());
        let others = || (0..state.hands.len()).filter(|&other| other != seat);
        let beaten = |by: usize| {
            let most = |other: usize| falling(values(state.hands[other].set, suit(base))).take(by).sum::<i32>();
            others().any(|other| most(other) > bar)
        };
        let danger = if beaten(2) {
            1
        } else if pile.worth() > SMALL_PILE && beaten(3) {
            2
        } else {
            3
        };
        parts[danger] = pile.len() as f64;
    }
    parts[4] = each(hand.set).map(|card| f64::from(value(card))).sum(); // more than 255 with many cards
    if state.to_act() == Some(seat) {
        parts[5] = 1.0;
        parts[6] = f64::from(u8::from(state.placing));
    }
    parts
}

fn less(one: &Parts, other: &Parts) -> Parts {
    std::array::from_fn(|place| one[place] - other[place])
}

/// The chance to end ahead, by the difference of the parts.
fn chance(weights: &[Parts; 2], late: f64, difference: &Parts) -> f64 {
    let sum: f64 = (0..PARTS).map(|place| (weights[0][place] * late + weights[1][place]) * difference[place]).sum();
    1.0 / (1.0 + (-sum).exp())
}

/// Deals that are played for a fit. Their first actions are partly drawn, to come into many positions.
const DEALS: u64 = 40_000;
const DRAWN_ACTIONS: usize = 80;
const ONE_DRAWN_IN: usize = 5;
const ONE_POSITION_IN: usize = 12;
/// Steps of Newton's method.
const STEPS: usize = 12;

/// A position of a fit: how near the end it is, the difference of the parts, and how the deal ended.
struct Example {
    late: f64,
    difference: Parts,
    share: f64,
}

/// Finds the weights by maximum likelihood; the text has them, and the mean squared error on other deals.
pub fn fit() -> String {
    let examples = examples(1..DEALS);
    let mut weights = [[0.0; PARTS]; 2];
    for _ in 0..STEPS {
        let mut slope = [0.0; 2 * PARTS];
        let mut bend = [[0.0; 2 * PARTS]; 2 * PARTS];
        for Example { late, difference, share } in &examples {
            let found = chance(&weights, *late, difference);
            let input = |place: usize| if place < PARTS { late * difference[place] } else { difference[place - PARTS] };
            for row in 0..2 * PARTS {
                slope[row] += (share - found) * input(row);
                for column in 0..2 * PARTS {
                    bend[row][column] += found * (1.0 - found) * input(row) * input(column);
                }
            }
        }
        for (place, step) in solved(bend, slope).into_iter().enumerate() {
            weights[place / PARTS][place % PARTS] += step;
        }
    }
    let others = self::examples(DEALS..DEALS + DEALS / 2);
    let error = |example: &Example| (chance(&weights, example.late, &example.difference) - example.share).powi(2);
    let mean = others.iter().map(error).sum::<f64>() / others.len() as f64;
    format!("{weights:.3?}\nmean squared error {mean:.4} in {} positions of other deals", others.len())
}

fn examples(deals: std::ops::Range<u64>) -> Vec<Example> {
    let mut examples = Vec::new();
    for deal in deals {
        let mut random = Random::new(deal);
        let mut deck = State::deck(&State::usual());
        random.shuffle(&mut deck);
        let mut state = State::new(&State::usual(), 2, 0, &deck, &mut random, &mut Silent);
        let drawn = random.below(DRAWN_ACTIONS);
        let mut seen = Vec::new();
        for played in 0.. {
            let Some(seat) = state.to_act() else { break };
            if played >= drawn && random.below(ONE_POSITION_IN) == 0 {
                seen.push((late(&state), less(&parts(&state, 0), &parts(&state, 1))));
            }
            let legal = state.legal(seat);
            let action = if played < drawn && random.below(ONE_DRAWN_IN) == 0 {
                legal[random.below(legal.len())]
            } else {
                state.quick(seat, state.own())
            };
            state.apply(seat, &action, &mut random, &mut Silent);
        }
        let ends = state.counts();
        let share = share_of(ends[0].cmp(&ends[1]));
        examples.extend(seen.into_iter().map(|(late, difference)| Example { late, difference, share }));
    }
    examples
}

/// The solution of linear equations, by Gauss's elimination; the matrix is positive definite.
fn solved<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for pivot in 0..N {
        for row in 0..N {
            if row != pivot {
                let factor = matrix[row][pivot] / matrix[pivot][pivot];
                for column in pivot..N {
                    matrix[row][column] -= factor * matrix[pivot][column];
                }
                right[row] -= factor * right[pivot];
            }
        }
    }
    std::array::from_fn(|place| right[place] / matrix[place][place])
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena_engine::games::nyuri::Hand;

    #[test]
    fn it_tells_how_deals_end_better_than_the_lead_does() {
        let examples = examples(900_000..901_000);
        let squares = |guess: &dyn Fn(&Example) -> f64| -> f64 {
            examples.iter().map(|example| (guess(example) - example.share).powi(2)).sum()
        };
        let lead_alone = squares(&|example| 1.0 / (1.0 + (-2.0 * example.late * example.difference[0]).exp()));
        assert!(squares(&|example| chance(&WEIGHTS, example.late, &example.difference)) < 0.8 * lead_alone);
    }

    #[test]
    fn a_hand_of_many_cards_is_worth_all_of_them() {
        let deck = State::deck(&State::usual());
        let mut state = State::new(&State::usual(), 2, 0, &deck, &mut Random::new(1), &mut Silent);
        state.hands[0] = Hand::of(deck);
        assert_eq!(parts(&state, 0)[4], 4.0 * (2..=14).sum::<i32>() as f64);
    }

    #[test]
    fn the_shares_of_all_seats_are_half_on_average() {
        for seats in 2..=6 {
            let mut random = Random::new(seats as u64);
            let mut deck = State::deck(&State::usual());
            random.shuffle(&mut deck);
            let mut state = State::new(&State::usual(), seats, 0, &deck, &mut random, &mut Silent);
            while let Some(seat) = state.to_act() {
                let sum: f64 = (0..seats).map(|seat| share(&state, seat)).sum();
                assert!((sum - seats as f64 / 2.0).abs() < 1e-9);
                let action = state.quick(seat, state.own());
                state.apply(seat, &action, &mut random, &mut Silent);
            }
        }
    }

    #[test]
    fn equations_are_solved() {
        assert_eq!(solved([[2.0, 1.0], [1.0, 3.0]], [5.0, 10.0]), [1.0, 3.0]);
    }
}
