//! One seat at one table: what it knows, and how it chooses.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::arena::{TableStart, TryActionsRequest, Turn};
use crate::search::{Effort, Found, Game, Parameters, search, valuer};
use crate::simple;
use crate::time::Clock;
use arena_engine::chance::Random;
use arena_engine::games::{forty_one, hyrule, kleftis, nur_mut, nyuri};
use arena_engine::sampling::Mind;
use arena_engine::wire::{Ending, View, Wire};

/// A seat in one deal of a game.
#[derive(Clone)]
pub struct Seat<S: Game> {
    options: S::Options,
    seats: usize,
    seat: usize,
    mind: S::Mind,
}

impl<S: Game> Seat<S> {
    pub fn new(options: &S::Options, seats: usize, seat: usize, starter: usize) -> Self {
        Self { options: options.clone(), seats, seat, mind: S::Mind::new(options, seats, seat, starter) }
    }

    pub fn told(&mut self, event: &S::Event) {
        self.mind.told(event);
    }

    /// Begins the next deal of a series.
    fn next_deal(&mut self, starter: usize) {
        *self = Self::new(&self.options, self.seats, self.seat, starter);
    }

    /// A full position that is consistent with all that the seat knows.
    pub fn sample(&mut self, seen: &S::Observation, random: &mut Random) -> Option<S> {
        self.mind.prepare(0.0);
        self.mind.sample(seen, random)
    }

    /// A world that fits what the seat knows, in which it is to act, and its legal actions; none where the
    /// position is not understood.
    fn understood(
        &mut self,
        seen: &S::Observation,
        legal: &[S::Message],
        random: &mut Random,
    ) -> Option<(S, Vec<S::Action>)> {
        let world = self.mind.sample(seen, random)?;
        world.to_act()?;
        let actions = world.legal(self.seat);
        // others: rules of a later protocol
        actions.iter().map(S::message).eq(legal.iter().cloned()).then_some((world, actions))
    }

    /// The index of the action to play, and what it took; none where the position is not understood.
    ///
    /// Args: `time` says how long to search, given a position such as this one.
    pub fn choose(
        &mut self,
        seen: &S::Observation,
        legal: &[S::Message],
        parameters: &Parameters,
        random: &mut Random,
        time: impl FnOnce(&S) -> Effort,
    ) -> Option<Found> {
        let (world, actions) = self.understood(seen, legal, random)?;
        let mut tried = world.ranked(self.seat, world.own());
        tried.truncate(parameters.candidates);
        let found = if tried.len() > 1 {
            let effort = time(&world);
            self.mind.prepare(effort.seconds());
            search(&tried, self.seat, parameters, effort, random, |random| self.mind.again(&world, seen, random))
        } else {
            Found { place: 0, rollouts: 0 }
        };
        let place = actions.iter().position(|action| *action == tried[found.place])?;
        Some(Found { place, ..found })
    }

    /// The scores of some legal actions, world by world; none where the position is not understood.
    fn scores(
        &mut self,
        seen: &S::Observation,
        legal: &[S::Message],
        wanted: &TryActionsRequest,
        random: &mut Random,
    ) -> Option<Vec<f32>> {
        let (world, actions) = self.understood(seen, legal, random)?;
        let tried: Vec<_> = wanted.actions.iter().map(|&place| actions.get(place as usize)).collect::<Option<_>>()?;
        let no_points = Parameters { by_point: 0.0, ..S::parameters(self.seats) };
        let mut scores = Vec::with_capacity(tried.len() * wanted.worlds as usize);
        for _ in 0..wanted.worlds {
            let value = valuer(self.mind.again(&world, seen, random)?, self.seat, &no_points, random);
            scores.extend(tried.iter().map(|action| value(action) as f32));
        }
        Some(scores)
    }
}

/// A seat of any game.
#[derive(Clone)]
enum Playing {
    Nyuri(Seat<nyuri::State>),
    FortyOne(Seat<forty_one::State>),
    NurMut(Box<Seat<nur_mut::State>>), // it remembers much
    Kleftis(Seat<kleftis::State>),
    Hyrule(Seat<hyrule::State>),
}

/// A seat at a table of the referee.
pub struct Player {
    playing: Option<Playing>,
    clock: Clock,
    random: Random,
}

impl Player {
    /// Args: `think` is the most time for a decision, in seconds.
    pub fn new(start: &TableStart, think: f64) -> Self {
        Self {
            playing: playing(start),
            clock: Clock::new(start.time_control.as_ref(), think),
            random: Random::new(seed_of(start)),
        }
    }

    /// The index of the legal action to play.
    ///
    /// Args: `arrived` is when the turn came.
    pub fn choose(&mut self, turn: &Turn, arrived: Instant) -> usize {
        let (clock, random) = (&mut self.clock, &mut self.random);
        let chosen = match &mut self.playing {
            Some(Playing::Nyuri(seat)) => decide(seat, turn, arrived, clock, random),
            Some(Playing::FortyOne(seat)) => decide(seat, turn, arrived, clock, random),
            Some(Playing::NurMut(seat)) => decide(seat, turn, arrived, clock, random),
            Some(Playing::Kleftis(seat)) => decide(seat, turn, arrived, clock, random),
            Some(Playing::Hyrule(seat)) => decide(seat, turn, arrived, clock, random),
            None => None,
        };
        self.clock.spent(arrived.elapsed().as_secs_f64());
        chosen.unwrap_or_else(|| simple::choose(turn))
    }
}

/// Tries actions of turns. It remembers the seat of the last request, for the next one is often about the same table.
#[derive(Default)]
pub struct Analyst(Mutex<Option<Heard>>);

/// A seat that was told all events up to a turn.
struct Heard {
    /// Its table, without the seed.
    table: TableStart,
    turn: Turn,
    playing: Playing,
}

impl Analyst {
    /// The scores of actions of a turn, world by world; none where the position is not understood.
    pub fn try_actions(&self, wanted: &TryActionsRequest) -> Option<Vec<f32>> {
        let (start, turn) = (wanted.start.as_ref()?, wanted.turn.as_ref()?);
        let table = TableStart { seed: vec![], ..start.clone() };
        let last = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = last().take().filter(|heard| heard.table == table);
        let playing = match heard.and_then(|heard| heard.playing.heard_more(Some(&heard.turn), turn)) {
            Some(playing) => playing,
            None => playing(start)?.heard_more(None, turn)?,
        };
        *last() = Some(Heard { table, turn: turn.clone(), playing: playing.clone() });
        let mut random = Random::new(seed_of(start));
        match playing {
            Playing::Nyuri(mut seat) => scores(&mut seat, turn, wanted, &mut random),
            Playing::FortyOne(mut seat) => scores(&mut seat, turn, wanted, &mut random),
            Playing::NurMut(mut seat) => scores(seat.as_mut(), turn, wanted, &mut random),
            Playing::Kleftis(mut seat) => scores(&mut seat, turn, wanted, &mut random),
            Playing::Hyrule(mut seat) => scores(&mut seat, turn, wanted, &mut random),
        }
    }
}

impl Playing {
    /// The same seat after all events up to a turn, where it has heard those up to an earlier one; none where the
    /// turn does not follow from that one.
    fn heard_more(mut self, before: Option<&Turn>, turn: &Turn) -> Option<Self> {
        fn more<S: Game + Wire>(seat: &mut Seat<S>, before: Option<&Turn>, turn: &Turn) -> Option<()>
        where
            S::Event: Ending,
        {
            let known = before.map_or(Some(&[][..]), |before| S::view(before).map(|view| view.events))?;
            hear(seat, S::view(turn)?.events.strip_prefix(known)?);
            seat.mind.prepare(f64::INFINITY);
            Some(())
        }
        match &mut self {
            Playing::Nyuri(seat) => more(seat, before, turn),
            Playing::FortyOne(seat) => more(seat, before, turn),
            Playing::NurMut(seat) => more(seat.as_mut(), before, turn),
            Playing::Kleftis(seat) => more(seat, before, turn),
            Playing::Hyrule(seat) => more(seat, before, turn),
        }?;
        Some(self)
    }
}

/// The number from which all that is chosen by chance follows.
fn seed_of(start: &TableStart) -> u64 {
    start.seed.iter().fold(1, |seed: u64, &byte| seed.wrapping_mul(257).wrapping_add(byte.into()))
}

/// The seat of a table that begins; none where it is of a later protocol.
fn playing(start: &TableStart) -> Option<Playing> {
    fn seat<S: Game + Wire>(start: &TableStart) -> Option<Seat<S>> {
        let (seats, seat, starter) = (start.seats as usize, start.seat as usize, start.starter as usize);
        let options = S::options(start)?;
        ((2..=arena_engine::games::MOST_SEATS).contains(&seats) && seat < seats && starter < seats)
            .then(|| Seat::new(&options, seats, seat, starter))
    }
    use crate::arena::table_start::Game as Of;
    match start.game.as_ref()? {
        Of::Nyuri(_) => seat(start).map(Playing::Nyuri),
        Of::FortyOne(_) => seat(start).map(Playing::FortyOne),
        Of::NurMut(_) => seat(start).map(|seat| Playing::NurMut(Box::new(seat))),
        Of::Kleftis(_) => seat(start).map(Playing::Kleftis),
        Of::Hyrule(_) => seat(start).map(Playing::Hyrule),
    }
}

/// Notes what the seat is told.
fn hear<S: Game>(seat: &mut Seat<S>, events: &[S::Event])
where
    S::Event: Ending,
{
    for event in events {
        match event.next_starter() {
            Some(starter) => seat.next_deal(starter.unwrap_or(0) as usize % seat.seats),
            None => seat.told(event),
        }
    }
}

fn scores<S: Game + Wire>(
    seat: &mut Seat<S>,
    turn: &Turn,
    wanted: &TryActionsRequest,
    random: &mut Random,
) -> Option<Vec<f32>> {
    let View { observation, legal, .. } = S::view(turn)?;
    seat.scores(observation, legal, wanted, random)
}

fn decide<S: Game + Wire>(
    seat: &mut Seat<S>,
    turn: &Turn,
    arrived: Instant,
    clock: &mut Clock,
    random: &mut Random,
) -> Option<usize>
where
    S::Event: Ending,
{
    let View { events, observation, legal } = S::view(turn)?;
    hear(seat, events);
    let parameters = S::parameters(seat.seats);
    let own = seat.seat;
    seat.choose(observation, legal, &parameters, random, |world| {
        let time = clock.allot(turn.time_left.as_ref(), world.decisions_left(own));
        let deadline = Some(arrived + Duration::from_secs_f64(time));
        Effort { deadline, rollouts: if time > 0.0 { parameters.rollouts } else { 0 } }
    })
    .map(|found| found.place)
}
