//! How likely each hand is that the other of two seats may hold, after all that it did.
//!
//! There are some 200,000 at first and fewer with every card that is seen, so all are followed. By the rules alone
//! they are equally likely; an action of the other makes those likelier with which a player that is mostly
//! thoughtful would have done so.

use crate::cards::{ALL, Card, Set, bit, each};
use crate::chance::Random;
use crate::games::forty_one::{Action, HAND, Options, may_stop};
use crate::policy::forty_one::Thoughtful;

/// How often an action is taken to be thoughtful's; else it is any.
const THOUGHTFUL: f64 = 0.8;

/// What the other seat may hold, without a card just drawn, as far as one seat can know.
#[derive(Clone)]
pub struct Hands {
    options: Options,
    style: Thoughtful,
    /// The cards that the other never drew: those that this seat has held, and all discards.
    out: Set,
    /// The cards that the other holds for all to know.
    known: Set,
    /// The discard that the other has just taken.
    taken: Option<Card>,
    /// How likely each hand is, by its number.
    chances: Vec<f32>,
    /// The possible hands, each with the sum of the chances up to it; empty until one is drawn.
    sums: Vec<(Set, f64)>,
}

impl Hands {
    /// Any hand without some cards.
    pub fn new(options: Options, style: Thoughtful, out: Set) -> Self {
        let mut hands = Self { options, style, out, known: 0, taken: None, chances: vec![], sums: vec![] };
        hands.follow(vec![]);
        hands
    }

    /// The hands that are possible by the rules.
    fn possible(&self) -> Vec<Set> {
        possible(self.known, self.out)
    }

    fn chance(&self, hand: Set) -> f64 {
        self.chances[number(hand)].into()
    }

    /// Goes on with other chances; by the rules alone where these exclude every hand.
    fn follow(&mut self, mut chances: Vec<(Set, f64)>) {
        let mut sum: f64 = chances.iter().map(|(_, chance)| chance).sum();
        if sum <= 0.0 {
            chances = self.possible().into_iter().map(|hand| (hand, 1.0)).collect();
            sum = chances.len() as f64;
        }
        self.chances = vec![0.0; number(ALL & !(ALL >> HAND)) + 1];
        for (hand, chance) in chances {
            self.chances[number(hand)] = (chance / sum) as f32;
        }
        self.sums.clear();
    }

    /// This seat is shown a card that the other does not hold.
    pub fn not_there(&mut self, card: Card) {
        self.out |= bit(card);
        self.sums.clear();
    }

    /// The other begins its turn so.
    ///
    /// Args: `discard` is the card that it may take.
    pub fn began(&mut self, action: Action, discard: Option<Card>) {
        let chance = |hand| {
            let may_end = may_stop(hand, &self.options);
            let choices = 1.0 + f64::from(u8::from(discard.is_some())) + f64::from(u8::from(may_end));
            let thoughtful = self.style.beginning(hand, discard, true, may_end) == action;
            (hand, self.chance(hand) * likely(thoughtful, choices))
        };
        let chances = self.possible().into_iter().map(chance).collect();
        self.follow(chances);
        self.taken = if action == Action::Take { discard } else { None };
    }

    /// The other discards a card.
    ///
    /// Args: `wanted` is the suit of its last discard that this seat took.
    pub fn discarded(&mut self, card: Card, wanted: Option<u8>) {
        let chances = match self.taken.take() {
            Some(taken) => self.discarded_for(taken, card, wanted),
            None => self.discarded_after_drawing(card, wanted),
        };
        self.out |= bit(card);
        self.known &= !bit(card);
        self.follow(chances);
    }

    /// The chances of the hands after a discard for a card that was taken.
    fn discarded_for(&mut self, taken: Card, card: Card, wanted: Option<u8>) -> Vec<(Set, f64)> {
        let before = self.possible().into_iter().filter(|hand| hand & bit(card) != 0 && hand & bit(taken) == 0);
        let after = |hand: Set| {
            let thoughtful = self.style.discard(hand, taken, true, wanted) == card;
            (hand & !bit(card) | bit(taken), self.chance(hand) * likely(thoughtful, 4.0))
        };
        let chances = before.map(after).collect();
        self.known |= bit(taken);
        chances
    }

    /// The chances of the hands after a card was drawn, any that was not seen, and this one discarded.
    fn discarded_after_drawing(&self, card: Card, wanted: Option<u8>) -> Vec<(Set, f64)> {
        let chance = |hand: Set| {
            let five = hand | bit(card);
            let drawn = each(five & !self.known);
            let way = |drawn| match self.chance(five & !bit(drawn)) {
                0.0 => 0.0,
                before => before * likely(self.style.discard(five & !bit(drawn), drawn, false, wanted) == card, 5.0),
            };
            (hand, drawn.map(way).sum())
        };
        let after = possible(self.known & !bit(card), self.out | bit(card));
        after.into_iter().map(chance).collect()
    }

    /// A hand, as often as it is likely; none where there is none.
    pub fn draw(&mut self, random: &mut Random) -> Option<Set> {
        if self.sums.is_empty() {
            let mut sum = 0.0;
            let summed = self.possible().into_iter().map(|hand| {
                sum += self.chance(hand);
                (hand, sum)
            });
            self.sums = summed.collect();
        }
        let at = random.share() * self.sums.last()?.1;
        let place = self.sums.partition_point(|(_, sum)| *sum <= at);
        self.sums.get(place).map(|(hand, _)| *hand)
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

/// The number of a hand among all, from 0.
fn number(hand: Set) -> usize {
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
    each(hand).zip(0..HAND).map(|(card, place)| WAYS[usize::from(card) - 1][place]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::games::forty_one::State;
    use crate::games::{Rules, Silent};
    use crate::policy::Policy;
    use crate::policy::forty_one;

    const GAMES: u64 = 30;

    #[test]
    fn every_hand_has_a_number_of_its_own() {
        let mut hands = Hands::new(State::usual(), forty_one::THOUGHTFUL, 0);
        let mut numbers: Vec<usize> = hands.possible().into_iter().map(number).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..hands.chances.len()));
        assert!(hands.draw(&mut Random::new(1)).is_some_and(|hand| hand.count_ones() == 4));
    }

    /// How likely each card is to be held, in all and by the rules alone.
    fn shares(hands: &Hands) -> ([f64; 53], f64) {
        let possible = hands.possible();
        let all: f64 = possible.iter().map(|&hand| hands.chance(hand)).sum();
        let mut shares = [0.0; 53];
        for hand in possible {
            each(hand).for_each(|card| shares[usize::from(card)] += hands.chance(hand) / all);
        }
        let (known, free) = (hands.known.count_ones(), (ALL & !(hands.out | hands.known)).count_ones());
        (shares, f64::from(known) + f64::from(4 - known).powi(2) / f64::from(free))
    }

    /// Against a player that is thoughtful as often as is taken for granted, the true hand has as many cards in
    /// common with a guess as another guess has.
    #[test]
    fn the_true_hand_is_like_any_guess() {
        let (mut excess, mut squares, mut found, mut by_rules) = (0.0, 0.0, 0.0, 0.0);
        for board in 0..GAMES {
            let mut random = Random::new(board);
            let mut deck = State::deck(&State::usual());
            random.shuffle(&mut deck);
            let mut state = State::new(&State::usual(), 2, 0, &deck, &mut random, &mut Silent);
            let mut hands = Hands::new(state.options, forty_one::THOUGHTFUL, state.hands[0]);
            let mut of_game = 0.0;
            while let (Some(seat), false) = (state.to_act(), state.stock.is_empty()) {
                let legal = state.legal(seat);
                let any = legal[random.below(legal.len())];
                let thoughtful = random.share() < super::THOUGHTFUL;
                let action = if thoughtful { state.choose(seat, &state.styles()[0]) } else { any };
                match action {
                    Action::Discard(card) if seat == 1 => hands.discarded(card, state.shown.wanted_next[1]),
                    _ if seat == 1 => hands.began(action, state.discards.last().copied()),
                    _ => {}
                }
                state.apply(seat, &action, &mut random, &mut Silent);
                match (seat, action, state.drawn) {
                    (0, Action::Draw, Some((card, _))) => hands.not_there(card),
                    (1, Action::Discard(_), _) => {
                        let (shares, of_rules) = shares(&hands);
                        let true_hand: f64 = each(state.hands[1]).map(|card| shares[usize::from(card)]).sum();
                        of_game += true_hand - shares.iter().map(|share| share * share).sum::<f64>();
                        found += true_hand;
                        by_rules += of_rules;
                    }
                    _ => {}
                }
            }
            excess += of_game;
            squares += of_game * of_game;
        }
        assert!(excess.abs() < 3.5 * squares.sqrt(), "{excess} ± {}", squares.sqrt());
        assert!(found > 1.1 * by_rules, "{found} cards found, {by_rules} by the rules alone");
    }
}
