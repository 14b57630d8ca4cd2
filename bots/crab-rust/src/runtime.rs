//! Everything between the strategy and the referee: connections, tables and batches.

use std::collections::HashMap;
use std::error::Error;
use std::os::unix::fs::FileTypeExt;
use std::pin::Pin;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::mpsc;
use tokio_stream::wrappers::{ReceiverStream, UnixListenerStream};
use tokio_stream::{Stream, StreamExt};
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Code, Request, Response, Status, Streaming};

use crate::arena::bot_server::{Bot, BotServer};
use crate::arena::lobby_client::LobbyClient;
use crate::arena::{
    Decision, DescribeRequest, DescribeResponse, Game, JoinHello, JoinRequest, PlayRequest, PlayResponse, TableStart,
    Turn, join_request, join_response,
};
use crate::strategy::Player;
use crate::text;
use crate::trust::Lobby;

const MAX_MESSAGE: usize = 64 << 20;
const KEEPALIVE: Duration = Duration::from_secs(5); // between pings, and for their answer
const REDIAL: Duration = Duration::from_secs(1);
const GIVE_UP_AFTER: Duration = Duration::from_secs(60);

/// The index of the action that is worth most, the first of equal ones; none where there is no action.
pub fn best<A>(actions: &[A], worth: impl Fn(&A) -> i32) -> Option<usize> {
    (0..actions.len()).rev().max_by_key(|&index| worth(&actions[index]))
}

/// How the bot plays, whatever it is connected to.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Answer everything with action 0.
    pub instant: bool,
    /// Print every decision.
    pub verbose: bool,
}

/// The bot's own bytes for the deals: pledged by their hash, and given once, when all have pledged.
static SECRET: LazyLock<Mutex<[u8; 16]>> = LazyLock::new(|| Mutex::new(random_bytes()));

fn random_bytes() -> [u8; 16] {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    bytes
}

/// What the bot says it is, by whichever way it is asked; `bot.toml` says the same.
fn description(request: &DescribeRequest) -> DescribeResponse {
    let mut secret = SECRET.lock().unwrap_or_else(PoisonError::into_inner);
    let pledge = Sha256::digest(*secret).to_vec();
    let mut contribution = Vec::new();
    if !request.pledges.is_empty() {
        contribution = secret.to_vec();
        *secret = random_bytes(); // what was given is a secret no more
        let (bytes, commitment, pledges) = (hex(&contribution), hex(&request.commitment), hex(&request.pledges));
        eprintln!("put into the deals: bytes {bytes}, commitment {commitment}, pledges {pledges}");
    }
    let games = [Game::Nyuri, Game::FortyOne, Game::NurMut, Game::Kleftis, Game::Hyrule];
    DescribeResponse {
        protocol_version: 1,
        name: "crab".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        author: "the arena".to_owned(),
        language: "rust".to_owned(),
        games: games.into_iter().map(i32::from).collect(),
        max_tables: 0,
        pledge,
        contribution,
        ..Default::default()
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The tables that are being played on one connection.
struct Tables {
    players: HashMap<u32, (TableStart, Player)>,
    settings: Settings,
}

impl Tables {
    fn new(settings: Settings) -> Self {
        Self { players: HashMap::new(), settings }
    }

    /// Answers a batch; nothing where it asks nothing.
    fn answer(&mut self, batch: &PlayRequest) -> Option<PlayResponse> {
        for start in &batch.starts {
            self.players.insert(start.table, (start.clone(), Player::default()));
        }
        let decisions: Vec<Decision> = batch.turns.iter().map(|turn| self.decide(turn)).collect();
        for end in &batch.ends {
            self.players.remove(&end.table);
        }
        (!decisions.is_empty()).then_some(PlayResponse { decisions })
    }

    fn decide(&mut self, turn: &Turn) -> Decision {
        let (start, player) = self.players.entry(turn.table).or_default();
        let action = if self.settings.instant { 0 } else { player.choose(start, turn).unwrap_or(0) };
        if self.settings.verbose {
            let chosen = text::actions(turn).into_iter().nth(action);
            eprintln!("table {} turn {}: {}", turn.table, turn.turn, chosen.as_deref().unwrap_or("?"));
        }
        let action = u32::try_from(action).unwrap_or(u32::MAX);
        Decision { table: turn.table, turn: turn.turn, action, ..Default::default() }
    }
}

struct Service(Settings);

#[tonic::async_trait]
impl Bot for Service {
    async fn describe(&self, request: Request<DescribeRequest>) -> Result<Response<DescribeResponse>, Status> {
        Ok(Response::new(description(request.get_ref())))
    }

    type PlayStream = Pin<Box<dyn Stream<Item = Result<PlayResponse, Status>> + Send>>;

    async fn play(&self, request: Request<Streaming<PlayRequest>>) -> Result<Response<Self::PlayStream>, Status> {
        let mut tables = Tables::new(self.0);
        let answers = request.into_inner().filter_map(move |batch| match batch {
            Ok(batch) => tables.answer(&batch).map(Ok),
            Err(status) => Some(Err(status)), // the referee is gone
        });
        Ok(Response::new(Box::pin(answers)))
    }
}

/// Serves the bot at an address, `unix:PATH` or `HOST:PORT`; returns only where that fails.
pub async fn serve(address: &str, settings: Settings) -> Result<(), String> {
    let service = BotServer::new(Service(settings)).max_decoding_message_size(MAX_MESSAGE);
    let router = Server::builder().add_service(service);
    let cannot = |error: io::Error| format!("cannot listen on {address} ({error}): give another with --listen ADDRESS");
    let served = if let Some(path) = address.strip_prefix("unix:") {
        if fs::metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
            fs::remove_file(path).map_err(cannot)?; // left behind by a bot that was killed
        }
        let listener = UnixListener::bind(path).map_err(cannot)?;
        router.serve_with_incoming(UnixListenerStream::new(listener)).await
    } else {
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        eprintln!("crab listens on {address}; end it with Ctrl-C");
        router.serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true))).await
    };
    served.map_err(|error| error.to_string())
}

/// Plays a tournament at the lobby of a referee, to its end; dials again when the connection is lost.
pub async fn join(address: &str, token: &str, settings: Settings) -> Result<(), String> {
    let lobby = Lobby::new(address)?;
    let address = &lobby.address;
    let endpoint = Endpoint::from_shared(format!("http://{address}"))
        .map_err(|_| format!("{address} is no address: write --join HOST:PORT"))?
        .connect_timeout(KEEPALIVE)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .keep_alive_while_idle(true);
    let mut token = token.to_owned();
    let (mut lost, mut told) = (Instant::now(), false); // since when there is no connection; whether that was told
    loop {
        let mut welcomed = false;
        let result = visit(lobby.channel(&endpoint), &mut token, settings, &mut welcomed).await;
        if welcomed {
            (lost, told) = (Instant::now(), false);
        }
        if let Some(problem) = lobby.distrust() {
            return Err(format!("the lobby at {address} {problem}"));
        }
        match result {
            Ok(()) => return Ok(()),
            Err(status) if !may_try_again(&status, welcomed) => {
                return Err(format!("the referee says: {}", status.message()));
            }
            Err(_) if lost.elapsed() > GIVE_UP_AFTER => {
                return Err(format!("no referee at {address} for {} s: check the address", GIVE_UP_AFTER.as_secs()));
            }
            Err(_) => {
                if !told {
                    told = true;
                    let seconds = GIVE_UP_AFTER.as_secs();
                    eprintln!("no connection to a referee at {address}; dialling again for {seconds} s");
                }
                tokio::time::sleep(REDIAL).await;
            }
        }
    }
}

/// Whether to dial again: after a broken connection, or where the lobby has too many callers at the moment.
fn may_try_again(status: &Status, welcomed: bool) -> bool {
    match status.code() {
        Code::Unavailable => true,
        Code::Cancelled | Code::ResourceExhausted if !welcomed => true,
        _ => status.source().is_some(), // a status that the referee sent itself has no error for a source
    }
}

/// Plays over one connection; keeps in `welcomed` whether the referee let the bot in.
async fn visit(channel: Channel, token: &mut String, settings: Settings, welcomed: &mut bool) -> Result<(), Status> {
    let (outbox, to_send) = mpsc::channel(16);
    let hello = JoinHello { token: token.clone(), description: Some(description(&DescribeRequest::default())) };
    let send = async |kind| {
        let sent = outbox.send(JoinRequest { kind: Some(kind) }).await;
        sent.map_err(|_| Status::unavailable("the connection is closed"))
    };
    send(join_request::Kind::Hello(hello)).await?;
    let mut client = LobbyClient::new(channel).max_decoding_message_size(MAX_MESSAGE);
    let mut messages = client.join(ReceiverStream::new(to_send)).await?.into_inner();
    let mut tables = Tables::new(settings);
    while let Some(message) = messages.message().await? {
        *welcomed = true;
        match message.kind {
            Some(join_response::Kind::Welcome(welcome)) => {
                if !welcome.return_token.is_empty() {
                    *token = welcome.return_token; // what opens the seat from now on
                }
                eprintln!("playing as {} in {}", welcome.entrant, welcome.tournament);
            }
            Some(join_response::Kind::Describe(request)) => {
                send(join_request::Kind::Description(description(&request))).await?;
            }
            Some(join_response::Kind::Play(batch)) => {
                if let Some(answers) = tables.answer(&batch) {
                    send(join_request::Kind::Play(answers)).await?;
                }
            }
            None => {} // of a later protocol
        }
    }
    Ok(())
}
