#include "lists.h"

#include <stdexcept>

#include <fmt/format.h>

#include "base/json.h"
#include "base/rfc3339.h"
#include "client.h"
#include "clock.h"
#include "history.h"
#include "percentile.h"

namespace petrel::bench {
namespace {

constexpr int kOtherApplications = 9;
constexpr int kCallsMax = 200;
constexpr double kPatienceSeconds = 10;

struct ListCall {
  const char* name;
  const char* path;   // Below the application. What is in braces comes from the history.
  const char* query;  // The same, behind the limit.
  bool is_deep = false;
};

// The endpoint `main` takes every message of its application; those beside it take one type each.
constexpr ListCall kCalls[] = {
    {"messages", "/msg", ""},
    {"messages, deep", "/msg", "", true},
    {"attempts", "/attempt/endpoint/main", ""},
    {"attempts, deep", "/attempt/endpoint/main", "", true},
    {"attempts, failed", "/attempt/endpoint/main", "&status=2"},
    {"attempts, 5xx", "/attempt/endpoint/main", "&status_code_class=500"},
    {"attempts, 4xx: few", "/attempt/endpoint/main", "&status_code_class=400"},
    {"attempts, 3xx: none", "/attempt/endpoint/main", "&status_code_class=300"},
    {"attempts, rare type", "/attempt/endpoint/main", "&event_types={rare}"},
    {"attempts, 4xx and rare", "/attempt/endpoint/main",
     "&status_code_class=400&event_types={rare}"},
    {"attempts, before middle", "/attempt/endpoint/main", "&before={middle}"},
    {"attempts of message", "/attempt/msg/{message}", ""},
    {"endpoint's messages", "/endpoint/main/msg", ""},
    {"endpoint's msgs, deep", "/endpoint/main/msg", "", true},
    {"deliveries", "/delivery", ""},
    {"deliveries, deep", "/delivery", "", true},
    {"dead", "/delivery", "&status=dead"},
    {"dead, deep", "/delivery", "&status=dead", true},
    {"dead, exhausted", "/delivery", "&reason=exhausted"},
    {"dead, gone: few", "/delivery", "&reason=gone"},
    {"endpoint stats", "/endpoint/main/stats", ""},
};

void create_things(const PetrelProcess& server, const std::string& application) {
  constexpr const char* kUrl = "http://127.0.0.1:9/";  // Nothing is sent.
  server.create_endpoint(application, fmt::format(R"({{"url":"{}","uid":"main"}})", kUrl));
  for (const std::string_view type : kCommonTypes) {
    server.create_endpoint(application,
                           fmt::format(R"({{"url":"{}","filterTypes":["{}"]}})", kUrl, type));
  }
  for (int i = 0; i < kOtherApplications; ++i) {
    server.create_endpoint(server.create_application(fmt::format("other {}", i)),
                           fmt::format(R"({{"url":"{}"}})", kUrl));
  }
}

JsonValue field_of(const std::string& json, std::string_view name) {
  const Result<JsonValue> parsed = parse_json(json);
  if (!parsed.ok() || parsed->as_object() == nullptr) {
    throw std::runtime_error("no object: " + json);
  }
  for (const auto& [key, value] : *parsed->as_object()) {
    if (key == name) return value;
  }
  return {};
}

std::string iterator_of(const std::string& page) {
  const JsonValue iterator = field_of(page, "iterator");
  if (iterator.as_string() == nullptr) throw std::runtime_error("no iterator in " + page);
  return *iterator.as_string();
}

double items_of(const std::string& page) {
  const JsonValue data = field_of(page, "data");
  return data.as_array() == nullptr ? 1 : static_cast<double>(data.as_array()->size());
}

std::string path_of(const ListCall& call, const std::string& application, const History& history,
                    Client& client) {
  const std::string path = fmt::format(
      "/api/v1/app/{}{}?limit=50{}", application,
      fmt::format(fmt::runtime(call.path), fmt::arg("message", history.hapless.text())),
      fmt::format(fmt::runtime(call.query), fmt::arg("middle", to_rfc3339(history.middle)),
                  fmt::arg("rare", kRareType)));
  if (!call.is_deep) return path;
  // The page that follows the one before the middle, as somebody who paged down to it asks for it.
  const std::string before = path + "&before=" + to_rfc3339(history.middle);
  return path + "&iterator=" + iterator_of(client.call("GET", before));
}

std::int64_t time_of(Client& client, const std::string& path) {
  const std::int64_t began_at_ns = now_ns();
  client.call("GET", path);
  return now_ns() - began_at_ns;
}

}  // namespace

Lists::Lists(const ListsSettings& settings)
    : small_(set_up(settings, "small", kShortHistory)),
      large_(set_up(settings, "large", settings.attempts)) {
  for (const ListCall& call : kCalls) names_.emplace_back(call.name);
}

Lists::Place Lists::set_up(const ListsSettings& settings, const std::string& name,
                           std::int64_t attempts) {
  const std::string folder = settings.folder + "/" + name;
  std::string token;
  std::string application;
  {
    PetrelProcess server(settings.binary, folder);
    token = server.token();
    application = server.create_application("main");
    create_things(server, application);
    server.stop();
  }
  const std::int64_t began_at_ns = now_ns();
  const History history = write_history({.folder = folder,
                                         .main_application = application,
                                         .attempts = attempts,
                                         .payload_bytes = settings.payload_bytes});
  filled_per_s_ = static_cast<double>(history.attempts) / seconds_between(began_at_ns, now_ns());

  Place place;
  place.server = std::make_unique<PetrelProcess>(settings.binary, folder, token);
  Client client(place.server->port(), token);
  for (const ListCall& call : kCalls) {
    place.paths.push_back(path_of(call, application, history, client));
  }
  return place;
}

ListFigures Lists::measure(std::size_t call) {
  // Anew for each: a server does not keep a connection for which nothing comes for long.
  Client small(small_.server->port(), small_.server->token());
  Client large(large_.server->port(), large_.server->token());
  std::vector<std::int64_t> small_ns;
  std::vector<std::int64_t> large_ns;
  const std::int64_t began_at_ns = now_ns();
  while (large_ns.size() < kCallsMax &&
         (large_ns.empty() || seconds_between(began_at_ns, now_ns()) < kPatienceSeconds)) {
    small_ns.push_back(time_of(small, small_.paths[call]));
    large_ns.push_back(time_of(large, large_.paths[call]));
  }
  return {.p50_ms = percentile_ms(large_ns, 0.50),
          .p99_ms = percentile_ms(large_ns, 0.99),
          .small_p50_ms = percentile_ms(small_ns, 0.50),
          .small_p99_ms = percentile_ms(small_ns, 0.99),
          .items = items_of(large.call("GET", large_.paths[call])),
          .calls = static_cast<double>(large_ns.size())};
}

}  // namespace petrel::bench
