package duke.runtime;

import arena.v1.BotGrpc;
import arena.v1.DescribeRequest;
import arena.v1.DescribeResponse;
import arena.v1.Game;
import arena.v1.PlayRequest;
import arena.v1.PlayResponse;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Starts the bot: it serves where the referee dials, or dials the lobby of a referee itself. */
public final class Main {
  static final int MAX_MESSAGE = 64 << 20;
  static final DescribeResponse DESCRIPTION =
      DescribeResponse.newBuilder()
          .setProtocolVersion(1)
          .setName("duke")
          .setVersion("1.0")
          .setAuthor("the arena")
          .setLanguage("java")
          .addAllGames(
              List.of(
                  Game.GAME_NYURI,
                  Game.GAME_FORTY_ONE,
                  Game.GAME_NUR_MUT,
                  Game.GAME_KLEFTIS,
                  Game.GAME_HYRULE))
          .setMaxTables(0) // as many as the referee likes
          .build();

  private static final String UNIX = "unix:";
  private static final String USAGE =
      """
      usage: java -jar target/duke.jar [FLAGS]

        --listen ADDRESS   serve on unix:/path or host:port ($ARENA_LISTEN; default 127.0.0.1:50051)
        --join HOST:PORT   dial the lobby of a referee ($ARENA_JOIN); with TLS
                           HOST:PORT/sha256:FINGERPRINT, or HOST:PORT/tls to believe the system
        --token TOKEN      the token for the lobby ($ARENA_TOKEN)
        --instant          always choose action 0 at once, for benchmarks ($ARENA_INSTANT=1)
      """;

  /** What the process ends with, whoever ends it: SIGTERM and Ctrl-C find a 0 here. */
  private static volatile int exitCode = 0;

  /** The Unix socket that this process listens on, to be removed at its end; null if none. */
  private static volatile Path socket = null;

  private Main() {}

  /** Runs until the games are over or a signal comes. */
  public static void main(String[] args) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  if (socket != null) {
                    socket.toFile().delete();
                  }
                  Runtime.getRuntime().halt(exitCode);
                },
                "exit"));
    int code;
    try {
      code = run(args);
    } catch (IllegalArgumentException | IOException | InterruptedException problem) {
      System.err.println(DESCRIPTION.getName() + ": " + problem.getMessage());
      code = 1;
    }
    exitCode = code;
    System.exit(code);
  }

  private static int run(String[] args) throws IOException, InterruptedException {
    String listen = System.getenv().getOrDefault("ARENA_LISTEN", "");
    String join = listen.isEmpty() ? System.getenv().getOrDefault("ARENA_JOIN", "") : "";
    String token = System.getenv().getOrDefault("ARENA_TOKEN", "");
    boolean instant = "1".equals(System.getenv("ARENA_INSTANT"));
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--instant" -> instant = true;
        case "--listen" -> {
          listen = value(args, ++i);
          join = "";
        }
        case "--join" -> join = value(args, ++i);
        case "--token" -> token = value(args, ++i);
        case "--help" -> {
          System.out.print(USAGE);
          return 0;
        }
        default -> {
          System.err.print(USAGE);
          return 2;
        }
      }
    }
    if (listen.isEmpty()) {
      listen = "127.0.0.1:50051";
    }
    return join.isEmpty() ? serve(listen, instant) : Joiner.join(join, token, instant);
  }

  private static String value(String[] args, int index) {
    if (index == args.length) {
      throw new IllegalArgumentException(args[index - 1] + " needs a value; see --help");
    }
    return args[index];
  }

  private static int serve(String address, boolean instant)
      throws IOException, InterruptedException {
    NettyServerBuilder builder;
    if (address.startsWith(UNIX)) {
      Path path = Path.of(address.substring(UNIX.length()));
      Files.deleteIfExists(path); // left behind by a bot that was killed
      builder =
          NettyServerBuilder.forAddress(UnixDomainSocketAddress.of(path))
              .channelType(NioServerDomainSocketChannel.class)
              .withChildOption(ChannelOption.SO_KEEPALIVE, null) // means nothing here, and warns
              .bossEventLoopGroup(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()))
              .workerEventLoopGroup(new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory()));
    } else {
      builder = NettyServerBuilder.forAddress(socketAddress(address));
    }
    Server server =
        builder
            .addService(new BotService(instant))
            .maxInboundMessageSize(MAX_MESSAGE)
            .permitKeepAliveTime(1, TimeUnit.SECONDS)
            .permitKeepAliveWithoutCalls(true)
            .build();
    try {
      server.start();
    } catch (IOException problem) {
      throw new IOException(
          "cannot listen on " + address + ": give another address with --listen ADDRESS", problem);
    }
    if (address.startsWith(UNIX)) {
      socket = Path.of(address.substring(UNIX.length()));
    } else {
      System.err.println(DESCRIPTION.getName() + " listens on " + address + "; end it with Ctrl-C");
    }
    server.awaitTermination();
    return 0;
  }

  private static InetSocketAddress socketAddress(String address) {
    int colon = address.lastIndexOf(':');
    try {
      String host = address.substring(0, colon).replaceAll("[\\[\\]]", ""); // [::1]:50051
      int port = Integer.parseInt(address.substring(colon + 1));
      return host.isEmpty() ? new InetSocketAddress(port) : new InetSocketAddress(host, port);
    } catch (IndexOutOfBoundsException | IllegalArgumentException problem) {
      throw new IllegalArgumentException(
          "the address " + address + " must be unix:/path or host:port", problem);
    }
  }

  /** The protocol's service Bot. */
  private static final class BotService extends BotGrpc.BotImplBase {
    private final boolean instant;

    BotService(boolean instant) {
      this.instant = instant;
    }

    @Override
    public void describe(DescribeRequest request, StreamObserver<DescribeResponse> out) {
      out.onNext(Introduction.answer(request));
      out.onCompleted();
    }

    @Override
    public StreamObserver<PlayRequest> play(StreamObserver<PlayResponse> out) {
      Tables tables = new Tables(instant);
      ((ServerCallStreamObserver<PlayResponse>) out).setOnCancelHandler(() -> {}); // do not throw
      return new StreamObserver<>() {
        @Override
        public void onNext(PlayRequest request) {
          PlayResponse response = tables.answer(request);
          if (response.getDecisionsCount() > 0) {
            out.onNext(response);
          }
        }

        @Override
        public void onError(Throwable problem) {
          // The referee is gone, and its tables with it.
        }

        @Override
        public void onCompleted() {
          out.onCompleted();
        }
      };
    }
  }
}
