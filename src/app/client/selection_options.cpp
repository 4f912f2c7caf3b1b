#include "app/client/selection_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/client/api_client.h"
#include "app/client/moment_argument.h"
#include "base/try.h"

namespace petrel::app {
namespace {

void write_list(std::string_view name, const std::vector<std::string>& texts, JsonWriter& json) {
  if (texts.empty()) return;
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

}  // namespace

void SelectionOptions::add_to(CLI::App& command) {
  command.add_option("--endpoint", endpoint, "Only this endpoint's, by id or uid");
  command.add_option("--event-type", event_types, "Only of this event type; can be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--reason", reasons,
                  "Only dead for this reason: permanent, exhausted, expired, gone, cancelled or "
                  "blocked; can be repeated")
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"permanent", "exhausted", "expired", "gone", "cancelled", "blocked"}));
  command.add_option("--since", since, "From then on: a time, or how long ago, such as 2h");
  command.add_option("--until", until, "Up to then");
}

bool SelectionOptions::is_empty() const {
  return endpoint.empty() && event_types.empty() && reasons.empty() && since.empty() &&
         until.empty();
}

Status SelectionOptions::write(JsonWriter& json, WallTime now) const {
  write_list("eventTypes", event_types, json);
  write_list("reasons", reasons, json);
  if (!since.empty()) {
    ASSIGN_OR_RETURN(const std::string moment, under("--since", moment_argument(since, now)));
    json.field("since", moment);
  }
  if (!until.empty()) {
    ASSIGN_OR_RETURN(const std::string moment, under("--until", moment_argument(until, now)));
    json.field("until", moment);
  }
  return Done{};
}

Result<std::string> SelectionOptions::query(WallTime now) const {
  std::string query;
  if (reasons.size() > 1) return invalid("--reason", "can be given once here");
  if (!endpoint.empty()) query += "&endpoint_id=" + escaped(endpoint);
  if (!event_types.empty()) {
    query += "&event_types=" + escaped(fmt::format("{}", fmt::join(event_types, ",")));
  }
  if (!reasons.empty()) query += "&reason=" + escaped(reasons.front());
  if (!since.empty()) {
    ASSIGN_OR_RETURN(const std::string moment, under("--since", moment_argument(since, now)));
    query += "&after=" + escaped(moment);
  }
  if (!until.empty()) {
    ASSIGN_OR_RETURN(const std::string moment, under("--until", moment_argument(until, now)));
    query += "&before=" + escaped(moment);
  }
  return query;
}

}  // namespace petrel::app
