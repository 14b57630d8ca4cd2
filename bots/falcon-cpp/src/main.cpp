// The program: serves service Bot to a referee that dials, or joins a referee's lobby.
#include <grpcpp/grpcpp.h>
#include <openssl/sha.h>
#include <pthread.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "arena/v1/bot.grpc.pb.h"
#include "arena/v1/lobby.grpc.pb.h"
#include "lobby.h"
#include "player.h"

namespace {

using namespace arena::v1;
using namespace std::chrono_literals;
using Clock = std::chrono::system_clock;
using google::protobuf::Arena;

// What the bot says of itself; bot.toml says the same.
constexpr char kName[] = "falcon";
constexpr char kVersion[] = "1.0";
constexpr char kAuthor[] = "the arena";

constexpr std::uint32_t kProtocolVersion = 1;
constexpr int kLargestMessage = 64 << 20;
constexpr int kPingMilliseconds = 5000;
constexpr auto kPatience = 60s;  // without a connection

struct Settings {
  std::string listen = "127.0.0.1:50051";
  std::string join;  // empty: serve
  std::string token;
  bot::PlayerOptions player;
};

// The bot's own bytes for the deals: pledged by their hash, and given once, when all have pledged.
constexpr std::size_t kSecretBytes = 16;
std::mutex secret_mutex;
std::string secret;

std::string random_bytes() {
  std::random_device device("/dev/urandom");
  std::string bytes;
  while (bytes.size() < kSecretBytes) bytes.push_back(static_cast<char>(device()));
  return bytes;
}

std::string hexadecimal(const std::string& bytes) {
  std::ostringstream text;
  text << std::hex << std::setfill('0');
  for (unsigned char byte : bytes) text << std::setw(2) << int{byte};
  return text.str();
}

// What the bot says it is, by whichever way it is asked.
DescribeResponse description(const DescribeRequest& request) {
  const std::lock_guard lock(secret_mutex);
  if (secret.empty()) secret = random_bytes();
  DescribeResponse response;
  unsigned char pledge[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(secret.data()), secret.size(), pledge);
  response.set_pledge(pledge, sizeof pledge);
  if (!request.pledges().empty()) {
    response.set_contribution(secret);
    std::cerr << "put into the deals: bytes " + hexadecimal(secret) + ", commitment " +
                     hexadecimal(request.commitment()) + ", pledges " +
                     hexadecimal(request.pledges()) + '\n';
    secret.clear();  // what was given is a secret no more
  }
  response.set_protocol_version(kProtocolVersion);
  response.set_name(kName);
  response.set_version(kVersion);
  response.set_author(kAuthor);
  response.set_language("c++");
  for (Game game : {GAME_NYURI, GAME_FORTY_ONE, GAME_NUR_MUT, GAME_KLEFTIS, GAME_HYRULE}) {
    response.add_games(game);
  }
  response.set_max_tables(0);  // as many as the referee likes
  return response;
}

// Where the messages of one batch are kept; emptied after each.
google::protobuf::ArenaOptions batch_memory() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 1 << 16;
  options.max_block_size = 1 << 20;
  return options;
}

// --- the referee dials ---

class BotService final : public Bot::Service {
 public:
  explicit BotService(bot::PlayerOptions options) : options_(options) {}

  grpc::Status Describe(grpc::ServerContext*, const DescribeRequest* request,
                        DescribeResponse* response) override {
    *response = description(*request);
    return grpc::Status::OK;
  }

  grpc::Status Play(grpc::ServerContext*,
                    grpc::ServerReaderWriter<PlayResponse, PlayRequest>* stream) override {
    bot::Player player(options_);
    Arena memory(batch_memory());
    for (;; memory.Reset()) {
      auto& request = *Arena::CreateMessage<PlayRequest>(&memory);
      if (!stream->Read(&request)) return grpc::Status::OK;  // half-closed: no more games
      auto& response = *Arena::CreateMessage<PlayResponse>(&memory);
      player.answer(request, response);
      if (response.decisions_size() > 0 && !stream->Write(response)) return grpc::Status::OK;
    }
  }

 private:
  bot::PlayerOptions options_;
};

sigset_t stop_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Waits for SIGTERM or SIGINT, which every thread has blocked.
void wait_for_signal() {
  const sigset_t signals = stop_signals();
  int number;
  sigwait(&signals, &number);
}

int serve(const Settings& settings) {
  BotService service(settings.player);
  grpc::ServerBuilder builder;
  builder.AddListeningPort(settings.listen, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  builder.SetMaxReceiveMessageSize(kLargestMessage);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a second bot must not share a port
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) {
    std::cerr << kName << " cannot listen on " << settings.listen
              << ": give another address with --listen HOST:PORT\n";
    return 1;
  }
  if (settings.listen.rfind("unix:", 0) != 0) {
    std::cerr << kName << " listens on " << settings.listen << "; end it with Ctrl-C\n";
  }
  wait_for_signal();
  std::thread watchdog([] {  // a strategy that thinks for ever must not keep it
    std::this_thread::sleep_for(1s);
    std::_Exit(0);
  });
  watchdog.detach();
  server->Shutdown(Clock::now() + 300ms);
  return 0;
}

// --- the bot dials ---

// Plays over one connection until the stream ends, and returns how it did; `welcomed` says whether
// the bot was in; `token` is what opens its seat, and becomes what does from then on.
grpc::Status join_once(arena::v1::Lobby::Stub& lobby, const Settings& settings, std::string& token,
                       bool& welcomed) {
  grpc::ClientContext context;
  const auto stream = lobby.Join(&context);
  JoinRequest hello;
  hello.mutable_hello()->set_token(token);
  *hello.mutable_hello()->mutable_description() = description(DescribeRequest());
  stream->Write(hello);  // where it fails, Finish says why

  bot::Player player(settings.player);
  Arena memory(batch_memory());
  for (;; memory.Reset()) {
    auto& message = *Arena::CreateMessage<JoinResponse>(&memory);
    if (!stream->Read(&message)) return stream->Finish();
    if (message.has_welcome()) {
      welcomed = true;
      if (!message.welcome().return_token().empty()) token = message.welcome().return_token();
      std::cerr << "playing as " << message.welcome().entrant() << " in "
                << message.welcome().tournament() << '\n';
    }
    auto& answer = *Arena::CreateMessage<JoinRequest>(&memory);
    if (message.has_describe()) {
      *answer.mutable_description() = description(message.describe());
      stream->Write(answer);
      continue;
    }
    player.answer(message.play(), *answer.mutable_play());
    if (answer.play().decisions_size() > 0) stream->Write(answer);
  }
}

// Whether to dial again after a status that is not OK.
bool may_try_again(grpc::StatusCode code, bool welcomed) {
  const bool crowded =  // what a lobby says that has too many callers at the moment
      code == grpc::StatusCode::CANCELLED || code == grpc::StatusCode::RESOURCE_EXHAUSTED;
  return code == grpc::StatusCode::UNAVAILABLE || (crowded && !welcomed);
}

int join(const Settings& settings, const bot::Lobby& lobby) {
  std::thread watchdog([] {
    wait_for_signal();
    std::_Exit(0);  // the connection goes with the process
  });
  watchdog.detach();

  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestMessage);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingMilliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingMilliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // a proxy of the environment is for web pages
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 1000);  // the channel dials again
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 1000);      // by itself, every second
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  const auto channel =
      grpc::CreateCustomChannel(lobby.address(), lobby.credentials(), arguments);
  const auto stub = arena::v1::Lobby::NewStub(channel);

  std::string token = settings.token;
  auto connected = Clock::now();  // when it was last
  bool told = false;              // that nobody answers
  while (Clock::now() < connected + kPatience) {
    bool welcomed = false;
    const grpc::Status status = join_once(*stub, settings, token, welcomed);
    if (status.ok()) return 0;
    if (welcomed) {
      connected = Clock::now();
      told = false;
    }
    if (const std::string distrust = lobby.distrust(status); !distrust.empty()) {
      std::cerr << "the lobby at " << lobby.address() << ' ' << distrust << '\n';
      return 1;
    }
    if (!may_try_again(status.error_code(), welcomed)) {
      std::cerr << kName << " cannot play at " << lobby.address() << ": "
                << status.error_message() << '\n';
      return 1;
    }
    if (!told) {
      told = true;
      std::cerr << "no connection to a referee at " << lobby.address() << "; dialling again for "
                << kPatience.count() << " s\n";
    }
    std::this_thread::sleep_for(1s);
  }
  std::cerr << kName << " gave up: no connection to " << lobby.address() << " for "
            << kPatience.count() << " seconds\n";
  return 1;
}

// --- the command line ---

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Reads the environment and the arguments, which come first; false where they are wrong.
bool read_settings(int argc, char** argv, Settings& settings) {
  const std::string listen = environment("ARENA_LISTEN");
  settings.token = environment("ARENA_TOKEN");
  settings.player.instant = environment("ARENA_INSTANT") == "1";
  if (!listen.empty()) {
    settings.listen = listen;
  } else {
    settings.join = environment("ARENA_JOIN");
  }
  for (int index = 1; index < argc; ++index) {
    const std::string_view name = argv[index];
    if (name == "--instant") {
      settings.player.instant = true;
    } else if (name == "--verbose") {
      settings.player.verbose = true;
    } else if (index + 1 == argc) {
      return false;
    } else if (name == "--listen") {
      settings.listen = argv[++index];
      settings.join.clear();
    } else if (name == "--join") {
      settings.join = argv[++index];
    } else if (name == "--token") {
      settings.token = argv[++index];
    } else {
      return false;
    }
  }
  return settings.join.empty() || !settings.token.empty();
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  if (!read_settings(argc, argv, settings)) {
    std::cerr << "usage: " << argv[0] << " [--listen ADDRESS | --join HOST:PORT --token TOKEN]"
              << " [--instant] [--verbose]\n";
    return 2;
  }
  setenv("GRPC_VERBOSITY", "NONE", 0);  // what goes wrong is said in a sentence, not by gRPC's log
  const sigset_t signals = stop_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before any thread: wait_for_signal takes them
  if (settings.join.empty()) return serve(settings);
  const std::optional<bot::Lobby> lobby = bot::Lobby::at(settings.join);
  if (!lobby) {
    std::cerr << settings.join << " is no address: write --join HOST:PORT, "
              << "HOST:PORT/sha256:FINGERPRINT or HOST:PORT/tls\n";
    return 2;
  }
  return join(settings, *lobby);
}
