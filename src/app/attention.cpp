#include "app/attention.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "app/client/json_view.h"
#include "app/client/text_table.h"
#include "base/duration_text.h"
#include "base/json_writer.h"
#include "base/rfc3339.h"
#include "base/text.h"

namespace petrel::app {
namespace {

// What waits for less is on its way.
constexpr Duration kWaitAmple = std::chrono::minutes(1);

constexpr std::array<std::string_view, 6> kKinds = {"health", "circuit", "paused",
                                                    "held",   "backlog", "dead-letters"};

std::optional<WallTime> moment_at(const JsonValue& json, std::string_view path) {
  const std::string text = text_at(json, path);
  const Result<WallTime> time = parse_rfc3339(text);
  return text.empty() || !time.ok() ? std::nullopt : std::optional(*time);
}

// "for 5m 3s", "" if it is not known since when.
std::string for_how_long(const std::optional<WallTime>& since, WallTime now) {
  if (!since || *since > now) return "";
  return " for " + to_words(now - *since);
}

// How a person would call it.
std::string name_of(const EndpointSeen& seen) {
  return fmt::format("{} ({})", printable(seen.endpoint, 80), printable(seen.application, 80));
}

// People paste what they are told, so a name must be one word of a shell, whatever is in it.
std::string shell_word(const std::string& name) {
  const std::string clean = printable(name, 80);
  const bool is_plain = !clean.empty() && std::all_of(clean.begin(), clean.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '-' || c == '.';
  });
  if (is_plain) return clean;
  std::string quoted = "'";
  for (const char c : clean) quoted += c == '\'' ? R"('\'')" : std::string(1, c);
  return quoted + "'";
}

std::string command_for(std::string_view verb, const EndpointSeen& seen) {
  return fmt::format("petrel endpoint {} {} {}", verb, shell_word(seen.application),
                     shell_word(seen.endpoint));
}

std::optional<Concern> circuit_concern(const EndpointSeen& seen, WallTime now) {
  const std::string state = text_at(seen.health, "circuit.state");
  if (state.empty() || state == "closed") return std::nullopt;
  const std::string since = for_how_long(moment_at(seen.health, "circuit.since"), now);
  const std::string why = printable(text_at(seen.health, "circuit.why"));
  std::string text =
      fmt::format("The circuit of {} is {}{}{}{}.", name_of(seen),
                  state == "open" ? "open" : "half open", since, why.empty() ? "" : ": ", why);
  const auto next = moment_at(seen.health, "circuit.nextProbeAt");
  if (next && *next > now) text += fmt::format(" It is tried again in {}.", to_words(*next - now));
  return Concern{.kind = "circuit",
                 .application = seen.application,
                 .endpoint = seen.endpoint,
                 .text = std::move(text),
                 .remedy = state == "open" ? command_for("probe", seen) : ""};
}

std::optional<Concern> held_concern(const EndpointSeen& seen, WallTime now) {
  const auto until = moment_at(seen.health, "heldUntil");
  if (!until || *until - now < kWaitAmple) return std::nullopt;
  return Concern{.kind = "held",
                 .application = seen.application,
                 .endpoint = seen.endpoint,
                 .text = fmt::format("{} is held for another {}: its receiver asked for that.",
                                     name_of(seen), to_words(*until - now))};
}

std::optional<Concern> backlog_concern(const EndpointSeen& seen, WallTime now) {
  const std::int64_t waiting =
      number_at(seen.health, "queue.fresh") + number_at(seen.health, "queue.retrying");
  const auto oldest = moment_at(seen.health, "oldestAt");
  if (waiting == 0 || !oldest || now - *oldest < kWaitAmple) return std::nullopt;
  const std::string why = printable(text_at(seen.health, "waitsFor"));
  return Concern{
      .kind = "backlog",
      .application = seen.application,
      .endpoint = seen.endpoint,
      .text = fmt::format("{} {} for {}, the oldest{}{}{}.", grouped(waiting),
                          waiting == 1 ? "delivery waits" : "deliveries wait", name_of(seen),
                          for_how_long(oldest, now), why.empty() ? "" : ": ", why)};
}

}  // namespace

std::vector<Concern> concerns_of(const EndpointSeen& seen, WallTime now) {
  std::vector<Concern> found;
  const bool is_paused = flag_at(seen.health, "paused");
  // Nothing is sent there, so its circuit is no news, and its backlog only grows.
  if (is_paused) {
    const std::string since = for_how_long(moment_at(seen.health, "pause.since"), now);
    const std::string why = printable(text_at(seen.health, "pause.reason"));
    found.push_back({.kind = "paused",
                     .application = seen.application,
                     .endpoint = seen.endpoint,
                     .text = fmt::format("{} is paused{}{}{}.", name_of(seen), since,
                                         why.empty() ? "" : ": ", why),
                     .remedy = command_for("resume", seen)});
  } else if (!flag_at(seen.health, "disabled")) {
    for (auto* concern : {circuit_concern, held_concern}) {
      if (auto one = concern(seen, now)) found.push_back(*std::move(one));
    }
  }
  if (auto backlog = backlog_concern(seen, now)) found.push_back(*std::move(backlog));
  return found;
}

std::vector<Concern> concerns_of_server(const JsonValue& health) {
  std::vector<Concern> found;
  for (const JsonValue& problem : list_at(health, "problems")) {
    if (problem.as_string() == nullptr) continue;
    found.push_back(
        {.kind = "health", .text = "The server says: " + printable(*problem.as_string()) + "."});
  }
  for (const std::string_view part : {"database", "queue"}) {
    const std::string status = text_at(health, std::string(part) + ".status");
    if (status.empty() || status == "ok" || !found.empty()) continue;
    found.push_back({.kind = "health",
                     .text = fmt::format("The server's {} is not well.",
                                         part == "database" ? "store" : "queue")});
  }
  return found;
}

std::optional<Concern> concern_of_dead(const JsonValue& tally, const std::string& application) {
  const std::int64_t total = number_at(tally, "total");
  if (total <= 0) return std::nullopt;
  std::string reasons;
  if (const JsonValue* by_reason = value_at(tally, "reasons");
      by_reason != nullptr && by_reason->as_object() != nullptr) {
    for (const auto& [reason, count] : *by_reason->as_object()) {
      if (count.as_integer() == nullptr || *count.as_integer() == 0) continue;
      reasons += fmt::format("{}{} {}", reasons.empty() ? ": " : ", ", grouped(*count.as_integer()),
                             printable(reason, 40));
    }
  }
  const std::string name = printable(application, 80);
  return Concern{.kind = "dead-letters",
                 .application = application,
                 .text = fmt::format("{} has {} dead letter{}{}.", name, grouped(total),
                                     total == 1 ? "" : "s", reasons),
                 .remedy = fmt::format("petrel dead-letter list {}", shell_word(application))};
}

int rank_of(const Concern& concern) {
  return static_cast<int>(std::find(kKinds.begin(), kKinds.end(), concern.kind) - kKinds.begin());
}

std::string to_json(const std::vector<Concern>& concerns) {
  JsonWriter json;
  json.begin_array();
  for (const Concern& concern : concerns) {
    json.begin_object().field("kind", concern.kind);
    if (!concern.application.empty()) json.field("application", concern.application);
    if (!concern.endpoint.empty()) json.field("endpoint", concern.endpoint);
    json.field("text", concern.text);
    if (!concern.remedy.empty()) json.field("remedy", concern.remedy);
    json.end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace petrel::app
