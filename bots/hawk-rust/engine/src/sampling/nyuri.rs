//! Nyuri: where penalties passed unseen between two others, hypotheses of which card moved; given one of them,
//! every permutation of the cards that nobody is known to hold is as likely, by the rules alone.
//!
//! But who drew instead of stealing a pile could hardly steal it. So a hypothesis also says since when each card
//! of a hand has been there, and a sample in which a seat would have let a pile go that it could steal is rare.

use super::Mind;
use crate::arena::nyuri_event::Kind;
use crate::arena::*;
use crate::cards::{self, ALL, Card, DECK, Set, bit, each, of_suit, suit};
use crate::chance::{Chance, Random};
use crate::games::MOST_SEATS;
use crate::games::nyuri::{Claim, Hand, Holdings, Options, Pile, SMALL_PILE, State, falling, values, worth};

/// How many hypotheses are kept: for two seats, and where penalties can be blind.
const HYPOTHESES: (usize, usize) = (64, 200);
/// How often a seat lets a pile go that it could steal, for each time that it does not.
const LETS_GO: f64 = 0.1;
/// How many of the latest draws are thought about.
const REMEMBERED: usize = 16;
/// How many samples one is taken from.
const TRIES: usize = 6;
/// Where a card is, in a hypothesis: unknown, in the hand of a seat (its number plus one), or lying open.
const UNKNOWN: u8 = 0;
const OPEN: u8 = u8::MAX;

#[derive(Clone)]
struct Hypothesis {
    weight: f64,
    places: [u8; 53],
    /// By seat, for each unknown card of its hand when it came there.
    since: [Vec<u32>; MOST_SEATS],
}

/// A seat drew at a moment, although a pile lay there.
#[derive(Clone, Copy)]
struct LetGo {
    time: u32,
    seat: usize,
    suit: u8,
    bar: u8,
    limit: usize,
    /// The cards of the suit that it was known to hold.
    known: Set,
}

impl LetGo {
    /// Whether the seat could have stolen the pile, had it held these cards.
    fn could_steal(&self, held: Set) -> bool {
        falling(values(held, self.suit)).take(self.limit).sum::<i32>() > self.bar.into()
    }
}

impl Hypothesis {
    fn put(&mut self, place: u8, cards: &[Card]) {
        cards.iter().filter(|card| DECK.contains(card)).for_each(|&card| self.places[usize::from(card)] = place);
    }

    /// A seat shows that it holds some cards.
    fn reveal(&mut self, seat: usize, cards: &[Card], let_go: &[LetGo], random: &mut Random) {
        for &card in cards.iter().filter(|card| DECK.contains(card)) {
            let place = &mut self.places[usize::from(card)];
            if *place == seat as u8 + 1 {
                continue;
            }
            if *place != UNKNOWN {
                self.weight = 0.0;
            }
            *place = seat as u8 + 1;
            let since = &mut self.since[seat];
            self.weight *= since.len() as f64;
            if since.is_empty() {
                continue;
            }
            let came = since.swap_remove(random.below(since.len()));
            let held = let_go.iter().filter(|it| it.seat == seat && it.time > came && suit(card) == it.suit);
            let missed = held.filter(|it| it.could_steal(it.known | bit(card)) && !it.could_steal(it.known)).count();
            self.weight *= LETS_GO.powi(missed as i32);
        }
    }

    /// A card went unseen from a hand to another, each card as likely.
    fn pass_blindly(&mut self, from: usize, to: usize, time: u32, random: &mut Random) {
        let known: Vec<Card> = DECK.filter(|&card| self.places[usize::from(card)] == from as u8 + 1).collect();
        let which = random.below((known.len() + self.since[from].len()).max(1));
        match known.get(which) {
            Some(&card) => self.places[usize::from(card)] = to as u8 + 1,
            None if which - known.len() < self.since[from].len() => {
                self.since[from].swap_remove(which - known.len());
                self.since[to].push(time);
            }
            None => {}
        }
    }
}

#[derive(Clone)]
pub struct Memory {
    options: Options,
    seat: usize,
    hypotheses: Vec<Hypothesis>,
    random: Random,
    /// By seat, what it has seen of who holds what, as far as this seat can tell.
    holdings: Vec<Holdings>,
    /// How many events were told.
    time: u32,
    piles: Vec<Set>,
    /// In this window, by seat, what the last claim on its pile is worth.
    claimed: Vec<u8>,
    /// The seat that draws because it was overbid.
    overbid: Option<usize>,
    let_go: Vec<LetGo>,
}

impl Memory {
    /// Drops what is contradicted, and draws anew where few hypotheses have all the weight.
    fn weigh(&mut self) {
        let sum: f64 = self.hypotheses.iter().map(|it| it.weight).sum();
        let squares: f64 = self.hypotheses.iter().map(|it| it.weight * it.weight).sum();
        let count = self.hypotheses.len() as f64;
        if sum <= 0.0 {
            return;
        }
        if sum * sum > squares * count / 2.0 {
            self.hypotheses.iter_mut().for_each(|it| it.weight *= count / sum);
            return;
        }
        let step = sum / count;
        let mut at = self.random.share() * step;
        let mut drawn = Vec::with_capacity(self.hypotheses.len());
        let mut passed = 0.0;
        for hypothesis in &self.hypotheses {
            passed += hypothesis.weight;
            while at < passed && drawn.len() < self.hypotheses.len() {
                drawn.push(Hypothesis { weight: 1.0, ..hypothesis.clone() });
                at += step;
            }
        }
        self.hypotheses = drawn;
    }

    fn each(&mut self, mut change: impl FnMut(&mut Hypothesis)) {
        self.hypotheses.iter_mut().for_each(&mut change);
    }

    fn reveal(&mut self, seat: usize, cards: &[Card]) {
        let (let_go, random) = (&self.let_go, &mut self.random);
        self.hypotheses.iter_mut().for_each(|it| it.reveal(seat, cards, let_go, random));
    }

    /// A seat draws instead of stealing one of the piles that lie there.
    fn lets_go(&mut self, seat: usize) {
        if seat == self.seat || self.options.spend_cards || self.options.placer_draws {
            return;
        }
        let Some(hypothesis) = self.hypotheses.first() else { return };
        let held = cards::set(DECK.filter(|&card| hypothesis.places[usize::from(card)] == seat as u8 + 1));
        for (owner, &pile) in self.piles.iter().enumerate() {
            if owner == seat || pile == 0 {
                continue;
            }
            let total = worth(pile);
            let suit = suit(pile.trailing_zeros() as Card);
            // Three cards for one are not worth it (N13).
            let limit = if total > SMALL_PILE && pile.count_ones() > 1 { 3 } else { 2 };
            let bar = total.max(self.claimed[owner]);
            self.let_go.push(LetGo { time: self.time, seat, suit, bar, limit, known: held & of_suit(suit) });
        }
        let more = self.let_go.len().saturating_sub(REMEMBERED);
        self.let_go.drain(..more);
    }

    fn new_window(&mut self) {
        self.claimed.fill(0);
        self.overbid = None;
    }

    fn hold(&mut self, seat: usize, cards: &[Card]) {
        let cards = cards::set(cards.iter().copied()) & ALL;
        self.holdings.iter_mut().for_each(|holdings| holdings.put(seat, cards));
    }
}

impl Memory {
    /// Hands and a stock that are consistent with what lies open, and how well they explain what was let go.
    fn draw(
        &self,
        open: Set,
        own: &[Card],
        sizes: &[usize],
        random: &mut Random,
    ) -> Option<(f64, Vec<Hand>, Vec<Card>)> {
        let sum: f64 = self.hypotheses.iter().map(|it| it.weight).sum();
        let mut at = random.share() * sum;
        let drawn = self.hypotheses.iter().find(|it| {
            at -= it.weight;
            at < 0.0
        });
        // Without events, or where none of the hypotheses held, nothing but what lies open is known.
        let mut known = [0; MOST_SEATS];
        if let Some(hypothesis) = drawn {
            for card in each(ALL & !open) {
                let place = usize::from(hypothesis.places[usize::from(card)]);
                if (1..=sizes.len()).contains(&place) {
                    known[place - 1] |= bit(card);
                }
            }
        }
        known[self.seat] = 0;
        if known.iter().zip(sizes).any(|(known, &size)| known.count_ones() as usize > size) {
            known = [0; MOST_SEATS];
        }
        let all_known = known.iter().fold(open, |all, known| all | known);
        let mut hidden: Vec<Card> = each(ALL & !all_known).collect();
        random.shuffle(&mut hidden);
        let mut weight = 1.0;
        let mut hands = Vec::with_capacity(sizes.len());
        for (seat, &size) in sizes.iter().enumerate() {
            if seat == self.seat {
                hands.push(Hand::of(own.iter().copied()));
                continue;
            }
            let missing = size - known[seat].count_ones() as usize;
            let left = hidden.len().checked_sub(missing)?;
            let cards = hidden.split_off(left);
            if let Some(since) = drawn.map(|it| &it.since[seat]).filter(|since| since.len() == missing) {
                let let_go = self.let_go.iter().filter(|it| it.seat == seat);
                let missed = let_go.filter(|it| {
                    let there = cards.iter().zip(since).filter(|&(_, &came)| came < it.time);
                    it.could_steal(there.fold(it.known, |held, (&card, _)| held | bit(card)))
                });
                weight *= LETS_GO.powi(missed.count() as i32);
            }
            hands.push(Hand::of(each(known[seat]).chain(cards)));
        }
        Some((weight, hands, hidden))
    }
}

impl Mind<State> for Memory {
    fn new(options: &Options, seats: usize, seat: usize, _: usize) -> Self {
        let hypothesis = Hypothesis { weight: 1.0, places: [UNKNOWN; 53], since: [const { vec![] }; MOST_SEATS] };
        let count = if seats > 2 { HYPOTHESES.1 } else { HYPOTHESES.0 };
        Self {
            options: *options,
            seat,
            hypotheses: vec![hypothesis; count],
            random: Random::new(seat as u64),
            holdings: vec![Holdings::none(); seats],
            time: 0,
            piles: vec![0; seats],
            claimed: vec![0; seats],
            overbid: None,
            let_go: vec![],
        }
    }

    fn told(&mut self, event: &NyuriEvent) {
        let read = |numbers: &[i32]| cards::read(numbers).unwrap_or_default();
        let seats = self.holdings.len();
        let sits = |seat: u32| usize::try_from(seat).ok().filter(|seat| *seat < seats);
        let spent = self.options.spend_cards;
        self.time += 1;
        let time = self.time;
        match &event.kind {
            Some(Kind::Dealt(NyuriDealt { seat, cards, count })) => {
                let (Some(seat), cards) = (sits(*seat), read(cards)) else { return };
                let unknown = (*count as usize).min(52).saturating_sub(cards.len());
                self.each(|it| {
                    it.put(seat as u8 + 1, &cards);
                    it.since[seat] = vec![time; unknown];
                });
            }
            Some(Kind::Drew(NyuriDrew { seat, card })) => {
                let Some(seat) = sits(*seat) else { return };
                if self.overbid.take() != Some(seat) {
                    self.lets_go(seat);
                }
                match card.and_then(cards::read_one).filter(|card| DECK.contains(card)) {
                    None => self.each(|it| it.since[seat].push(time)),
                    Some(card) => self.each(|it| {
                        if it.places[usize::from(card)] != UNKNOWN {
                            it.weight = 0.0; // it was not where it was thought to be
                        }
                        it.put(seat as u8 + 1, &[card]);
                    }),
                }
            }
            Some(Kind::Placed(NyuriPlaced { seat, base, guard, taken_back })) => {
                let Some(seat) = sits(*seat) else { return };
                let pile = read(&std::iter::once(*base).chain(*guard).collect::<Vec<_>>());
                let back = read(taken_back);
                self.new_window();
                self.hold(seat, &back);
                self.each(|it| it.put(seat as u8 + 1, &back));
                self.reveal(seat, &pile);
                self.each(|it| it.put(OPEN, &pile));
                self.piles[seat] = cards::set(pile) & ALL;
            }
            Some(Kind::Left(_) | Kind::Skipped(_)) => self.new_window(),
            Some(Kind::Claimed(NyuriClaimed { seat, owner, cards })) => {
                let (Some(seat), Some(owner), cards) = (sits(*seat), sits(*owner), read(cards)) else { return };
                self.hold(seat, &cards);
                self.reveal(seat, &cards);
                self.claimed[owner] = worth(cards::set(cards) & ALL);
            }
            Some(Kind::Overbid(NyuriOverbid { seat, .. })) => self.overbid = sits(*seat),
            Some(Kind::Stole(NyuriStole { seat, owner, pile, cards })) => {
                let (Some(seat), Some(owner)) = (sits(*seat), sits(*owner)) else { return };
                let (pile, cards) = (read(pile), read(cards));
                self.hold(seat, &pile);
                self.hold(seat, &cards);
                self.reveal(seat, &cards);
                self.piles[owner] = 0;
                self.each(|it| {
                    it.put(if spent { OPEN } else { seat as u8 + 1 }, &cards);
                    it.put(seat as u8 + 1, &pile);
                });
            }
            Some(Kind::Penalty(NyuriPenalty { seat, owner, card })) => {
                let (Some(seat), Some(owner)) = (sits(*seat), sits(*owner)) else { return };
                match card.and_then(cards::read_one).filter(|card| DECK.contains(card)) {
                    Some(card) => {
                        for viewer in [seat, owner] {
                            self.holdings[viewer].put(owner, bit(card));
                        }
                        self.reveal(seat, &[card]);
                        self.each(|it| it.put(owner as u8 + 1, &[card]));
                    }
                    None => {
                        let random = &mut self.random;
                        self.hypotheses.iter_mut().for_each(|it| it.pass_blindly(seat, owner, time, random));
                    }
                }
            }
            _ => return,
        }
        self.weigh();
    }

    fn sample(&mut self, seen: &NyuriObservation, random: &mut Random) -> Option<State> {
        let seats = self.holdings.len();
        if seen.hand_sizes.len() != seats || seen.piles.len() != seats || seen.placer as usize >= seats {
            return None;
        }
        let hand = cards::read(&seen.hand)?;
        let card = |number: Option<i32>| match number {
            None => Some(None),
            Some(number) => cards::read_one(number).filter(|card| DECK.contains(card)).map(Some),
        };
        let mut piles = Vec::with_capacity(seats);
        for pile in &seen.piles {
            piles.push(Pile { base: card(pile.base)?, guard: card(pile.guard)? });
        }
        let spent = cards::read(&seen.spent)?;
        let mut claims = Vec::new();
        for claim in &seen.claims {
            let (seat, owner) = (claim.seat as usize, claim.owner as usize);
            if seat >= seats || owner >= seats {
                return None;
            }
            claims.push(Claim { seat, owner, cards: cards::set(cards::read(&claim.cards)?) });
        }
        let open: Set = piles.iter().fold(cards::set(spent.iter().chain(&hand).copied()), |set, pile| set | pile.set());
        let sizes: Vec<usize> = seen.hand_sizes.iter().map(|&size| size as usize).collect();
        let mut chosen = None;
        let mut weights = 0.0;
        for _ in 0..if self.let_go.is_empty() { 1 } else { TRIES } {
            let (weight, hands, stock) = self.draw(open, &hand, &sizes, random)?;
            weights += weight;
            if random.share() * weights <= weight {
                chosen = Some((hands, stock));
            }
        }
        let (hands, hidden) = chosen?;
        let consistent = hidden.len() == seen.stock as usize && hand.len() == seen.hand_sizes[self.seat] as usize;
        consistent.then(|| State {
            options: self.options,
            hands,
            stock: hidden,
            piles,
            spent,
            claims,
            stalled: seen.stalled,
            placer: seen.placer as usize,
            placing: seen.phase() == NyuriPhase::Place,
            seat: self.seat,
            over: false,
            holdings: self.holdings.clone(),
        })
    }
}
