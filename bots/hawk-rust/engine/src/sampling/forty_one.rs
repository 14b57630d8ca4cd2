//! Forty-one: every permutation of the cards that were never shown is as likely, by the rules alone.
//!
//! But what the other of two seats drew, took and threw away says much of what it holds.

use super::Mind;
use super::forty_one_hands::Hands;
use crate::arena::forty_one_event::Kind;
use crate::arena::*;
use crate::cards::{self, ALL, Card, Set, bit, each, suit};
use crate::chance::{Chance, Random};
use crate::games::forty_one::{Action, HAND, Options, Shown, State};
use crate::policy::forty_one::THOUGHTFUL;

/// With how many hands an event is thought about, for each second that there is for all of them. That takes about an
/// eighth of the time.
const HANDS_A_SECOND: f64 = 4e6;
/// The least number of hands.
const FEWEST: f64 = 250.0;

#[derive(Clone)]
pub struct Memory {
    options: Options,
    seats: usize,
    seat: usize,
    starter: usize,
    /// What happened, at two seats, that was not thought about yet.
    news: Vec<FortyOneEvent>,
    /// What the other of two seats may hold; none until the own hand is known.
    others: Option<Hands>,
    /// The same hands, each with the sum of the chances up to it.
    sums: Vec<(Set, f64)>,
    discard: Option<Card>,
    /// The suit of the other's last discard that this seat took.
    wanted: Option<u8>,
}

impl Memory {
    /// The other seat begins its turn so.
    fn began(&mut self, action: Action) {
        if let Some(others) = &mut self.others {
            others.began(action, self.discard);
        }
    }

    /// Concludes from an event what the other may hold, with so many hands at most.
    fn conclude(&mut self, event: &FortyOneEvent, most: usize) {
        let card = |number: i32| cards::read_one(number).filter(|card| bit(*card) & ALL != 0);
        match &event.kind {
            Some(Kind::Dealt(FortyOneDealt { cards, .. })) if !cards.is_empty() => {
                let hand = cards::set(cards::read(cards).unwrap_or_default());
                self.others = Some(Hands::new(self.options, THOUGHTFUL, hand, most));
            }
            Some(Kind::DrewStock(FortyOneDrewStock { card: Some(number), .. })) => {
                if let (Some(card), Some(others)) = (card(*number), &mut self.others) {
                    others.not_there(card);
                }
            }
            Some(Kind::DrewStock(_)) => self.began(Action::Draw),
            Some(Kind::TookDiscard(FortyOneTookDiscard { seat, card: number })) => {
                if *seat as usize == self.seat {
                    self.wanted = card(*number).map(suit);
                } else {
                    self.began(Action::Take);
                }
            }
            Some(Kind::Discarded(FortyOneDiscarded { seat, card: number })) => {
                let Some(card) = card(*number) else { return };
                if let Some(others) = self.others.as_mut().filter(|_| *seat as usize != self.seat) {
                    others.discarded(card, self.wanted);
                }
                self.discard = Some(card);
            }
            _ => {}
        }
    }

    /// A hand of the other, as often as it is likely; none where nothing is known.
    fn guess(&self, random: &mut Random) -> Option<Set> {
        let (_, all) = self.sums.last()?;
        let at = random.share() * all;
        let place = self.sums.partition_point(|(_, sum)| *sum <= at);
        self.sums.get(place).map(|(hand, _)| *hand)
    }
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, starter: usize) -> Self {
        Self {
            options: *options,
            seats,
            seat,
            starter,
            news: vec![],
            others: None,
            sums: vec![],
            discard: None,
            wanted: None,
        }
    }

    fn told(&mut self, event: &FortyOneEvent) {
        if self.seats == 2 {
            self.news.push(event.clone());
        }
    }

    fn prepare(&mut self, seconds: f64) {
        let news = std::mem::take(&mut self.news);
        if news.is_empty() {
            return;
        }
        let most = (seconds * HANDS_A_SECOND / news.len() as f64).max(FEWEST) as usize;
        if let Some(others) = &mut self.others {
            others.limit(most);
        }
        for event in news {
            self.conclude(&event, most);
        }
        self.sums = self.others.as_ref().map_or(vec![], Hands::sums);
    }

    fn sample(&mut self, seen: &FortyOneObservation, random: &mut Random) -> Option<State> {
        let discards = cards::read(&seen.discards)?;
        let hand = cards::set(cards::read(&seen.hand)?);
        if seen.hand_sizes.len() != self.seats || seen.taken.len() != discards.len() || hand & !ALL != 0 {
            return None;
        }
        let mut shown = Shown::default();
        for (turn, (&card, &taken)) in discards.iter().zip(&seen.taken).enumerate() {
            let (seat, next) = ((self.starter + turn) % self.seats, (self.starter + turn + 1) % self.seats);
            shown.discarded(seat, card);
            if taken {
                shown.took(next, seat, card);
            }
        }
        let mut known: Vec<Set> = shown.held[..self.seats].to_vec();
        let mut elsewhere =
            known.iter().enumerate().filter(|(seat, _)| *seat != self.seat).fold(0, |all, (_, cards)| all | cards);
        if let Some(guess) = self.guess(random) {
            let other = 1 - self.seat;
            if guess.count_ones() == seen.hand_sizes[other]
                && guess & (hand | shown.lying) == 0
                && guess & elsewhere == elsewhere
            {
                known[other] = guess;
                elsewhere = guess;
            }
        }
        let mut hidden: Vec<Card> = each(ALL & !(hand | shown.lying | elsewhere)).collect();
        random.shuffle(&mut hidden);
        let mut hands = known;
        for (seat, held) in hands.iter_mut().enumerate() {
            if seat == self.seat {
                *held = hand;
                continue;
            }
            let missing = (seen.hand_sizes[seat] as usize).checked_sub(held.count_ones() as usize)?;
            let left = hidden.len().checked_sub(missing)?;
            *held |= cards::set(hidden.drain(left..));
        }
        let drawn = match seen.drawn {
            None => None,
            Some(number) => {
                let card = cards::read_one(number)?;
                hands[self.seat] &= !bit(card);
                Some((card, seen.taken.last() == Some(&true)))
            }
        };
        let consistent = hidden.len() == seen.stock as usize && hands[self.seat].count_ones() == HAND as u32;
        consistent.then(|| State {
            options: self.options,
            hands,
            stock: hidden,
            discards,
            taken: seen.taken.clone(),
            drawn,
            shown,
            stalled: seen.stalled,
            starter: self.starter,
            seat: self.seat,
            over: false,
        })
    }
}
