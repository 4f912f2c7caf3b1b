#include "storm/scenario.h"

#include <optional>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "storm/numbers.h"

namespace petrel::storm {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct DurationRange {
  std::string_view field;
  Duration value;
  Duration min;
  Duration max;
};

struct CountRange {
  std::string_view field;
  int value;
  int max;
};

std::optional<Error> first_out_of_range(const Scenario& scenario) {
  const ReceiverSettings& receiver = scenario.receiver;
  for (const CountRange& range : {CountRange{"events", scenario.messages, kMessagesMax},
                                  CountRange{"batch", scenario.batch, scenario.messages},
                                  CountRange{"capacity", receiver.capacity, kCapacityMax},
                                  CountRange{"in-flight", scenario.in_flight_max, kInFlightMax}}) {
    if (range.value >= 1 && range.value <= range.max) continue;
    return invalid(range.field, fmt::format("must be between 1 and {}", with_commas(range.max)));
  }
  for (const DurationRange& range :
       {DurationRange{"duration", scenario.length, seconds(1), kLengthMax},
        DurationRange{"span", scenario.span, seconds(1), kLengthMax},
        DurationRange{"outage", scenario.outage, seconds(1), kLengthMax},
        DurationRange{"outage-at", scenario.outage_at, seconds(0), kLengthMax},
        DurationRange{"timeout", scenario.timeout, seconds(1), seconds(300)},
        DurationRange{"latency", receiver.latency, std::chrono::milliseconds(1), minutes(1)},
        DurationRange{"crash-after", receiver.crash_after, kQueueMax, minutes(10)},
        DurationRange{"crash-for", receiver.crash_for, seconds(1), kLengthMax}}) {
    if (range.value >= range.min && range.value <= range.max) continue;
    return invalid(range.field, fmt::format("must be between {} and {}", to_text(range.min),
                                            to_text(range.max)));
  }
  return std::nullopt;
}

}  // namespace

Status validate(const Scenario& scenario) {
  if (auto error = first_out_of_range(scenario)) return *std::move(error);
  if (scenario.receiver.latency >= scenario.timeout) {
    return invalid("latency",
                   fmt::format("must be less than the timeout of {}", to_text(scenario.timeout)));
  }
  if (scenario.span > scenario.length) {
    return invalid("span", fmt::format("the messages come over {}, but the run ends after {}",
                                       to_text(scenario.span), to_text(scenario.length)));
  }
  if (scenario.recovery() >= scenario.length) {
    return invalid("outage", fmt::format("it ends {} after the start, and the run after {}",
                                         to_words(scenario.recovery()), to_text(scenario.length)));
  }
  return Done{};
}

std::string describe(const Scenario& scenario) {
  const ReceiverSettings& receiver = scenario.receiver;
  const std::string batch = scenario.batch == 1
                                ? "one by one"
                                : fmt::format("in batches of {}", with_commas(scenario.batch));
  const std::string from = scenario.outage_at == Duration::zero()
                               ? std::string("from the start")
                               : "after " + to_words(scenario.outage_at);
  return fmt::format(
      "{} messages over {}, {}; {} the receiver {} for {}; then it serves {}/s ({} each) and falls "
      "over for {} when it is {} behind; seed {}",
      with_commas(scenario.messages), to_words(scenario.span), batch, from,
      in_words(scenario.outage_kind), to_words(scenario.outage), with_commas(receiver.capacity),
      to_words(receiver.latency), to_words(receiver.crash_for), to_words(receiver.crash_after),
      scenario.seed);
}

void write_scenario(const Scenario& scenario, JsonWriter& json) {
  const ReceiverSettings& receiver = scenario.receiver;
  json.begin_object();
  json.field("events", scenario.messages).field("batch", scenario.batch);
  json.field("spanMs", whole_milliseconds(scenario.span));
  json.field("outageAtMs", whole_milliseconds(scenario.outage_at));
  json.field("outageMs", whole_milliseconds(scenario.outage));
  json.field("outageKind", to_string(scenario.outage_kind));
  json.field("capacityPerSecond", receiver.capacity);
  json.field("latencyMs", whole_milliseconds(receiver.latency));
  json.field("crashAfterMs", whole_milliseconds(receiver.crash_after));
  json.field("crashForMs", whole_milliseconds(receiver.crash_for));
  json.field("maxInFlight", scenario.in_flight_max);
  json.field("timeoutMs", whole_milliseconds(scenario.timeout));
  json.field("durationMs", whole_milliseconds(scenario.length));
  json.key("seed").raw(std::to_string(scenario.seed));
  json.end_object();
}

}  // namespace petrel::storm
