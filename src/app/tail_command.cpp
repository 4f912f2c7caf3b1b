#include "app/tail_command.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/attempt_feed.h"
#include "app/client/client_options.h"
#include "app/client/fleet.h"
#include "app/client/json_view.h"
#include "app/client/moment_argument.h"
#include "app/command.h"
#include "app/terminal.h"
#include "base/clock.h"
#include "base/duration_text.h"
#include "base/json_writer.h"
#include "base/rfc3339.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::app {
namespace {

// A server that starts again is waited for.
constexpr Patience kPatience{.tries_max = 8};

constexpr std::size_t kApplicationsMax = 200;
constexpr std::size_t kEndpointsMax = 1000;
constexpr Duration kEndpointsEvery = std::chrono::seconds(30);

// An attempt that began before we did may end after it; none takes longer than this.
constexpr Duration kAttemptMax = std::chrono::minutes(6);

// Of one endpoint at a time; what is beyond it is left out, and said to be.
constexpr int kPerPage = 100;
constexpr int kPagesMax = 10;

struct TailOptions {
  std::string application;
  std::string endpoint;
  std::string status;
  std::string since;
  int rate = 10;  // Requests a second.
};

// "&status=2" or "&status_code_class=500".
Result<std::string> status_query(const std::string& status) {
  if (status.empty()) return std::string();
  if (status == "success") return std::string("&status=0");
  if (status == "fail") return std::string("&status=2");
  if (status == "none") return std::string("&status_code_class=0");
  if (status.size() == 3 && status.ends_with("xx") && status[0] >= '1' && status[0] <= '5') {
    return fmt::format("&status_code_class={}00", status[0]);
  }
  return invalid(
      "--status",
      in_quotes(status) + " is neither success, fail, none (no answer) nor a class such as 5xx");
}

struct Target {
  NamedThing application;
  NamedThing endpoint;
};

class Tail {
 public:
  Tail(ApiClient& api, const TailOptions& options, bool is_json)
      : api_(api), options_(options), is_json_(is_json), has_colours_(shows_colours(stdout)) {}

  // Until it is interrupted.
  Status run() {
    ASSIGN_OR_RETURN(query_, status_query(options_.status));
    const WallTime now = clock_.wall();
    shown_from_ = options_.since.empty() ? to_rfc3339(now) : options_.since;
    if (!options_.since.empty()) {
      ASSIGN_OR_RETURN(shown_from_, under("--since", moment_argument(options_.since, now)));
    }
    const Result<WallTime> from = parse_rfc3339(shown_from_);
    asked_from_ = to_rfc3339(from.ok() ? *from - kAttemptMax : now);
    TRY(read_endpoints());
    if (options_.since.empty()) TRY(pass_over_what_was());
    while (true) {
      if (clock_.mono() >= endpoints_due_) TRY(read_endpoints());
      const auto next = feed_.next();
      const MonoTime at = std::min(next ? next->at : endpoints_due_, endpoints_due_);
      if (wait_until(at)) return Done{};
      if (next && next->at <= clock_.mono()) TRY(tell(next->endpoint));
    }
  }

 private:
  // At most so many requests a second. Whether it was interrupted.
  bool wait_until(MonoTime at) {
    const MonoTime now = clock_.mono();
    const MonoTime free_at =
        std::max(at, last_request_ + Duration(std::chrono::seconds(1)) / options_.rate);
    const bool came = api_.interrupt().wait(std::max(free_at - now, Duration::zero()));
    last_request_ = clock_.mono();
    return came;
  }

  Status read_endpoints() {
    ASSIGN_OR_RETURN(const auto applications, applications_of(api_, options_.application));
    if (applications.size() > kApplicationsMax) {
      return invalid(
          "--app", fmt::format("is needed: there are more than {} applications", kApplicationsMax));
    }
    std::map<std::string, Target> targets;
    for (const NamedThing& application : applications) {
      const auto endpoints = endpoints_of(api_, application);
      if (!endpoints.ok() && endpoints.error().kind == ErrorKind::NotFound) continue;
      if (!endpoints.ok()) return endpoints.error();
      for (const NamedEndpoint& each : *endpoints) {
        const bool is_wanted = options_.endpoint.empty() || options_.endpoint == each.endpoint.id ||
                               options_.endpoint == each.endpoint.name;
        if (is_wanted) targets.emplace(each.endpoint.id, Target{application, each.endpoint});
      }
    }
    if (targets.empty() && !options_.endpoint.empty()) {
      return not_found(fmt::format("{} has no endpoint {}", printable(options_.application, 80),
                                   printable(options_.endpoint, 80)));
    }
    if (targets.size() > kEndpointsMax) {
      return invalid("--endpoint",
                     fmt::format("is needed: there are more than {} endpoints", kEndpointsMax));
    }
    targets_ = std::move(targets);
    std::vector<std::string> ids;
    for (const auto& [id, target] : targets_) ids.push_back(id);
    feed_.set_endpoints(ids, clock_.mono());
    endpoints_due_ = clock_.mono() + kEndpointsEvery;
    return Done{};
  }

  // What ended before we began is no news.
  Status pass_over_what_was() {
    for (const auto& [id, target] : targets_) {
      if (wait_until(MonoTime())) return Done{};
      ASSIGN_OR_RETURN(const auto fresh, read_fresh(id));
      feed_.asked(id, !fresh.empty(), clock_.mono());
    }
    return Done{};
  }

  // What has not been told of, the oldest first.
  Result<std::vector<RawObject>> read_fresh(const std::string& id) {
    const Target& target = targets_.at(id);
    const std::string path =
        fmt::format("/app/{}/attempt/endpoint/{}?after={}{}", escaped(target.application.id),
                    escaped(id), escaped(asked_from_), query_);
    std::vector<RawObject> fresh;
    int pages = 0;
    const Status read =
        for_each_page(api_, path, kPerPage, [&](const ApiAnswer& page) -> Result<bool> {
          ASSIGN_OR_RETURN(auto items, raw_list(page.text, "data"));
          bool is_all_news = true;
          for (RawObject& item : items) {
            if (feed_.is_news(id, item.text("id"))) {
              fresh.push_back(std::move(item));
            } else {
              is_all_news = false;
            }
          }
          const bool is_far = ++pages == kPagesMax;
          if (is_far && is_all_news && !flag_at(page.json, "done")) {
            complain(fmt::format("{} had more attempts than are shown",
                                 printable(target.endpoint.name, 80)));
          }
          return is_all_news && !is_far;
        });
    const bool is_gone = !read.ok() && read.error().kind == ErrorKind::NotFound;
    if (!read.ok() && !is_gone) return read.error();
    std::reverse(fresh.begin(), fresh.end());
    return fresh;
  }

  Status tell(const std::string& id) {
    ASSIGN_OR_RETURN(const auto fresh, read_fresh(id));
    const Target target = targets_.at(id);
    for (const RawObject& attempt : fresh) {
      // What was long in flight when we began is news; what had ended by `--since` is not.
      if (!options_.since.empty() && attempt.text("timestamp") < shown_from_) continue;
      print(target, attempt);
    }
    std::fflush(stdout);
    feed_.asked(id, !fresh.empty(), clock_.mono());
    return Done{};
  }

  void print(const Target& target, const RawObject& attempt) const {
    if (is_json_) {
      fmt::print("{}\n", attempt.json());
      return;
    }
    const std::string status(attempt.raw("responseStatusCode"));
    const bool is_answer = !status.empty() && status != "0";
    const bool is_good = attempt.raw("status") == "0";
    const auto milliseconds = parse_digits(attempt.raw("responseDurationMs")).value_or(0);
    std::string line = fmt::format(
        "{}  {}  {:>7}  {}/{}  {}", printable(attempt.text("timestamp").substr(0, 19), 40),
        coloured(fmt::format("{:>4}", is_answer ? printable(status, 4) : "none"),
                 is_good ? Colour::Green : Colour::Red, has_colours_),
        to_words(std::chrono::milliseconds(std::min<std::int64_t>(milliseconds, 1'000'000'000))),
        printable(target.application.name, 80), printable(target.endpoint.name, 80),
        printable(attempt.text("msgId"), 40));
    if (!is_good) line += "  " + printable(attempt.text("response"), 120);
    fmt::print("{}\n", line);
  }

  ApiClient& api_;
  const TailOptions& options_;
  const bool is_json_;
  const bool has_colours_;
  const SystemClock clock_;
  std::string query_;
  std::string shown_from_;
  std::string asked_from_;
  std::map<std::string, Target> targets_;  // By the endpoint's id.
  AttemptFeed feed_{FeedSettings{}};
  MonoTime endpoints_due_{};
  MonoTime last_request_{};
};

Result<int> tail(ApiClient& api, const TailOptions& options, bool is_json) {
  if (!options.endpoint.empty() && options.application.empty()) {
    return invalid("--app", "is needed with --endpoint");
  }
  const Status ended = Tail(api, options, is_json).run();
  if (!ended.ok() && !api.interrupt().came()) return ended.error();
  return int{kExitOk};
}

}  // namespace

void add_tail_command(CLI::App& cli, std::function<int()>& chosen) {
  CLI::App* command = cli.add_subcommand("tail", "Show attempts as they end, until Ctrl-C");
  auto options = std::make_shared<TailOptions>();
  command->add_option("--app", options->application, "Only this application's, by id or uid");
  command->add_option("--endpoint", options->endpoint, "Only this endpoint's, by id or uid");
  command->add_option("--status", options->status,
                      "Only these: success, fail, none (no answer), or a class such as 5xx");
  command->add_option("--since", options->since,
                      "Begin with those since then: a time, or how long ago, such as 10m");
  command->add_option("--rate", options->rate, "At most so many requests a second (10)")
      ->check(CLI::Range(1, 100));
  const ClientOptions client(*command);
  command->callback([&chosen, options, client] {
    chosen = [options, client] {
      return client.run([&](ApiClient& api) { return tail(api, *options, client.is_json()); },
                        kPatience);
    };
  });
}

}  // namespace petrel::app
