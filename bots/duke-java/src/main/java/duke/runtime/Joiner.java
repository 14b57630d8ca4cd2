package duke.runtime;

import arena.v1.DescribeRequest;
import arena.v1.DescribeResponse;
import arena.v1.JoinHello;
import arena.v1.JoinRequest;
import arena.v1.JoinResponse;
import arena.v1.JoinWelcome;
import arena.v1.LobbyGrpc;
import arena.v1.PlayResponse;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Plays a tournament by dialling the lobby of its referee. */
final class Joiner {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

  private static final Pattern ADDRESS =
      Pattern.compile("([^/]+:[0-9]+)(?:/(tls|sha256:[0-9A-Fa-f]{64}))?");

  private Joiner() {}

  /** Joins, plays and dials again where the connection is lost; returns the exit code. */
  static int join(String lobby, String firstToken, boolean instant) throws InterruptedException {
    Matcher parts = ADDRESS.matcher(lobby);
    if (!parts.matches()) {
      System.err.println(
          lobby + " is no address: write --join HOST:PORT, HOST:PORT/sha256:FINGERPRINT or HOST:PORT/tls");
      return 2;
    }
    String address = parts.group(1);
    String trust = parts.group(2); // null without TLS
    String token = firstToken;
    long lost = System.nanoTime();
    boolean told = false; // that nobody answers
    while (true) {
      NettyChannelBuilder builder = NettyChannelBuilder.forTarget(address);
      if (trust == null) {
        builder.usePlaintext();
      } else if (trust.startsWith(Pin.SCHEME)) {
        builder.sslContext(new Pin(trust).context()).overrideAuthority("localhost");
      } else {
        builder.sslContext(Pin.authorities());
      }
      ManagedChannel channel =
          builder
              .proxyDetector(server -> null) // a proxy of the environment is for web pages
              .keepAliveTime(5, TimeUnit.SECONDS) // grpc-java makes at least 10 of it
              .keepAliveTimeout(5, TimeUnit.SECONDS)
              .keepAliveWithoutCalls(true)
              .maxInboundMessageSize(Main.MAX_MESSAGE)
              .build();
      Visit visit = new Visit(instant);
      LobbyGrpc.newStub(channel).join(visit);
      visit.sayHello(token);
      Status status = visit.end.join();
      channel.shutdownNow();
      token = visit.returnToken.isEmpty() ? token : visit.returnToken;
      if (status.isOk()) {
        return 0;
      }
      String distrust = trust != null ? Pin.problem(status.getCause()) : null;
      if (distrust != null) {
        System.err.println("the lobby at " + address + " " + distrust);
        return 1;
      }
      boolean again =
          switch (status.getCode()) {
            case UNAVAILABLE -> true;
            case CANCELLED, RESOURCE_EXHAUSTED -> !visit.welcomed; // the lobby is crowded
            default -> false;
          };
      if (!again) {
        String text = status.getDescription();
        System.err.println(text != null ? text : "the lobby said " + status.getCode());
        return 1;
      }
      if (visit.welcomed) {
        lost = System.nanoTime();
        System.err.println("the connection was lost; dialling again");
        told = false;
      } else if (System.nanoTime() - lost > PATIENCE) {
        System.err.println("no referee could be reached at " + address + " for a minute");
        return 1;
      } else if (!told) {
        System.err.println("no connection to a referee at " + address + "; dialling again for 60 s");
        told = true;
      }
      Thread.sleep(1000);
    }
  }

  /** One connection to the lobby. */
  private static final class Visit implements ClientResponseObserver<JoinRequest, JoinResponse> {
    final CompletableFuture<Status> end = new CompletableFuture<>();
    volatile boolean welcomed;
    volatile String returnToken = "";
    private final Tables tables;
    private ClientCallStreamObserver<JoinRequest> out;

    Visit(boolean instant) {
      tables = new Tables(instant);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<JoinRequest> out) {
      this.out = out;
    }

    void sayHello(String token) {
      DescribeResponse description = Introduction.answer(DescribeRequest.getDefaultInstance());
      JoinHello hello = JoinHello.newBuilder().setToken(token).setDescription(description).build();
      out.onNext(JoinRequest.newBuilder().setHello(hello).build());
    }

    @Override
    public void onNext(JoinResponse message) {
      if (message.hasWelcome()) {
        JoinWelcome welcome = message.getWelcome();
        welcomed = true;
        returnToken = welcome.getReturnToken();
        System.err.printf("playing as %s in %s%n", welcome.getEntrant(), welcome.getTournament());
      } else if (message.hasDescribe()) {
        DescribeResponse description = Introduction.answer(message.getDescribe());
        out.onNext(JoinRequest.newBuilder().setDescription(description).build());
      } else if (message.hasPlay()) {
        PlayResponse response = tables.answer(message.getPlay());
        if (response.getDecisionsCount() > 0) {
          out.onNext(JoinRequest.newBuilder().setPlay(response).build());
        }
      }
    }

    @Override
    public void onError(Throwable problem) {
      end.complete(Status.fromThrowable(problem));
    }

    @Override
    public void onCompleted() {
      end.complete(Status.OK);
    }
  }
}
