//! The bot crab: reads how it is to be started, and starts it.

mod cards;
mod runtime;
mod strategy;
mod text;
mod trust;
#[cfg(test)]
mod vectors;

use std::env;
use std::process::{ExitCode, exit};

use tokio::signal::unix::{SignalKind, signal};

/// The messages and services of the protocol, as `build.rs` made them from `proto/`.
#[allow(clippy::all)]
mod arena {
    tonic::include_proto!("arena.v1");
}

const HELP: &str = "usage: crab [--listen ADDRESS | --join HOST:PORT --token TOKEN] [--instant] [--verbose]

  --listen ADDRESS  wait there for a referee: HOST:PORT or unix:PATH (ARENA_LISTEN; default 127.0.0.1:50051)
  --join HOST:PORT  dial in at the lobby of a referee (ARENA_JOIN); with TLS
                    HOST:PORT/sha256:FINGERPRINT, or HOST:PORT/tls to believe whom the system trusts
  --token TOKEN     the token that the host gave you (ARENA_TOKEN)
  --instant         answer everything with action 0, to measure the connection (ARENA_INSTANT=1)
  --verbose         print every decision";

enum Mode {
    Listen(String),
    Join { address: String, token: String },
}

/// What the command line asks for; where it says nothing, the environment does.
fn arguments() -> Result<(Mode, runtime::Settings), String> {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let (mut listen, mut join, mut token) = (None, None, None);
    let mut settings =
        runtime::Settings { instant: variable("ARENA_INSTANT").is_some_and(|value| value != "0"), verbose: false };
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
            "--instant" => settings.instant = true,
            "--verbose" => settings.verbose = true,
            "--help" | "-h" => {
                println!("{HELP}");
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
    Ok((mode, settings))
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
    let (mode, settings) = match arguments() {
        Ok(arguments) => arguments,
        Err(sentence) => {
            eprintln!("crab: {sentence}");
            return ExitCode::from(2);
        }
    };
    let playing = tokio::spawn(async move {
        match mode {
            Mode::Listen(address) => runtime::serve(&address, settings).await,
            Mode::Join { address, token } => runtime::join(&address, &token, settings).await,
        }
    });
    let result = tokio::select! {
        result = playing => result.unwrap_or_else(|panic| Err(panic.to_string())),
        heard = stopped() => heard.map_err(|error| error.to_string()),
    };
    if let Err(sentence) = &result {
        eprintln!("crab: {sentence}");
    }
    exit(i32::from(result.is_err())) // at once, whatever the strategy is thinking about
}
