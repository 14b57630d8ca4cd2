//! A Markov chain through all assignments of Nur Mut's cards to spots, step for step that of
//! `arena/sampling/nur_mut_walk.py`, which explains it.

use std::collections::HashMap;
use std::iter::successors;

use crate::chance::{Chance, Random};
use crate::games::nur_mut::{Face, Lying, PILES};

/// Rounds before the first position and between two, and the most steps of these rounds.
const FIRST: (usize, usize) = (60, 20_000);
const NEXT: (usize, usize) = (8, 4000);
/// For each so many steps of two spots there is one ring.
const RINGS: usize = 8;
/// For each so many spots of later shuffles there is one reroute in a round.
const REROUTES: usize = 10;

/// A place of a card from one shuffle to the next.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// The number of the shuffle that brought the card here, 0 for the deal.
    pub shuffle: usize,
    /// The card that is assigned to the spot, by its place in the unshuffled deck.
    pub card: usize,
    /// The face that was up when the card came, and the other face, if they were seen.
    pub seen: [Option<Face>; 2],
    /// Whether the card was turned over since.
    pub turned: bool,
    /// The spots from which this card came and to which it went, in this assignment.
    pub before: Option<usize>,
    pub after: Option<usize>,
    /// The place of its weights; none if they are the same for all cards.
    weights: Option<usize>,
}

/// By card, how many ways it can lie where some faces were seen; and the cards that can.
struct Weights {
    by_card: Vec<f64>,
    fitting: Vec<usize>,
}

pub struct Walk {
    cards: Vec<(Face, Face)>,
    /// Whether cards lie face down in the decks (model one).
    hidden: bool,
    spots: Vec<Spot>,
    shuffles: Vec<Vec<usize>>,
    weights: Vec<Weights>,
    /// The spots of which the cards change what was seen, or will be; of these the ones after the deal.
    matter: Vec<usize>,
    late: Vec<usize>,
    /// By shuffle, the other spots.
    free: Vec<Vec<usize>>,
    /// The spot in the deal of each card.
    dealt: Vec<usize>,
    begun: bool,
    pub decks: Vec<Vec<usize>>,
    pub piles: [Vec<usize>; PILES],
}

impl Walk {
    /// None if the spots are no assignment of these cards that shows what was seen.
    pub fn new(
        cards: &[(Face, Face)],
        hidden: bool,
        mut spots: Vec<Spot>,
        decks: Vec<Vec<usize>>,
        piles: [Vec<usize>; PILES],
    ) -> Option<Self> {
        let count = spots.len();
        let in_range = |spot: &Option<usize>| spot.is_none_or(|spot| spot < count);
        let lying = || decks.iter().chain(&piles).flatten();
        if spots.iter().any(|spot| spot.card >= cards.len() || spot.shuffle >= count || !in_range(&spot.before))
            || lying().any(|&spot| spot >= count)
        {
            return None;
        }
        let mut shuffles: Vec<Vec<usize>> = Vec::new();
        for place in 0..count {
            let number = spots[place].shuffle;
            if number >= shuffles.len() {
                shuffles.resize(number + 1, vec![]);
            }
            shuffles[number].push(place);
            if let Some(before) = spots[place].before {
                let (earlier, card) = (&spots[before], spots[place].card);
                if earlier.shuffle >= number || earlier.card != card || earlier.after.is_some() {
                    return None;
                }
                spots[before].after = Some(place);
            }
        }
        // Each card has one row of spots, from the deal on, and lies in the last of them, if anywhere.
        if spots.iter().any(|spot| spot.before.is_none() && spot.shuffle > 0) {
            return None;
        }
        let mut lies = vec![false; count];
        if lying().any(|&spot| spots[spot].after.is_some() || std::mem::replace(&mut lies[spot], true)) {
            return None;
        }
        let mut dealt = vec![usize::MAX; cards.len()];
        for &place in shuffles.first()? {
            dealt[spots[place].card] = place;
        }
        if dealt.contains(&usize::MAX) || shuffles[0].len() != cards.len() {
            return None;
        }
        let mut weights: Vec<Weights> = Vec::new();
        let mut known: HashMap<[Option<Face>; 2], Option<usize>> = HashMap::new();
        for spot in &mut spots {
            spot.weights = *known.entry(spot.seen).or_insert_with(|| {
                let by_card: Vec<f64> =
                    cards.iter().map(|&card| fitting(card, hidden, spot.seen).count() as f64).collect();
                if by_card.iter().all(|weight| *weight == by_card[0]) {
                    return None;
                }
                let fitting = (0..cards.len()).filter(|&card| by_card[card] > 0.0).collect();
                weights.push(Weights { by_card, fitting });
                Some(weights.len() - 1)
            });
        }
        let matters = |spot: &Spot| spot.weights.is_some() || spot.after.is_some();
        let matter: Vec<usize> = (0..count).filter(|&place| matters(&spots[place])).collect();
        let free = shuffles.iter().map(|shuffle| shuffle.iter().copied().filter(|&it| !matters(&spots[it])).collect());
        let walk = Self {
            cards: cards.to_vec(),
            hidden,
            late: matter.iter().copied().filter(|&place| spots[place].shuffle > 0).collect(),
            free: free.collect(),
            matter,
            shuffles,
            weights,
            spots,
            dealt,
            begun: false,
            decks,
            piles,
        };
        let shows = (0..count).all(|place| walk.weight(place, walk.spots[place].card) > 0.0);
        let lies = walk.decks.iter().chain(&walk.piles).flatten();
        let some_way = |&spot: &usize| fitting(cards[walk.spots[spot].card], hidden, walk.spots[spot].seen).count() > 0;
        (shows && lies.into_iter().all(some_way)).then_some(walk)
    }

    /// Walks on to a new assignment.
    pub fn go(&mut self, random: &mut Random) {
        let (rounds, steps) = if self.begun { NEXT } else { FIRST };
        self.begun = true;
        for _ in 0..rounds.min(steps / self.matter.len().max(1)).max(1) {
            self.round(random);
        }
    }

    /// The card of a spot, in one of the ways in which it may lie now.
    pub fn lying_now(&self, spot: usize, random: &mut Random) -> Lying {
        let Spot { card, seen, turned, .. } = self.spots[spot];
        let mut ways = fitting(self.cards[card], self.hidden, seen);
        let first = ways.next().expect("a way to lie");
        let way = match ways.next() {
            Some(second) if random.below(2) == 1 => second,
            _ => first,
        };
        Lying { turned: way.turned != turned, ..way }
    }

    fn round(&mut self, random: &mut Random) {
        if !self.matter.is_empty() {
            for _ in 0..self.matter.len() {
                self.step(random);
            }
            for _ in 0..self.matter.len() / RINGS + 1 {
                self.ring(random);
            }
        }
        for _ in 0..self.late.len().div_ceil(REROUTES) {
            self.reroute(random);
        }
        for place in 0..self.free.len() {
            self.mix(place, random);
        }
    }

    fn weight(&self, spot: usize, card: usize) -> f64 {
        self.spots[spot].weights.map_or(1.0, |weights| self.weights[weights].by_card[card])
    }

    /// Lets the cards in two spots of a shuffle change places, until both are shuffled together again.
    fn step(&mut self, random: &mut Random) {
        let one = self.matter[random.below(self.matter.len())];
        let shuffle = &self.shuffles[self.spots[one].shuffle];
        let other = match self.spots[one].weights {
            Some(weights) if self.spots[one].shuffle == 0 => {
                let fitting = &self.weights[weights].fitting;
                self.dealt[fitting[random.below(fitting.len())]]
            }
            _ => shuffle[random.below(shuffle.len())],
        };
        if one == other {
            return;
        }
        let (card, other_card) = (self.spots[one].card, self.spots[other].card);
        let change = |spot: usize, from: usize, to: usize| self.weight(spot, to) / self.weight(spot, from);
        let mut odds = change(one, card, other_card) * change(other, other_card, card);
        let (mut spot, mut mate) = (self.spots[one].after, self.spots[other].after);
        while odds > 0.0 && spot != mate {
            let number = |spot: Option<usize>| spot.map_or(usize::MAX, |spot| self.spots[spot].shuffle);
            match (spot, mate) {
                (Some(here), _) if number(spot) < number(mate) => {
                    odds *= change(here, card, other_card);
                    spot = self.spots[here].after;
                }
                (_, Some(there)) if number(mate) < number(spot) => {
                    odds *= change(there, other_card, card);
                    mate = self.spots[there].after;
                }
                _ => break, // a shuffle of both
            }
        }
        if odds < 1.0 && random.share() >= odds {
            return;
        }
        self.exchange(one, other);
        if let (Some(spot), Some(mate)) = (spot, mate) {
            self.exchange(spot, mate);
        }
    }

    /// Takes a step of three to five spots, each of which gets the card of the next.
    fn ring(&mut self, random: &mut Random) {
        let number = self.spots[self.matter[random.below(self.matter.len())]].shuffle;
        let size = 3 + random.below(3);
        let shuffle = &mut self.shuffles[number];
        if shuffle.len() < size {
            return;
        }
        for place in 0..size {
            let other = place + random.below(shuffle.len() - place);
            shuffle.swap(place, other);
        }
        let mut ring = [0; 5];
        ring[..size].copy_from_slice(&shuffle[..size]);
        let mut odds = 1.0;
        for place in 0..size {
            let (old, new) = (self.spots[ring[place]].card, self.spots[ring[(place + 1) % size]].card);
            for spot in self.way_of(ring[place]) {
                odds *= self.weight(spot, new) / self.weight(spot, old);
            }
        }
        if odds > 0.0 && random.share() < odds {
            for place in 1..size {
                self.exchange(ring[place - 1], ring[place]);
            }
        }
    }

    /// Takes a step in which two cards swap places from a later shuffle on, and others are dealt.
    fn reroute(&mut self, random: &mut Random) {
        let one = self.late[random.below(self.late.len())];
        let shuffle = &self.shuffles[self.spots[one].shuffle];
        let other = shuffle[random.below(shuffle.len())];
        if one == other {
            return;
        }
        let dealt = [self.first(one), self.first(other)];
        let before = dealt.iter().map(|&spot| self.cards_for(spot).len() as f64).product::<f64>();
        let mut after = 1.0;
        let mut done = vec![(one, other)];
        let mut changed = dealt.to_vec();
        let mut new: Vec<usize> = Vec::new();
        self.exchange(one, other);
        for spot in dealt {
            let cards = self.cards_for(spot);
            let card = if cards.is_empty() { None } else { Some(cards[random.below(cards.len())]) };
            let Some(card) = card.filter(|card| !new.contains(card)) else {
                after = 0.0; // else the step could not be undone
                break;
            };
            after *= cards.len() as f64;
            let holder = self.dealt[card];
            new.push(card);
            changed.push(holder);
            done.push((spot, holder));
            self.exchange(spot, holder);
        }
        changed.sort_unstable();
        changed.dedup();
        let odds = self.odds(&changed) * after / before;
        for &(spot, mate) in done.iter().rev() {
            self.exchange(spot, mate);
        }
        if odds > 0.0 && random.share() < odds / self.odds(&changed) {
            for &(spot, mate) in &done {
                self.exchange(spot, mate);
            }
        }
    }

    /// Shuffles the cards in the free spots of a shuffle: all orders are equally likely.
    fn mix(&mut self, shuffle: usize, random: &mut Random) {
        for last in (1..self.free[shuffle].len()).rev() {
            let (one, other) = (self.free[shuffle][last], self.free[shuffle][random.below(last + 1)]);
            if one != other {
                self.exchange(one, other);
            }
        }
    }

    /// A spot, and the later spots of its card.
    fn way_of(&self, spot: usize) -> impl Iterator<Item = usize> {
        successors(Some(spot), |&spot| self.spots[spot].after)
    }

    /// The spot in the deal from which the card of a spot came.
    fn first(&self, spot: usize) -> usize {
        successors(Some(spot), |&spot| self.spots[spot].before).last().unwrap_or(spot)
    }

    /// The product of the weights of the cards in some spots of the deal and their later spots.
    fn odds(&self, dealt: &[usize]) -> f64 {
        dealt.iter().flat_map(|&spot| self.way_of(spot)).map(|spot| self.weight(spot, self.spots[spot].card)).product()
    }

    /// The cards that fit a spot and all later spots of its card.
    fn cards_for(&self, spot: usize) -> Vec<usize> {
        let mut tables = self.way_of(spot).filter_map(|spot| self.spots[spot].weights);
        let Some(first) = tables.next() else { return (0..self.cards.len()).collect() };
        let mut cards = self.weights[first].fitting.clone();
        for weights in tables {
            cards.retain(|&card| self.weights[weights].by_card[card] > 0.0);
        }
        cards
    }

    /// Lets the cards of two spots of a shuffle change places, there and later.
    fn exchange(&mut self, one: usize, other: usize) {
        let (card, other_card) = (self.spots[one].card, self.spots[other].card);
        let (before, other_before) = (self.spots[one].before, self.spots[other].before);
        self.spots[one].before = other_before;
        self.spots[other].before = before;
        for spot in [one, other] {
            if let Some(before) = self.spots[spot].before {
                self.spots[before].after = Some(spot);
            }
        }
        for (from, card) in [(one, other_card), (other, card)] {
            let mut at = Some(from);
            while let Some(spot) = at {
                self.spots[spot].card = card;
                if self.spots[spot].shuffle == 0 {
                    self.dealt[card] = spot;
                }
                at = self.spots[spot].after;
            }
        }
    }
}

impl Spot {
    pub fn new(shuffle: usize, card: usize, seen: [Option<Face>; 2], turned: bool, before: Option<usize>) -> Self {
        Self { shuffle, card, seen, turned, before, after: None, weights: None }
    }
}

/// The ways in which a card may have come to lie that show the seen faces; under model one face down only.
fn fitting((front, back): (Face, Face), hidden: bool, [up, down]: [Option<Face>; 2]) -> impl Iterator<Item = Lying> {
    let ways = [(front, back, false), (back, front, true)];
    ways.into_iter().skip(usize::from(hidden)).filter_map(move |(first, second, turned)| {
        let shows = up.is_none_or(|face| face == first) && down.is_none_or(|face| face == second);
        shows.then_some(Lying { front, back, turned })
    })
}
