package duke;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.TableStart;
import arena.v1.Turn;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.util.JsonFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads the turns in proto/vectors with their texts, and plays each. */
class VectorsTest {
  static Stream<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("proto", "vectors"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void everyTurnReadsAndPlays(Path file) throws IOException {
    for (JsonElement vector : JsonParser.parseString(Files.readString(file)).getAsJsonArray()) {
      Turn turn = turn(vector.getAsJsonObject());
      List<String> expected = new ArrayList<>();
      vector
          .getAsJsonObject()
          .getAsJsonArray("actions")
          .forEach(a -> expected.add(a.getAsString()));
      assertEquals(expected, Text.actions(turn));
      int action = new Strategy(TableStart.getDefaultInstance()).choose(turn);
      assertTrue(action >= 0 && action < expected.size(), "action " + action);
    }
  }

  @ParameterizedTest
  @MethodSource("files")
  void oneStrategyPlaysAllTurns(Path file) throws IOException {
    Strategy strategy = new Strategy(TableStart.getDefaultInstance());
    for (JsonElement vector : JsonParser.parseString(Files.readString(file)).getAsJsonArray()) {
      strategy.choose(turn(vector.getAsJsonObject()));
    }
  }

  private static Turn turn(JsonObject vector) throws IOException {
    Turn.Builder turn = Turn.newBuilder();
    JsonFormat.parser().merge(vector.get("turn").toString(), turn);
    return turn.build();
  }
}
