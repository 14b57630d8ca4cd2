/** Starts the bot: `node dist/src/main.js --help` says how. Nothing here knows any game. */

import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, createSecureContext, type PeerCertificate } from "node:tls";
import { parseArgs } from "node:util";
import {
  type ChannelCredentials,
  credentials,
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  status,
} from "@grpc/grpc-js";
import {
  type BotServer,
  BotService,
  DescribeRequest,
  DescribeResponse,
  Game,
  type PlayRequest,
} from "../gen/arena/v1/bot.js";
import { type JoinResponse, LobbyClient } from "../gen/arena/v1/lobby.js";
import { ABOUT } from "./strategy.js";
import { Tables } from "./tables.js";

const DEFAULT_ADDRESS = "127.0.0.1:50051";
const ADDRESS = /^([^/]+:[0-9]+)(?:\/(tls|sha256:[0-9a-f]{64}))?$/;
const LARGEST_MESSAGE = 64 << 20;
const DIAL_AGAIN = 1_000;
const GIVE_UP = 60_000;

/** What a lobby says, before its welcome, that has too many callers at the moment. */
const CROWDED = [status.CANCELLED, status.RESOURCE_EXHAUSTED];

const HELP = `Plays card games for the arena.

  --listen ADDRESS   serve on HOST:PORT or unix:PATH (or $ARENA_LISTEN; default ${DEFAULT_ADDRESS})
  --join HOST:PORT   dial the lobby of a referee instead (or $ARENA_JOIN); with TLS
                     HOST:PORT/sha256:FINGERPRINT, or HOST:PORT/tls to believe the system
  --token TOKEN      the token for the lobby (or $ARENA_TOKEN)
  --instant          answer action 0 at once, for benchmarks (or ARENA_INSTANT=1)
`;

/** The bot's own bytes for the deals: pledged by their hash, and given once, when all have pledged. */
let secret = randomBytes(16);

/** Says what the bot is, by whichever way it is asked. */
function describe({ commitment, pledges }: DescribeRequest): DescribeResponse {
  const mine = secret;
  const give = pledges.length > 0;
  if (give) {
    secret = randomBytes(16); // what was given is a secret no more
    const [bytes, deals, all] = [mine, commitment, pledges].map((data) => Buffer.from(data).toString("hex"));
    console.error(`put into the deals: bytes ${bytes}, commitment ${deals}, pledges ${all}`);
  }
  return DescribeResponse.fromPartial({
    protocolVersion: 1,
    ...ABOUT,
    language: "typescript",
    games: [Game.NYURI, Game.FORTY_ONE, Game.NUR_MUT, Game.KLEFTIS, Game.HYRULE],
    pledge: createHash("sha256").update(mine).digest(),
    contribution: give ? mine : undefined,
  });
}

/** Serves the bot on an address; the referee dials. */
function serve(address: string, instant: boolean): void {
  const bot: BotServer = {
    describe: (call, reply) => reply(null, describe(call.request)),
    play: (stream) => {
      const tables = new Tables(instant);
      stream.on("data", (request: PlayRequest) => {
        const response = tables.answer(request);
        if (response !== undefined && !stream.write(response)) {
          stream.pause(); // until the referee has read what was written
          stream.once("drain", () => stream.resume());
        }
      });
      stream.on("end", () => stream.end());
      stream.on("error", () => {}); // the referee is gone, and its tables with it
    },
  };
  const server = new Server({ "grpc.max_receive_message_length": LARGEST_MESSAGE });
  server.addService(BotService, bot);
  server.bindAsync(address, ServerCredentials.createInsecure(), (error) => {
    if (error !== null) {
      fail(`${ABOUT.name} cannot listen on ${address}: give another address with --listen`);
    }
    if (!address.startsWith("unix:")) {
      console.error(`${ABOUT.name} listens on ${address}; end it with Ctrl-C`);
    }
  });
  onSignal(() => server.forceShutdown());
}

/** Who is believed at an address, and under which name. */
interface Trust {
  credentials: ChannelCredentials;
  name?: string;
}

/** A certificate that is shown somewhere, and why it cannot be trusted by who signed it, if it cannot. */
interface Shown {
  certificate: PeerCertificate;
  problem: Error | null;
}

/** Fetches the certificate that is shown at HOST:PORT, whosever it is. */
function certificateAt(address: string, authorities: Buffer | undefined): Promise<Shown> {
  const colon = address.lastIndexOf(":");
  const host = address.slice(0, colon).replace(/^\[|\]$/g, "");
  const port = Number(address.slice(colon + 1));
  return new Promise((found, failed) => {
    const options = { host, port, ca: authorities, rejectUnauthorized: false, ALPNProtocols: ["h2"] };
    const line = connect(options, () => {
      found({ certificate: line.getPeerCertificate(), problem: line.authorizationError });
      line.destroy();
    });
    line.on("error", failed);
  });
}

/** Whom to believe, having seen what is shown at an address. */
function judge(address: string, trust: string, authorities: Buffer | undefined, shown: Shown): Trust {
  const { certificate, problem } = shown;
  if (trust === "tls") {
    if (problem !== null) {
      fail(
        `the lobby at ${address} shows a certificate that cannot be trusted (${problem}): ` +
          "dial it by the address that ends in its fingerprint",
      );
    }
    return { credentials: credentials.createSsl(authorities) };
  }
  const found = `sha256:${createHash("sha256").update(certificate.raw).digest("hex")}`;
  if (found !== trust) {
    fail(`the lobby at ${address} shows another certificate (${found}) than the address says: ask the host`);
  } else if (Date.parse(certificate.valid_to) < Date.now()) {
    fail(`the lobby at ${address} shows a certificate that has expired: ask the host for a new address`);
  }
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.raw.toString("base64")}\n-----END CERTIFICATE-----\n`;
  // It is the only one to be believed, whoever signed it, so nobody without its key comes through; its
  // name says nothing more.
  const only = createSecureContext({ ca: pem, allowPartialTrustChain: true });
  const checked = { checkServerIdentity: () => undefined };
  return { credentials: credentials.createFromSecureContext(only, checked), name: "localhost" };
}

/** Looks who is there, for an address that asks for TLS. */
async function trustOf(address: string, trust: string | undefined): Promise<Trust> {
  if (trust === undefined) {
    return { credentials: credentials.createInsecure() };
  }
  const { SSL_CERT_FILE } = process.env; // authorities, in place of those that Node knows
  const authorities = SSL_CERT_FILE === undefined ? undefined : readFileSync(SSL_CERT_FILE);
  const giveUpAt = Date.now() + GIVE_UP;
  for (let told = false; ; told = true) {
    try {
      const shown = await certificateAt(address, authorities);
      return judge(address, trust, authorities, shown);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EPROTO" || code?.startsWith("ERR_SSL")) {
        fail(`the lobby at ${address} does not speak TLS: ask the host for the present address`);
      } else if (Date.now() >= giveUpAt) {
        fail(`${ABOUT.name} could not reach a lobby at ${address} for ${GIVE_UP / 1000} seconds`);
      } else if (!told) {
        console.error(dialling(address));
      }
      await new Promise((later) => setTimeout(later, DIAL_AGAIN));
    }
  }
}

function dialling(address: string): string {
  return `no connection to a referee at ${address}; dialling again for ${GIVE_UP / 1000} s`;
}

/** Dials a lobby and plays its tournament; dials again whenever the connection breaks. */
async function join(lobby: string, firstToken: string, instant: boolean): Promise<void> {
  const [, address = "", trust] = ADDRESS.exec(lobby.toLowerCase()) ?? [];
  if (address === "") {
    fail(`${lobby} is no address: write --join HOST:PORT, HOST:PORT/sha256:FINGERPRINT or HOST:PORT/tls`, 2);
  }
  onSignal(() => {}); // until there is something to close
  const { credentials: believed, name } = await trustOf(address, trust);
  let token = firstToken;
  const client = new LobbyClient(address, believed, {
    ...(name === undefined ? {} : { "grpc.ssl_target_name_override": name, "grpc.default_authority": name }),
    "grpc.max_receive_message_length": LARGEST_MESSAGE,
    "grpc.keepalive_time_ms": 5_000,
    "grpc.keepalive_timeout_ms": 5_000,
    "grpc.keepalive_permit_without_calls": 1,
    "grpc.initial_reconnect_backoff_ms": DIAL_AGAIN,
    "grpc.max_reconnect_backoff_ms": DIAL_AGAIN,
    "grpc.enable_retries": 0,
    "grpc.enable_http_proxy": 0, // a proxy of the environment is for web pages
  });
  let giveUpAt = Date.now() + GIVE_UP;
  let told = false;

  function tell(): void {
    if (!told) {
      told = true;
      console.error(dialling(address));
    }
  }

  function dial(): void {
    const soon = told ? giveUpAt : Math.min(giveUpAt, Date.now() + 2 * DIAL_AGAIN);
    client.waitForReady(soon, (error) => {
      if (Date.now() >= giveUpAt) {
        fail(`${ABOUT.name} could not reach a lobby at ${address} for ${GIVE_UP / 1000} seconds`);
      } else if (error !== undefined) {
        tell();
        dial();
      } else {
        play();
      }
    });
  }

  function play(): void {
    let welcomed = false;
    const tables = new Tables(instant);
    const stream = client.join();
    stream.on("data", ({ kind }: JoinResponse) => {
      if (kind?.$case === "welcome") {
        welcomed = true;
        token = kind.value.returnToken || token; // what opens the seat from now on
        console.error(`playing as ${kind.value.entrant} in ${kind.value.tournament}`);
      } else if (kind?.$case === "describe") {
        stream.write({ kind: { $case: "description", value: describe(kind.value) } });
      } else if (kind?.$case === "play") {
        const response = tables.answer(kind.value);
        if (response !== undefined) {
          stream.write({ kind: { $case: "play", value: response } });
        }
      }
    });
    stream.on("error", () => {}); // its status tells the same
    stream.on("status", ({ code, details }) => {
      if (code === status.OK) {
        process.exit(0); // the tournament is over
      } else if (code !== status.UNAVAILABLE && (welcomed || !CROWDED.includes(code))) {
        fail(details || status[code]);
      }
      if (welcomed) {
        giveUpAt = Date.now() + GIVE_UP;
        told = false;
      }
      tell();
      setTimeout(dial, DIAL_AGAIN);
    });
    const description = describe(DescribeRequest.create());
    stream.write({ kind: { $case: "hello", value: { token, description } } });
  }

  onSignal(() => client.close());
  dial();
}

/** Ends the bot with code 0 on SIGTERM and Ctrl-C. */
function onSignal(close: () => void): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      close();
      setImmediate(() => process.exit(0));
    });
  }
}

function fail(sentence: string, code = 1): never {
  console.error(sentence);
  process.exit(code);
}

function readArguments() {
  try {
    const flag = { type: "boolean", default: false } as const;
    const text = { type: "string" } as const;
    return parseArgs({ options: { listen: text, join: text, token: text, instant: flag, help: flag } })
      .values;
  } catch (error) {
    return fail(`${(error as Error).message}; --help lists the options`, 2);
  }
}

function main(): void {
  setLogVerbosity(logVerbosity.NONE); // what goes wrong is said here, in a sentence
  const given = readArguments();
  const { ARENA_LISTEN, ARENA_JOIN, ARENA_TOKEN, ARENA_INSTANT } = process.env;
  const instant = given.instant || ARENA_INSTANT === "1";
  const listen = given.listen ?? (given.join === undefined ? ARENA_LISTEN : undefined);
  const lobby = given.join ?? (listen === undefined ? ARENA_JOIN : undefined);
  const token = given.token ?? ARENA_TOKEN;
  if (given.help) {
    console.log(HELP);
  } else if (lobby === undefined) {
    serve(listen ?? DEFAULT_ADDRESS, instant);
  } else if (token === undefined) {
    fail("to join a lobby, give the token that the host gave you with --token TOKEN", 2);
  } else {
    void join(lobby, token, instant);
  }
}

main();
