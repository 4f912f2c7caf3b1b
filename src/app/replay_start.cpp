#include "app/replay_start.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/client/json_view.h"
#include "app/client/text_table.h"
#include "app/command.h"
#include "app/task_watch.h"
#include "base/clock.h"
#include "base/duration_text.h"
#include "base/json_writer.h"
#include "base/ksuid.h"
#include "base/secure_random.h"
#include "base/try.h"

namespace petrel::app {
namespace {

void print_dry(const JsonValue& answer, std::string_view verb) {
  const std::int64_t matched = number_at(answer, "matched");
  const std::string all = fmt::format("{} {} would be {}", grouped(matched),
                                      matched == 1 ? "delivery" : "deliveries", verb);
  if (!is_there(answer, "seconds")) {
    fmt::print("{}\n", all);
    return;
  }
  const auto seconds = std::min<std::int64_t>(number_at(answer, "seconds"), 1'000'000'000);
  fmt::print("{}, in {} if all goes well\n", all, to_words(std::chrono::seconds(seconds)));
}

Result<int> start(ApiClient& api, const ReplayOptions& options, const std::string& path,
                  std::string body, bool is_json) {
  SystemSecureRandom random;
  // Asked again after a lost answer it must not start twice.
  const std::string key = "petrel-task-" + Ksuid::make(SystemClock().wall(), random).text();
  ASSIGN_OR_RETURN(const ApiAnswer answer, api.post(path, std::move(body), key));
  if (options.is_dry) {
    if (is_json) {
      fmt::print("{}\n", answer.text);
    } else {
      print_dry(answer.json, path.ends_with("discard") ? "discarded" : "sent again");
    }
    return int{kExitOk};
  }
  const std::string task = printable(text_at(answer.json, "id"), 80);
  if (!options.is_detached) return watch_task(api, options.application, task, is_json);
  if (is_json) {
    fmt::print("{}\n", answer.text);
  } else {
    fmt::print("started {}\n", task);
  }
  return int{kExitOk};
}

Result<std::string> replay_path(const ReplayOptions& options) {
  const std::string base = "/app/" + escaped(options.application);
  const SelectionOptions& selection = options.selection;
  if (options.what == "dead") return base + "/replay";
  if (selection.endpoint.empty()) {
    return invalid("--endpoint", fmt::format("is needed with --what {}", options.what));
  }
  if (selection.since.empty()) {
    return invalid("--since", fmt::format("is needed with --what {}", options.what));
  }
  if (!selection.reasons.empty()) return invalid("--reason", "is about dead letters only");
  if (options.what == "missing" && !selection.event_types.empty()) {
    return invalid("--event-type", "cannot be chosen with --what missing");
  }
  return fmt::format("{}/endpoint/{}/{}", base, escaped(selection.endpoint),
                     options.what == "missing" ? "replay-missing" : "bulk-replay");
}

}  // namespace

void ReplayOptions::add_pace_to(CLI::App& command) {
  command.add_option("--rate", rate, "How many a minute it begins with (100)")
      ->check(CLI::Range(1, 1'000'000));
  command.add_option("--max-rate", rate_max, "How many a minute it may come to (ten times that)")
      ->check(CLI::Range(1, 1'000'000));
  command.add_flag("--no-ramp", has_no_ramp, "Keep to the rate, whatever the responses are");
}

Result<int> start_replay(ApiClient& api, const ReplayOptions& options, bool is_json) {
  ASSIGN_OR_RETURN(const std::string path, replay_path(options));
  JsonWriter json;
  json.begin_object();
  if (options.what == "dead" && !options.selection.endpoint.empty()) {
    json.field("endpointId", options.selection.endpoint);
  }
  TRY(options.selection.write(json, SystemClock().wall()));
  if (options.rate > 0) json.field("ratePerMinute", options.rate);
  if (options.rate_max > 0) json.field("maxRatePerMinute", options.rate_max);
  if (options.has_no_ramp) json.field("ramp", false);
  if (options.is_dry) json.field("dryRun", true);
  json.end_object();
  return start(api, options, path, json.take(), is_json);
}

Result<int> start_discard(ApiClient& api, const ReplayOptions& options, bool is_json) {
  JsonWriter json;
  json.begin_object();
  if (!options.selection.endpoint.empty()) json.field("endpointId", options.selection.endpoint);
  TRY(options.selection.write(json, SystemClock().wall()));
  if (options.is_dry) json.field("dryRun", true);
  json.end_object();
  const std::string path = fmt::format("/app/{}/dead-letter/discard", escaped(options.application));
  return start(api, options, path, json.take(), is_json);
}

}  // namespace petrel::app
