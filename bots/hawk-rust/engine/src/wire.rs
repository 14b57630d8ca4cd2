//! Where the messages of the protocol hold what is said of each game.

use crate::arena::{self, TableStart, Turn, table_start, turn};
use crate::games::{Rules, forty_one, hyrule, kleftis, nur_mut, nyuri};

/// What a turn tells.
pub struct View<'a, S: Rules> {
    pub events: &'a [S::Event],
    pub observation: &'a S::Observation,
    pub legal: &'a [S::Message],
}

/// A game as the protocol has it.
pub trait Wire: Rules {
    /// The options of a table of this game; none where one is of a later protocol.
    fn options(start: &TableStart) -> Option<Self::Options>;
    /// What a turn of this game tells; none where it is of another.
    fn view(turn: &Turn) -> Option<View<'_, Self>>;
}

macro_rules! wire {
    ($state:ty, $variant:ident, $options:path) => {
        impl Wire for $state {
            fn options(start: &TableStart) -> Option<Self::Options> {
                match start.game.as_ref()? {
                    table_start::Game::$variant(message) => $options(message),
                    _ => None,
                }
            }

            fn view(turn: &Turn) -> Option<View<'_, Self>> {
                match turn.game.as_ref()? {
                    turn::Game::$variant(view) => Some(View {
                        events: &view.events,
                        observation: view.observation.as_ref()?,
                        legal: &view.legal_actions,
                    }),
                    _ => None,
                }
            }
        }
    };
}

wire!(nyuri::State, Nyuri, nyuri::options);
wire!(forty_one::State, FortyOne, forty_one::options);
wire!(nur_mut::State, NurMut, nur_mut::options);
wire!(kleftis::State, Kleftis, kleftis::options);
wire!(hyrule::State, Hyrule, hyrule::options);

/// Whether an event says that a deal of a series has ended, so that another begins.
pub trait Ending {
    fn next_starter(&self) -> Option<Option<u32>>;
}

macro_rules! ending {
    ($event:ident, $kinds:ident) => {
        impl Ending for arena::$event {
            fn next_starter(&self) -> Option<Option<u32>> {
                match &self.kind {
                    Some(arena::$kinds::Kind::DealEnded(ended)) => Some(ended.next_starter),
                    _ => None,
                }
            }
        }
    };
}

ending!(NyuriEvent, nyuri_event);
ending!(FortyOneEvent, forty_one_event);
ending!(NurMutEvent, nur_mut_event);
ending!(KleftisEvent, kleftis_event);
ending!(HyruleEvent, hyrule_event);
