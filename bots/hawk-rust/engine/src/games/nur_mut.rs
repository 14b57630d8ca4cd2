//! Nur Mut: get rid of your deck, card by card, or show courage and flip.

use std::sync::Arc;

use super::series::Plan;
use super::{Log, MOST_SEATS, Outcome, Rules, Told, in_range};
use crate::arena::nur_mut_action::Kind;
use crate::arena::nur_mut_event::Kind as Happened;
use crate::arena::*;
use crate::chance::{Chance, Event};

/// A face by its number: 1 to 9, a joker, or one that nobody may see.
pub type Face = u8;
pub const JOKER: Face = 10;
pub const HIDDEN: Face = 11;
pub const PILES: usize = 3;
pub const DECK_CARDS: usize = 10;

/// How many cards there are of two faces, in either order; longer than need be, for whole rows are added up.
pub type Counts = [[u8; 16]; 12];

fn count(counts: &mut Counts, (one, other): (Face, Face), change: i8) {
    let mut add = |one: Face, other: Face| {
        let number = &mut counts[usize::from(one)][usize::from(other)];
        *number = number.wrapping_add_signed(change);
    };
    add(one, other);
    if one != other {
        add(other, one);
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// M1: model one, where decks lie face down.
    pub hidden: bool,
    pub chain_courage_only: bool,
    pub joker_replay: bool,
    pub stall: u32,
    pub max_turns: u32,
    /// The cards, front and back.
    pub cards: Vec<(Face, Face)>,
    pub copies: Counts,
}

pub type Options = Arc<Terms>;

/// The options of a table; none where there is one of a later protocol.
pub fn options(message: &NurMutOptions) -> Option<Options> {
    let hidden = match NurMutModel::try_from(message.model).ok()? {
        NurMutModel::Unspecified => return None,
        model => model == NurMutModel::One,
    };
    let NurMutOptions { min_value, chain_courage_only, joker_replay, stall, max_turns, rounds, .. } = *message;
    if !in_range(&[(min_value, 1, 9), (stall, 1, 1000), (max_turns, 1, 100_000), (rounds, 1, 1000)]) {
        return None;
    }
    let least = min_value as Face;
    let cards = if message.deck.is_empty() {
        standard_deck(hidden, least)
    } else {
        message.deck.iter().map(|text| parse(text, hidden, least)).collect::<Option<_>>()?
    };
    Some(Arc::new(terms(Terms {
        hidden,
        chain_courage_only,
        joker_replay,
        stall,
        max_turns,
        cards,
        copies: [[0; 16]; 12],
    })))
}

/// How deals of Nur Mut follow one another (M5, M23, M28).
pub fn plan(message: &NurMutOptions, options: &Options) -> Plan {
    let most_seats = MOST_SEATS.min(options.cards.len().saturating_sub(PILES) / DECK_CARDS);
    Plan { most_seats, deals: message.rounds, tie_breaks: 0, wins: false, winner_starts: false }
}

fn terms(mut terms: Terms) -> Terms {
    for &card in &terms.cards {
        count(&mut terms.copies, card, 1);
    }
    terms
}

/// M3: the deck where none is given.
fn standard_deck(hidden: bool, least: Face) -> Vec<(Face, Face)> {
    if hidden {
        let eights = (least..=9).flat_map(|face| [(face, HIDDEN); 8]);
        return eights.chain((least..=9).map(|_| (JOKER, HIDDEN))).collect();
    }
    let pairs = (least..=9).flat_map(|low| (low + 1..=9).flat_map(move |high| [(low, high); 2]));
    pairs.chain((least..=9).map(|face| (JOKER, face))).collect()
}

fn parse(text: &str, hidden: bool, least: Face) -> Option<(Face, Face)> {
    let face = |text: &str| match text {
        "J" => Some(JOKER),
        _ => text.parse().ok().filter(|face| (least..=9).contains(face)),
    };
    match text.split_once('/') {
        Some((front, back)) if !hidden => Some((face(front)?, face(back)?)),
        None if hidden => Some((face(text)?, HIDDEN)),
        _ => None,
    }
}

/// Two faces, the lower first.
pub fn pair(one: Face, other: Face) -> (Face, Face) {
    (one.min(other), one.max(other))
}

/// Whether a card showing a face may be laid on another (M4, M24).
pub fn fits(face: Face, top: Face) -> bool {
    face == JOKER || top == JOKER || face.abs_diff(top) == 1
}

/// The top faces of the piles.
pub type Tops = [Face; PILES];

pub fn fits_some(face: Face, piles: &Tops) -> bool {
    piles.iter().any(|&top| fits(face, top))
}

/// A card as it lies on a deck or a pile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lying {
    pub front: Face,
    pub back: Face,
    /// Whether its back is up.
    pub turned: bool,
}

impl Lying {
    pub fn up(self) -> Face {
        if self.turned { self.back } else { self.front }
    }

    fn over(self) -> Self {
        Self { turned: !self.turned, ..self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    Pass,
    Tuck,
    Place(u8),
    Try,
    Courage,
    Choose(u8),
}

/// Why a card is laid.
type Reason = NurMutLaidReason;

#[derive(Clone)]
pub struct State {
    pub terms: Options,
    /// The top card last.
    pub decks: Vec<Vec<Lying>>,
    /// How many cards each seat has tucked since its deck was last mixed.
    pub tucked: [usize; MOST_SEATS],
    pub piles: [Vec<Lying>; PILES],
    /// Why the flipped card will be laid, while its pile is chosen.
    pub choosing: Option<Reason>,
    /// Whether the seat to act goes on after successful courage.
    pub again: bool,
    pub passes: u32,
    pub stalled: u32,
    pub turns: u32,
    pub seat: usize,
    pub over: bool,
    /// What was seen of the cards on the piles, and of the card just flipped.
    pub known: Known,
    pub flipped: Option<(Face, Face)>,
}

/// The cards on the piles of which both faces were seen.
#[derive(Clone)]
pub struct Known {
    by_pile: [Vec<(Face, Face)>; PILES],
    /// How many of two faces there are on all piles.
    pub all: Counts,
}

impl Known {
    pub fn none() -> Self {
        Self { by_pile: [const { vec![] }; PILES], all: [[0; 16]; 12] }
    }

    pub fn add(&mut self, pile: usize, card: (Face, Face)) {
        self.by_pile[pile].push(card);
        count(&mut self.all, card, 1);
    }

    pub fn clear(&mut self, pile: usize) {
        for card in self.by_pile[pile].drain(..) {
            count(&mut self.all, card, -1);
        }
    }
}

fn event(kind: Happened) -> NurMutEvent {
    NurMutEvent { kind: Some(kind) }
}

impl State {
    /// The cards as they come to lie in a deck: face down (model one), or each either way up at random.
    fn laid_down(&self, cards: &mut [Lying], chance: &mut impl Chance) {
        for card in cards {
            card.turned = self.terms.hidden || chance.below(2) == 1;
        }
    }

    /// Shuffles cards and the way they lie; the last shows a face if one is given.
    fn mix(&self, cards: &mut Vec<Lying>, face: Option<Face>, chance: &mut impl Chance) {
        let last = face.map(|face| {
            let ways =
                cards.iter().flat_map(|card| [Lying { turned: false, ..*card }, Lying { turned: true, ..*card }]);
            let showing: Vec<Lying> = ways.filter(|way| way.up() == face).collect();
            let way = showing[chance.below(showing.len())];
            let same = |card: &Lying| (card.front, card.back) == (way.front, way.back);
            cards.remove(cards.iter().position(same).expect("it is one of them"));
            way
        });
        chance.shuffle(cards);
        self.laid_down(cards, chance);
        cards.extend(last);
    }

    /// A card from a deck as it shows on a pile.
    fn turned_up(&self, card: Lying) -> Lying {
        if self.terms.hidden { card.over() } else { card }
    }

    fn show_top(&self, seat: usize, log: &mut impl Log<NurMutEvent>) {
        if let Some(card) = self.decks[seat].last().filter(|_| !self.terms.hidden) {
            log.tell(|| {
                Told::all(event(Happened::TopShown(NurMutTopShown { seat: seat as u32, face: card.up().into() })))
            });
        }
    }

    pub fn tops(&self) -> Tops {
        std::array::from_fn(|pile| self.piles[pile].last().map_or(HIDDEN, |card| card.up()))
    }

    /// The upper face of a deck's top card.
    pub fn top(&self, seat: usize) -> Face {
        self.decks[seat].last().map_or(HIDDEN, |card| card.up())
    }

    fn fitting(&self, face: Face) -> impl Iterator<Item = u8> + use<> {
        let tops = self.tops();
        (0..PILES as u8).filter(move |&pile| fits(face, tops[usize::from(pile)]))
    }

    /// Turns the top card over; it must be laid where it fits (M12).
    fn flip(&mut self, seat: usize, reason: Reason, chance: &mut impl Chance, log: &mut impl Log<NurMutEvent>) {
        let Some(card) = self.decks[seat].last_mut() else { return };
        let before = card.up();
        *card = card.over(); // M26: it stays on its deck until it is laid
        let face = card.up();
        self.flipped = Some(pair(before, face));
        log.tell(|| Told::all(event(Happened::Flipped(NurMutFlipped { seat: seat as u32, face: face.into() }))));
        let mut fitting = self.fitting(face);
        match (fitting.next(), fitting.next()) {
            (Some(_), Some(_)) => self.choosing = Some(reason), // M9
            (Some(pile), None) => self.lay(seat, pile, reason, log),
            _ if reason == Reason::Courage => self.fail(seat, chance, log),
            _ => self.tuck(seat, log),
        }
    }

    fn tuck(&mut self, seat: usize, log: &mut impl Log<NurMutEvent>) {
        let Some(card) = self.decks[seat].pop() else { return };
        log.tell(|| Told::all(event(Happened::Tucked(NurMutTucked { seat: seat as u32, face: card.up().into() }))));
        let lying = if self.terms.hidden { card.over() } else { card };
        self.decks[seat].insert(0, lying);
        self.tucked[seat] += 1;
        self.show_top(seat, log);
        self.passes = 0; // M20: not a pass
        if !self.again {
            self.stalled += 1;
        }
        self.end_turn(seat + 1); // M7
    }

    /// Lays the top card, which is face up, and goes on with the turn or ends it.
    fn lay(&mut self, seat: usize, pile: u8, reason: Reason, log: &mut impl Log<NurMutEvent>) {
        let Some(card) = self.decks[seat].pop() else { return };
        self.put(seat, pile, card, reason, log);
        let rewarded = reason == Reason::Courage && (card.up() != JOKER || self.terms.joker_replay); // M11
        if rewarded && !self.decks[seat].is_empty() {
            self.again = true; // M10
        } else {
            self.end_turn(seat + 1); // M7
        }
    }

    /// Puts a card on a pile and, while a joker shows, the next card of the deck on it (M13, M14).
    fn put(&mut self, seat: usize, pile: u8, card: Lying, reason: Reason, log: &mut impl Log<NurMutEvent>) {
        let mut next = Some((card, reason));
        while let Some((card, reason)) = next {
            self.piles[usize::from(pile)].push(card);
            self.note_laid(pile.into(), card.up());
            log.tell(|| {
                let (seat, pile, face, reason) = (seat as u32, pile.into(), card.up().into(), reason.into());
                Told::all(event(Happened::Laid(NurMutLaid { seat, pile, face, reason })))
            });
            next = if card.up() == JOKER {
                self.decks[seat].pop().map(|card| (self.turned_up(card), Reason::Cover))
            } else {
                None
            };
        }
        self.passes = 0;
        self.stalled = 0; // M27
        self.show_top(seat, log);
    }

    /// Remembers what is known of a card that now lies on a pile.
    fn note_laid(&mut self, pile: usize, face: Face) {
        if self.terms.hidden {
            self.known.add(pile, (face, HIDDEN));
        } else if let Some(card) = self.flipped {
            self.known.add(pile, card);
        }
        self.flipped = None;
    }

    /// Failed courage: the seat takes the highest pile, and the next one refills it.
    fn fail(&mut self, seat: usize, chance: &mut impl Chance, log: &mut impl Log<NurMutEvent>) {
        let tops = self.tops();
        let most = tops.iter().max();
        let highest: Vec<usize> = (0..PILES).filter(|&pile| Some(&tops[pile]) == most).collect();
        let mut pile = highest[0];
        if highest.len() > 1 {
            chance.begin(Event::Highest, seat); // M16
            pile = highest[chance.below(highest.len())];
        }
        let taken = std::mem::take(&mut self.piles[pile]);
        self.known.clear(pile);
        self.flipped = None;
        log.tell(|| {
            let (seat, pile, count) = (seat as u32, pile as u32, taken.len() as u32);
            Told::all(event(Happened::TookPile(NurMutTookPile { seat, pile, count })))
        });
        let own = std::mem::take(&mut self.decks[seat]);
        let mut mixed: Vec<Lying> = own.into_iter().rev().chain(taken.into_iter().rev()).collect();
        chance.begin(Event::Reshuffle, seat);
        chance.shuffle(&mut mixed); // M15
        self.laid_down(&mut mixed, chance);
        mixed.reverse();
        self.decks[seat] = mixed;
        self.tucked[seat] = 0;
        self.show_top(seat, log);
        let refiller = (seat + 1) % self.decks.len(); // M17
        if let Some(card) = self.decks[refiller].pop() {
            self.put(refiller, pile as u8, self.turned_up(card), Reason::Refill, log); // M19
        }
        self.end_turn(refiller + 1); // M18
    }

    /// Calls `visit` with every legal action of a seat, in the documented order.
    pub fn each_legal(&self, seat: usize, mut visit: impl FnMut(Action)) {
        let seats = self.decks.len() as u32;
        if self.choosing.is_some() {
            self.fitting(self.top(seat)).for_each(|pile| visit(Action::Choose(pile))); // M9
            return;
        }
        if self.passes < seats && self.stalled < self.terms.stall * seats {
            visit(Action::Pass);
            if self.again && self.terms.chain_courage_only {
                // M10
            } else if self.terms.hidden {
                visit(Action::Try);
            } else if fits_some(self.top(seat), &self.tops()) {
                self.fitting(self.top(seat)).for_each(|pile| visit(Action::Place(pile)));
            } else {
                visit(Action::Tuck); // M8
            }
        }
        visit(Action::Courage); // M12: a joker may be passed too; M20, M21: the only one where all passed or tucked
    }

    fn end_turn(&mut self, following: usize) {
        self.turns += 1;
        self.again = false;
        let seats = self.decks.len();
        // M14, M19, M22
        self.over = self.decks.iter().any(Vec::is_empty) || self.turns >= self.terms.max_turns * seats as u32;
        self.seat = following % seats;
    }

    /// The points of each seat as they stand (M23).
    pub fn points(&self) -> Vec<i32> {
        self.decks.iter().map(|deck| -(deck.len() as i32)).collect()
    }
}

impl Rules for State {
    type Options = Options;
    type Action = Action;
    type Event = NurMutEvent;
    type Observation = NurMutObservation;
    type Message = NurMutAction;

    fn usual() -> Options {
        let (stall, max_turns, cards) = (3, 500, standard_deck(false, 1));
        let (hidden, chain_courage_only, joker_replay) = (false, false, false);
        Arc::new(terms(Terms {
            hidden,
            chain_courage_only,
            joker_replay,
            stall,
            max_turns,
            cards,
            copies: [[0; 16]; 12],
        }))
    }

    fn deck(options: &Options) -> Vec<u8> {
        options.cards.iter().map(|(front, back)| 16 * front + back).collect()
    }

    fn new(
        options: &Options,
        seats: usize,
        starter: usize,
        deck: &[u8],
        chance: &mut impl Chance,
        log: &mut impl Log<NurMutEvent>,
    ) -> Self {
        let mut state = Self {
            terms: options.clone(),
            decks: vec![],
            tucked: [0; MOST_SEATS],
            piles: [const { vec![] }; PILES],
            choosing: None,
            again: false,
            passes: 0,
            stalled: 0,
            turns: 0,
            seat: starter,
            over: false,
            known: Known::none(),
            flipped: None,
        };
        let mut cards: Vec<Lying> =
            deck.iter().map(|card| Lying { front: card / 16, back: card % 16, turned: false }).collect();
        let (dealt, rest) = cards.split_at_mut(seats * DECK_CARDS);
        chance.begin(Event::Orientation, 0);
        state.laid_down(dealt, chance);
        for seat in 0..seats {
            // M25: one card at a time from the starter on; the first is the top of its deck
            let own = dealt[(seat + seats - starter) % seats..].iter().step_by(seats);
            state.decks.push(own.rev().copied().collect());
            log.tell(|| Told::all(event(Happened::Dealt(NurMutDealt { seat: seat as u32, count: DECK_CARDS as u32 }))));
        }
        (0..seats).for_each(|seat| state.show_top(seat, log));
        let started = |pile: usize, face: Face| {
            Told::all(event(Happened::PileStarted(NurMutPileStarted { pile: pile as u32, face: face.into() })))
        };
        let mut jokers = Vec::new();
        let mut pile = 0;
        for card in rest.iter_mut() {
            state.laid_down(std::slice::from_mut(card), chance);
            let card = state.turned_up(*card);
            if card.up() == JOKER {
                jokers.push(card); // M6
                log.tell(|| Told::all(event(Happened::JokerSetAside(NurMutJokerSetAside { pile: pile as u32 }))));
                continue;
            }
            state.piles[pile].push(card);
            state.note_laid(pile, card.up());
            log.tell(|| started(pile, card.up()));
            pile += 1;
            if pile == PILES {
                break;
            }
        }
        let mut jokers = jokers.into_iter();
        for pile in pile..PILES {
            state.piles[pile].extend(jokers.next()); // M24: out of numbers, so jokers start piles
            state.note_laid(pile, JOKER);
            log.tell(|| started(pile, JOKER));
        }
        state
    }

    fn to_act(&self) -> Option<usize> {
        (!self.over).then_some(self.seat)
    }

    fn legal(&self, seat: usize) -> Vec<Action> {
        let mut actions = Vec::with_capacity(PILES + 2);
        self.each_legal(seat, |action| actions.push(action));
        actions
    }

    fn apply(&mut self, seat: usize, action: &Action, chance: &mut impl Chance, log: &mut impl Log<NurMutEvent>) {
        match *action {
            Action::Pass => {
                log.tell(|| Told::all(event(Happened::Passed(NurMutPassed { seat: seat as u32 }))));
                if !self.again {
                    self.passes += 1; // M20: a pass after successful courage is not a pure pass
                    self.stalled += 1;
                }
                self.end_turn(seat + 1);
            }
            Action::Courage => self.flip(seat, Reason::Courage, chance, log),
            Action::Try => self.flip(seat, Reason::Place, chance, log),
            Action::Place(pile) => self.lay(seat, pile, Reason::Place, log),
            Action::Tuck => self.tuck(seat, log),
            Action::Choose(pile) => {
                let reason = self.choosing.take().unwrap_or(Reason::Place);
                self.lay(seat, pile, reason, log);
            }
        }
    }

    /// The cards of each deck are known, but not their order. Known too are the tucked cards, at the bottom, and the
    /// face that the top card shows.
    fn redraw(&mut self, _: &[u8], chance: &mut impl Chance) {
        for seat in 0..self.decks.len() {
            let deck = std::mem::take(&mut self.decks[seat]);
            let turned = self.choosing.is_some() && seat == self.seat; // both faces of its top card are known
            let (bottom, rest) = deck.split_at(self.tucked[seat].min(deck.len()));
            let (untouched, top) = rest.split_at(rest.len() - usize::from(turned && !rest.is_empty()));
            let mut mixed = untouched.to_vec();
            if let Some(shown) = untouched.last() {
                chance.begin(Event::Redrawn, seat);
                let face = (!turned && !self.terms.hidden).then(|| shown.up());
                self.mix(&mut mixed, face, chance);
            }
            self.decks[seat] = [bottom, &mixed, top].concat();
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        let left = self.over.then(|| self.points())?;
        let reason = if left.contains(&0) { "deck_empty" } else { "turn_limit" };
        Some(Outcome::new(&left, left.clone(), reason))
    }

    fn observation(&self, seat: usize) -> NurMutObservation {
        let phase = match (self.over, self.choosing) {
            (true, _) => NurMutPhase::Over,
            (_, Some(_)) => NurMutPhase::ChoosePile,
            _ => NurMutPhase::Turn,
        };
        let tops = (0..self.decks.len()).map(|seat| self.top(seat).into());
        NurMutObservation {
            phase: phase.into(),
            seat: Some(seat as u32),
            to_act: self.to_act().map(|seat| seat as u32),
            piles: self.tops().map(i32::from).to_vec(),
            pile_sizes: self.piles.iter().map(|pile| pile.len() as u32).collect(),
            deck_sizes: self.decks.iter().map(|deck| deck.len() as u32).collect(),
            top_faces: tops.collect(),
            flipped: self.choosing.map(|_| self.top(self.seat).into()),
            passes: self.passes,
            stalled: self.stalled,
            turns: self.turns,
            again: self.again,
            by_courage: self.choosing == Some(Reason::Courage),
        }
    }

    fn message(action: &Action) -> NurMutAction {
        let kind = match *action {
            Action::Pass => Kind::PassTurn(NurMutPassTurn {}),
            Action::Tuck => Kind::Tuck(NurMutTuck {}),
            Action::Place(pile) => Kind::Place(NurMutPlace { pile: pile.into() }),
            Action::Try => Kind::TryTop(NurMutTryTop {}),
            Action::Courage => Kind::Courage(NurMutCourage {}),
            Action::Choose(pile) => Kind::ChoosePile(NurMutChoosePile { pile: pile.into() }),
        };
        NurMutAction { kind: Some(kind) }
    }
}
