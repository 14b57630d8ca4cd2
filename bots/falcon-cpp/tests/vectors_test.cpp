// Reads the shared vectors and checks what this bot makes of them: how many legal actions each
// turn has, how each of them reads, and that the strategy answers with one of them.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "strategy.h"
#include "text.h"

namespace {

int failures = 0;

template <class Value, class Expected>
void expect(const std::string& where, const Value& value, const Expected& expected) {
  if (value == expected) return;
  ++failures;
  std::cerr << where << ": " << value << " instead of " << expected << '\n';
}

void check(const std::string& where, const google::protobuf::Struct& vector) {
  std::string json;
  arena::v1::Turn turn;
  const bool written =
      google::protobuf::util::MessageToJsonString(vector.fields().at("turn"), &json).ok();
  const bool read = google::protobuf::util::JsonStringToMessage(json, &turn).ok();
  expect(where + " is a turn", written && read, true);

  const auto& texts = vector.fields().at("actions").list_value();
  expect(where + " number of actions", bot::action_count(turn), texts.values_size());
  for (int index = 0; index < texts.values_size(); ++index) {
    expect(where + " action " + std::to_string(index), bot::action_text(turn, index),
           texts.values(index).string_value());
  }

  bot::Strategy strategy;
  const int chosen = strategy.choose(turn);
  expect(where + " chooses a legal action", chosen >= 0 && chosen < texts.values_size(), true);
}

}  // namespace

int main(int argc, char** argv) {
  int checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(argc > 1 ? argv[1] : ".")) {
    if (entry.path().extension() != ".json") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    google::protobuf::ListValue vectors;
    const auto status = google::protobuf::util::JsonStringToMessage(text.str(), &vectors);
    expect(entry.path().string() + " is a list", status.ok(), true);
    for (int number = 0; number < vectors.values_size(); ++number, ++checked) {
      check(entry.path().filename().string() + " " + std::to_string(number),
            vectors.values(number).struct_value());
    }
  }
  expect("some vectors were found", checked > 0, true);
  std::cout << checked << " turns checked, " << failures << " failures\n";
  return failures == 0 ? 0 : 1;
}
