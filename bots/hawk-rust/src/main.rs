//! The bot hawk: reads how it is to be started, and starts it.

mod client;
mod lab;
mod parameters;
mod player;
mod prospects;
mod search;
mod simple;
mod time;
mod trust;
mod tune;
#[cfg(test)]
mod vectors;
mod verify;

use std::env;
use std::io::{self, Write};
use std::process::{ExitCode, exit};

use tokio::signal::unix::{SignalKind, signal};

/// The messages and services of the protocol.
mod arena {
    pub use arena_engine::arena::*;

    tonic::include_proto!("arena.v1"); // the services, as `build.rs` made them from `proto/`
}

const HELP: &str = "usage: hawk [--listen ADDRESS | --join HOST:PORT --token TOKEN] [--think SECONDS] [--instant]
       hawk lab GAME [name=value ...]
       hawk tune GAME SEATS
       hawk verify FILE

  --listen ADDRESS  wait there for a referee: HOST:PORT or unix:PATH (ARENA_LISTEN; default 127.0.0.1:50051)
  --join HOST:PORT  dial in at the lobby of a referee (ARENA_JOIN); with TLS
                    HOST:PORT/sha256:FINGERPRINT, or HOST:PORT/tls to believe whom the system trusts
  --token TOKEN     the token that the host gave you (ARENA_TOKEN)
  --think SECONDS   the most time for a decision (ARENA_THINK; default 0.25); what the clock allows is less at times
  --instant         answer everything with action 0, to measure the connection (ARENA_INSTANT=1)
  lab               play within this process, to measure it
  tune              find the numbers of its rules of thumb anew, in minutes: forty-one 2, kleftis 2 to 4, nyuri 2 to 4;
                    nyuri-prospects fits what it estimates the end by, in seconds
  verify            play recorded games again, and compare every step";

const TUNED: &str = "tune needs forty-one, kleftis or nyuri and the number of seats, or nyuri-prospects";

/// The number of seats that a word names, 2 to 4.
fn seats(word: Option<&String>) -> Option<usize> {
    word?.parse().ok().filter(|seats| (2..=4).contains(seats))
}

/// The most time for a decision, in seconds, where nothing else is said.
const THINK: f64 = 0.25;

enum Mode {
    Listen(String),
    Join { address: String, token: String },
}

/// What the command line asks for; where it says nothing, the environment does.
fn arguments() -> Result<(Mode, client::Settings), String> {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let (mut listen, mut join, mut token) = (None, None, None);
    let mut think = variable("ARENA_THINK");
    let mut instant = variable("ARENA_INSTANT").is_some_and(|value| value != "0");
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let (name, joined) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        let value = || joined.or_else(|| words.next()).ok_or(format!("{name} needs a value; see --help"));
        match name {
            "--listen" => listen = Some(value()?),
            "--join" => join = Some(value()?),
            "--token" => token = Some(value()?),
            "--think" => think = Some(value()?),
            "--instant" => instant = true,
            "--help" | "-h" => {
                print(HELP);
                exit(0);
            }
            _ => return Err(format!("unknown argument {word}; see --help")),
        }
    }
    if listen.is_none() && join.is_none() {
        listen = variable("ARENA_LISTEN"); // first, for it is the referee that sets it
        join = if listen.is_none() { variable("ARENA_JOIN") } else { None };
    }
    let mode = match (listen, join) {
        (_, Some(address)) => {
            let token = token.or_else(|| variable("ARENA_TOKEN")).ok_or("joining needs a token: add --token TOKEN")?;
            Mode::Join { address, token }
        }
        (listen, None) => Mode::Listen(listen.unwrap_or_else(|| "127.0.0.1:50051".to_owned())),
    };
    let think = match think {
        None => THINK,
        Some(text) => match text.parse() {
            Ok(seconds) if (0.0..=3600.0).contains(&seconds) => seconds,
            _ => return Err(format!("{text} is no time to think: give seconds, such as 0.5")),
        },
    };
    Ok((mode, client::Settings { instant, think }))
}

/// Prints a text. Whoever was to read it may be gone; another error ends the program with exit code 1.
fn print(text: &str) {
    if let Err(error) = writeln!(io::stdout(), "{text}")
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        eprintln!("hawk: {error}");
        exit(1);
    }
}

/// Returns at the first SIGTERM or SIGINT.
async fn stopped() -> std::io::Result<()> {
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = term.recv() => Ok(()),
        _ = int.recv() => Ok(()),
    }
}

// Two threads: while the strategy thinks in one, the other answers pings and hears SIGTERM.
#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let done = match words.first().map(String::as_str) {
        Some("lab") => Some(lab::run(&words[1..])),
        Some("tune") => Some(match words.get(1).map(String::as_str) {
            Some("nyuri-prospects") => Ok(prospects::fit()),
            Some(game) => seats(words.get(2)).and_then(|seats| tune::run(game, seats)).ok_or(TUNED.to_owned()),
            None => Err(TUNED.to_owned()),
        }),
        Some("verify") => Some(words.get(1).map_or(Err("verify needs a file".to_owned()), |path| verify::verify(path))),
        _ => None,
    };
    match done {
        Some(Ok(said)) => {
            print(&said);
            return ExitCode::SUCCESS;
        }
        Some(Err(sentence)) => {
            eprintln!("hawk: {sentence}");
            return ExitCode::FAILURE;
        }
        None => {}
    }
    let (mode, settings) = match arguments() {
        Ok(arguments) => arguments,
        Err(sentence) => {
            eprintln!("hawk: {sentence}");
            return ExitCode::from(2);
        }
    };
    let playing = tokio::spawn(async move {
        match mode {
            Mode::Listen(address) => client::serve(&address, settings).await,
            Mode::Join { address, token } => client::join(&address, &token, settings).await,
        }
    });
    let result = tokio::select! {
        result = playing => result.unwrap_or_else(|panic| Err(panic.to_string())),
        heard = stopped() => heard.map_err(|error| error.to_string()),
    };
    if let Err(sentence) = &result {
        eprintln!("hawk: {sentence}");
    }
    exit(i32::from(result.is_err())) // at once, whatever the strategy is thinking about
}
