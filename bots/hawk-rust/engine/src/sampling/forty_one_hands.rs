//! How likely each hand is that the other of two seats may hold, after all that it did.
//!
//! There are some 200,000 at first and fewer with every card that is seen. By the rules alone they are equally likely; an
//! action of the other makes those likelier with which a player that is mostly thoughtful would have done so. Where there
//! is time, all are followed; else a sample of them, drawn anew after each action (a particle filter).

use crate::cards::{ALL, Card, Set, bit, each};
use crate::chance::{Chance, Random};
use crate::games::forty_one::{Action, HAND, Options, may_stop};
use crate::policy::forty_one::Thoughtful;

/// How often an action is taken to be thoughtful's; else it is any.
const THOUGHTFUL: f64 = 0.8;

/// What the other seat may hold, without a card just drawn, as far as one seat can know.
#[derive(Clone)]
pub struct Hands {
    options: Options,
    style: Thoughtful,
    /// The cards that the other cannot draw: those that this seat has held, and all discards.
    out: Set,
    /// The cards that the other holds for all to know.
    known: Set,
    /// The discard that the other has just taken.
    taken: Option<Card>,
    /// How many hands are followed at most.
    most: usize,
    /// The hands that are followed, each with how likely it is; none before the other's first action.
    hands: Vec<(Set, f64)>,
    /// How likely each hand is, by its number; all 0 but while hands are being put together.
    chances: Vec<f32>,
    random: Random,
}

impl Hands {
    /// Any hand without some cards; so many are followed at most.
    pub fn new(options: Options, style: Thoughtful, out: Set, most: usize) -> Self {
        let chances = vec![0.0; number(ALL & !(ALL >> HAND)) + 1];
        Self { options, style, out, known: 0, taken: None, most, hands: vec![], chances, random: Random::new(out) }
    }

    /// Follows no more hands than so many.
    pub fn limit(&mut self, most: usize) {
        self.most = most;
        let hands = std::mem::take(&mut self.hands);
        self.follow(hands);
    }

    /// The hands that are followed; where there are none, those that are possible by the rules.
    fn followed(&mut self) -> Vec<(Set, f64)> {
        let mut hands = std::mem::take(&mut self.hands);
        if hands.is_empty() {
            let free = (ALL & !(self.out | self.known)).count_ones() as usize;
            let missing = HAND.saturating_sub(self.known.count_ones() as usize);
            let all = missing.checked_sub(1).map_or(1, |place| WAYS[free][place]);
            let possible = if all <= self.most {
                possible(self.known, self.out)
            } else {
                (0..self.most).filter_map(|_| self.any()).collect()
            };
            hands = possible.into_iter().map(|hand| (hand, 1.0)).collect();
        }
        hands
    }

    /// A hand that is possible by the rules; none where there is none.
    fn any(&mut self) -> Option<Set> {
        let mut hand = self.known;
        while hand.count_ones() < HAND as u32 {
            let free = ALL & !(self.out | hand);
            let drawn = self.random.below(free.count_ones().max(1) as usize);
            hand |= bit(each(free).nth(drawn)?);
        }
        Some(hand)
    }

    /// Goes on with other chances, which need not add up to 1.
    fn follow(&mut self, mut chances: Vec<(Set, f64)>) {
        let sum: f64 = chances.iter().map(|(_, chance)| chance).sum();
        if chances.len() <= self.most {
            chances.iter_mut().for_each(|(_, chance)| *chance /= sum);
            self.hands = chances;
            return;
        }
        let step = sum / self.most as f64;
        let (mut at, mut passed) = (self.random.share() * step, 0.0);
        self.hands = Vec::with_capacity(self.most);
        for (hand, chance) in chances {
            passed += chance;
            while at < passed && self.hands.len() < self.most {
                self.hands.push((hand, 1.0 / self.most as f64));
                at += step;
            }
        }
    }

    /// This seat is shown a card that the other does not hold.
    pub fn not_there(&mut self, card: Card) {
        self.out |= bit(card);
        self.hands.retain(|(hand, _)| hand & bit(card) == 0);
    }

    /// The other begins its turn so.
    ///
    /// Args: `discard` is the card that it may take.
    pub fn began(&mut self, action: Action, discard: Option<Card>) {
        let mut hands = self.followed();
        for (hand, chance) in &mut hands {
            let may_end = may_stop(*hand, &self.options);
            let choices = 1.0 + f64::from(u8::from(discard.is_some())) + f64::from(u8::from(may_end));
            *chance *= likely(self.style.beginning(*hand, discard, true, may_end) == action, choices);
        }
        self.follow(hands);
        self.taken = if action == Action::Take { discard } else { None };
    }

    /// The other discards a card.
    ///
    /// Args: `wanted` is the suit of its last discard that this seat took.
    pub fn discarded(&mut self, card: Card, wanted: Option<u8>) {
        let (before, taken) = (self.followed(), self.taken.take());
        let mut after: Vec<(Set, f64)> = Vec::new();
        let choices = if taken.is_some() { 4.0 } else { 5.0 };
        let mut add = |hand: Set, chance: f64, drawn: Card| {
            let thoughtful = self.style.discard(hand, drawn, taken.is_some(), wanted) == card;
            let kept = (hand | bit(drawn)) & !bit(card);
            let sum = &mut self.chances[number(kept)];
            if *sum == 0.0 {
                after.push((kept, 0.0));
            }
            *sum += (chance * likely(thoughtful, choices)) as f32;
        };
        for (hand, chance) in before {
            match taken {
                Some(taken) if hand & bit(card) != 0 => add(hand, chance, taken),
                Some(_) => {}
                // Any card that was not seen is as likely to have been drawn.
                None if hand & bit(card) != 0 => {
                    each(ALL & !(self.out | hand)).for_each(|drawn| add(hand, chance, drawn));
                }
                None => add(hand, chance, card),
            }
        }
        for (hand, chance) in &mut after {
            *chance = std::mem::take(&mut self.chances[number(*hand)]).into();
        }
        self.out |= bit(card);
        self.known = (self.known | taken.map_or(0, bit)) & !bit(card);
        self.follow(after);
    }

    /// The hands that are followed, each with the sum of the chances up to it.
    pub fn sums(&self) -> Vec<(Set, f64)> {
        let mut sum = 0.0;
        let up_to = |&(hand, chance): &(Set, f64)| {
            sum += chance;
            (hand, sum)
        };
        self.hands.iter().map(up_to).collect()
    }
}

/// The hands with some cards and without others.
fn possible(with: Set, without: Set) -> Vec<Set> {
    let free: &Vec<Card> = &each(ALL & !(without | with)).collect();
    let mut hands = vec![(with, 0)];
    for _ in with.count_ones()..HAND as u32 {
        let one_more = |(hand, from)| (from..free.len()).map(move |next| (hand | bit(free[next]), next + 1));
        hands = hands.into_iter().flat_map(one_more).collect();
    }
    hands.into_iter().map(|(hand, _)| hand).collect()
}

fn likely(thoughtful: bool, choices: f64) -> f64 {
    (1.0 - THOUGHTFUL) / choices + if thoughtful { THOUGHTFUL } else { 0.0 }
}

/// The number of ways to choose one to four of so many cards.
const WAYS: [[usize; HAND]; 53] = {
    let mut ways = [[0; HAND]; 53];
    let mut of = 1;
    while of < 53 {
        ways[of][0] = of;
        let mut chosen = 1;
        while chosen < HAND {
            ways[of][chosen] = ways[of - 1][chosen - 1] + ways[of - 1][chosen];
            chosen += 1;
        }
        of += 1;
    }
    ways
};

/// The number of a hand among all, from 0.
fn number(hand: Set) -> usize {
    each(hand).zip(0..HAND).map(|(card, place)| WAYS[usize::from(card) - 1][place]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::forty_one::State;
    use crate::games::{Rules, Silent};
    use crate::policy::Policy;
    use crate::policy::forty_one;

    const GAMES: u64 = 30;

    #[test]
    fn every_hand_has_a_number_of_its_own() {
        let mut numbers: Vec<usize> = possible(0, 0).into_iter().map(number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..WAYS[52][HAND - 1]));
    }

    /// How likely each card is to be held, in all and by the rules alone.
    fn shares(hands: &Hands) -> ([f64; 53], f64) {
        let mut shares = [0.0; 53];
        let sum: f64 = hands.hands.iter().map(|(_, chance)| chance).sum();
        for &(hand, chance) in &hands.hands {
            each(hand).for_each(|card| shares[usize::from(card)] += chance / sum);
        }
        let (known, free) = (hands.known.count_ones(), (ALL & !(hands.out | hands.known)).count_ones());
        (shares, f64::from(known) + f64::from(4 - known).powi(2) / f64::from(free))
    }

    /// Plays a deal in which seat 1 is thoughtful so often, and lets what seat 0 knows of it be looked at after each
    /// action, with the position.
    fn play(board: u64, thoughtful: f64, most: usize, mut look: impl FnMut(&Hands, &State)) {
        let mut random = Random::new(board);
        let mut deck = State::deck(&State::usual());
        random.shuffle(&mut deck);
        let mut state = State::new(&State::usual(), 2, 0, &deck, &mut random, &mut Silent);
        let mut hands = Hands::new(state.options, forty_one::THOUGHTFUL, state.hands[0], most);
        while let (Some(seat), false) = (state.to_act(), state.stock.is_empty()) {
            let legal = state.legal(seat);
            let any = legal[random.below(legal.len())];
            let as_thoughtful = random.share() < thoughtful;
            let action = if as_thoughtful { state.choose(seat, &state.styles()[0]) } else { any };
            match action {
                Action::Discard(card) if seat == 1 => hands.discarded(card, state.shown.wanted_next[1]),
                _ if seat == 1 => hands.began(action, state.discards.last().copied()),
                _ => {}
            }
            state.apply(seat, &action, &mut random, &mut Silent);
            if let (0, Action::Draw, Some((card, _))) = (seat, action, state.drawn) {
                hands.not_there(card);
            }
            look(&hands, &state);
        }
    }

    /// Against a player that is thoughtful as often as is taken for granted, the true hand has as many cards in
    /// common with a guess as another guess has.
    #[test]
    fn the_true_hand_is_like_any_guess() {
        let (mut excess, mut squares, mut found, mut by_rules) = (0.0, 0.0, 0.0, 0.0);
        for board in 0..GAMES {
            let mut of_game = 0.0;
            play(board, super::THOUGHTFUL, usize::MAX, |hands, state| {
                if state.seat == 0 && state.drawn.is_none() {
                    let (shares, of_rules) = shares(hands);
                    let true_hand: f64 = each(state.hands[1]).map(|card| shares[usize::from(card)]).sum();
                    of_game += true_hand - shares.iter().map(|share| share * share).sum::<f64>();
                    found += true_hand;
                    by_rules += of_rules;
                }
            });
            excess += of_game;
            squares += of_game * of_game;
        }
        assert!(excess.abs() < 3.5 * squares.sqrt(), "{excess} ± {}", squares.sqrt());
        assert!(found > 1.1 * by_rules, "{found} cards found, {by_rules} by the rules alone");
    }

    /// Whatever the other does, what is known of it takes no more work than is given: no more hands are followed. Each of
    /// them is possible.
    #[test]
    fn the_hands_that_are_followed_are_possible_and_not_too_many() {
        const MOST: usize = 500;
        for board in 0..GAMES {
            play(board, 0.0, MOST, |hands, state| {
                let lying = state.discards.iter().zip(&state.taken).filter(|(_, taken)| !*taken);
                let elsewhere = lying.fold(state.hands[0], |all, (card, _)| all | bit(*card));
                let drawing = state.drawn.filter(|_| state.seat == 1);
                let held = state.shown.held[1] & !drawing.map_or(0, |(card, _)| bit(card));
                let possible =
                    |hand: &Set| hand.count_ones() == HAND as u32 && hand & elsewhere == 0 && hand & held == held;
                assert!(hands.hands.iter().all(|(hand, _)| possible(hand)));
                assert!(hands.hands.len() <= MOST, "{} hands", hands.hands.len());
            });
        }
    }
}
