//! A running game at the referee's table: the rules, and what each seat is told as the protocol has it.

use prost::Message;
use prost::encoding::message;

use crate::arena::{self, DealEnded};
use crate::games::series::{Plan, Serial, Series};
use crate::games::{Log, Outcome, Silent, Told, forty_one, hyrule, kleftis, nur_mut, nyuri};

// The fields of every view.
const EVENTS: u32 = 1;
const OBSERVATION: u32 = 2;
const LEGAL_ACTIONS: u32 = 3;

/// A game as its messages set it up.
pub trait Game: Serial<Event: Message, Observation: Message, Message: Message> {
    /// The options of a table, and how its deals follow one another; none for bytes that are no such message.
    fn terms(options: &[u8]) -> Option<(Self::Options, Plan)>;
}

macro_rules! game {
    ($game:ident, $message:ident, $event:ident, $kinds:ident, $plan:expr) => {
        impl Serial for $game::State {
            fn deal_ended(ended: DealEnded) -> Self::Event {
                arena::$event { kind: Some(arena::$kinds::Kind::DealEnded(ended)) }
            }
        }

        impl Game for $game::State {
            fn terms(options: &[u8]) -> Option<(Self::Options, Plan)> {
                let message = arena::$message::decode(options).ok()?;
                let options = $game::options(&message)?;
                let plan: fn(&arena::$message, &Self::Options) -> Plan = $plan;
                Some((options.clone(), plan(&message, &options)))
            }
        }
    };
}

game!(nyuri, NyuriOptions, NyuriEvent, nyuri_event, |message, _| nyuri::plan(message));
game!(forty_one, FortyOneOptions, FortyOneEvent, forty_one_event, |message, _| forty_one::plan(message));
game!(nur_mut, NurMutOptions, NurMutEvent, nur_mut_event, nur_mut::plan);
game!(kleftis, KleftisOptions, KleftisEvent, kleftis_event, |message, _| kleftis::plan(message));
game!(hyrule, HyruleOptions, HyruleEvent, hyrule_event, |message, _| hyrule::plan(message));

/// How a table is set up.
pub struct Setup<'a> {
    /// The game's id.
    pub game: &'a str,
    /// The encoded message of its options.
    pub options: &'a [u8],
    pub seats: usize,
    pub starter: usize,
    /// The key of the board.
    pub key: &'a [u8],
}

/// What a seat is told at a turn, or when the game is over.
pub struct View {
    /// The encoded SeriesObservation; none for a single deal.
    pub series: Option<Vec<u8>>,
    /// The encoded view of the game.
    pub game: Vec<u8>,
}

/// A running game of any kind.
pub trait Table: Send + Sync {
    /// All seats that are to act, in the order in which their actions are played; none once the game is over.
    fn acting(&self) -> Vec<usize>;
    /// The number of seats.
    fn seats(&self) -> usize;
    /// How many legal actions a seat has.
    fn choices(&mut self, seat: usize) -> usize;
    /// Plays the legal action of a seat with an index.
    fn play(&mut self, seat: usize, index: usize);
    /// What a seat is told now: the events since it was told last, the position, and its legal actions.
    fn view(&mut self, seat: usize) -> View;
    /// Lets the next view of a seat repeat all events.
    fn retell(&mut self, seat: usize);
    /// The outcome, once the game is over.
    fn outcome(&self) -> Option<&Outcome>;
}

/// Calls a function of the game with an id.
macro_rules! by_game {
    ($game:expr, $call:ident($($argument:expr),*)) => {
        match $game {
            "nyuri" => $call::<$crate::games::nyuri::State>($($argument),*),
            "forty-one" => $call::<$crate::games::forty_one::State>($($argument),*),
            "nur-mut" => $call::<$crate::games::nur_mut::State>($($argument),*),
            "kleftis" => $call::<$crate::games::kleftis::State>($($argument),*),
            "hyrule" => $call::<$crate::games::hyrule::State>($($argument),*),
            _ => None,
        }
    };
}

pub(crate) use by_game;

/// The game at a table before its first action; none where no game is set up so.
pub fn open(setup: &Setup) -> Option<Box<dyn Table>> {
    fn open<S: Game + Send + Sync + 'static>(setup: &Setup) -> Option<Box<dyn Table>>
    where
        S::Options: Send + Sync,
        S::Action: Send + Sync,
    {
        let mut log = Encoded::default();
        let series = begin::<S>(setup, &mut log)?;
        let told = vec![0; setup.seats];
        Some(Box::new(Running { series, log, told, legal: None }))
    }
    by_game!(setup.game, open(setup))
}

/// The outcome of recorded actions; none unless each is legal and the game is over after the last.
pub fn replay(setup: &Setup, actions: &[usize]) -> Option<Outcome> {
    fn replay<S: Game>(setup: &Setup, actions: &[usize]) -> Option<Outcome> {
        let mut series = begin::<S>(setup, &mut Silent)?;
        for &index in actions {
            let seat = *series.acting().first()?;
            let action = series.deal.legal(seat).get(index)?.clone();
            series.play(seat, &action, &mut Silent);
        }
        series.outcome().cloned()
    }
    by_game!(setup.game, replay(setup, actions))
}

/// The first position of a game; none where no game is set up so.
pub fn begin<S: Game>(setup: &Setup, log: &mut impl Log<S::Event>) -> Option<Series<S>> {
    let (options, plan) = S::terms(setup.options)?;
    Series::new(options, plan, setup.seats, setup.starter, setup.key, log)
}

/// Events, encoded as elements of a view.
#[derive(Default)]
struct Encoded {
    bytes: Vec<u8>,
    events: Vec<Event>,
}

/// Where an event ends in the bytes, as all are told it, and, behind that, as some seats are.
struct Event {
    begin: usize,
    public: usize,
    private: usize,
    seats: [usize; 2],
}

impl<E: Message> Log<E> for Encoded {
    fn tell(&mut self, event: impl FnOnce() -> Told<E>) {
        let Told { public, private } = event();
        let begin = self.bytes.len();
        message::encode(EVENTS, &public, &mut self.bytes);
        let public = self.bytes.len();
        let mut seats = [usize::MAX; 2];
        if let Some((event, told)) = private {
            message::encode(EVENTS, &event, &mut self.bytes);
            seats = told;
        }
        self.events.push(Event { begin, public, private: self.bytes.len(), seats });
    }
}

impl Encoded {
    /// Writes the events from a number on as a seat is told them.
    fn write(&self, first: usize, seat: usize, buffer: &mut Vec<u8>) {
        for event in &self.events[first..] {
            let told =
                if event.seats.contains(&seat) { event.public..event.private } else { event.begin..event.public };
            buffer.extend_from_slice(&self.bytes[told]);
        }
    }
}

struct Running<S: Game> {
    series: Series<S>,
    log: Encoded,
    /// How many events each seat has been told.
    told: Vec<usize>,
    /// The legal actions that were asked for last, and their seat.
    legal: Option<(usize, Vec<S::Action>)>,
}

impl<S: Game> Running<S> {
    fn legal(&mut self, seat: usize) -> &[S::Action] {
        if self.legal.as_ref().is_none_or(|(found, _)| *found != seat) {
            self.legal = Some((seat, self.series.legal(seat)));
        }
        &self.legal.as_ref().expect("found just now").1
    }
}

impl<S: Game + Send + Sync> Table for Running<S>
where
    S::Options: Send + Sync,
    S::Action: Send + Sync,
{
    fn acting(&self) -> Vec<usize> {
        self.series.acting()
    }

    fn seats(&self) -> usize {
        self.series.seats()
    }

    fn choices(&mut self, seat: usize) -> usize {
        self.legal(seat).len()
    }

    fn play(&mut self, seat: usize, index: usize) {
        let action = self.legal(seat)[index].clone();
        self.legal = None;
        self.series.play(seat, &action, &mut self.log);
    }

    fn view(&mut self, seat: usize) -> View {
        let mut game = Vec::with_capacity(512);
        self.log.write(self.told[seat], seat, &mut game);
        self.told[seat] = self.log.events.len();
        message::encode(OBSERVATION, &self.series.deal.observation(seat), &mut game);
        for action in self.legal(seat) {
            message::encode(LEGAL_ACTIONS, &S::message(action), &mut game);
        }
        View { series: self.series.observation().map(|seen| seen.encode_to_vec()), game }
    }

    fn retell(&mut self, seat: usize) {
        self.told[seat] = 0;
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.series.outcome()
    }
}
