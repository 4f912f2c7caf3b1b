#include "retention.h"

#include <chrono>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "app/disk_watch.h"
#include "base/rfc3339.h"
#include "clock.h"
#include "history.h"
#include "percentile.h"

namespace petrel::bench {
namespace {

constexpr double kMb = 1e6;
constexpr int kTurnsMax = 2000;
constexpr double kQuietSeconds = 30;
constexpr double kPatienceSeconds = 300;
constexpr double kAttemptsPerMessage = 2.2;  // About, in a history.

double number_in(const std::string& json, std::string_view key) {
  const std::size_t at = json.find(key);
  if (at == std::string::npos) throw std::runtime_error(fmt::format("no {} in {}", key, json));
  return std::stod(json.substr(at + key.size()));
}

void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(500)); }

class Bench {
 public:
  explicit Bench(const RetentionBenchSettings& settings)
      : settings_(settings), store_(settings.folder + "/store"), receiver_(16), replays_(1) {
    std::string token;
    {
      PetrelProcess server(settings.binary, store_);
      token = server.token();
      old_ = server.create_application("main");
      server.create_endpoint(old_, fmt::format(R"({{"url":"{}","uid":"main"}})", replays_.url(0)));
      server.stop();
    }
    const auto attempts = static_cast<double>(settings.messages) * kAttemptsPerMessage;
    write_history({.folder = store_,
                   .main_application = old_,
                   .attempts = static_cast<std::int64_t>(attempts),
                   .payload_bytes = settings.sending.payload_bytes});
    server_ = std::make_unique<PetrelProcess>(settings.binary, store_, token);
    loaded_ = prepare(*server_, receiver_, settings.turn.endpoints, settings.sending);
    replays_.expect(0, 0);
  }

  RetentionFigures measure() {
    RetentionFigures figures;
    Pool warm;
    take_turn(warm);
    Pool without;
    for (int turn = 0; turn < settings_.turns; ++turn) take_turn(without);
    figures.without = side_of(without);
    figures.messages_before = kept();
    figures.disk_mb_before = settled_disk_mb();
    figures.dead_letters = dead();

    const std::int64_t began_at_ns = now_ns();
    server_->call("PATCH", "/api/v1/app/" + old_,
                  R"({"retention":"1h","retentionDeadLetters":"90d"})");
    Pool beside;
    double left = figures.messages_before;
    for (int turn = 0; turn < kTurnsMax; ++turn) {
      // Turns before the sweep begins are turns without it.
      Pool pool;
      take_turn(pool);
      const double now = kept();
      if (now < left) append(beside, pool);
      if (now == left && left < figures.messages_before) break;
      left = now;
    }
    figures.purge_s = seconds_between(began_at_ns, now_ns());
    figures.beside = side_of(beside);
    figures.messages_after = left;
    figures.disk_mb_after = settled_disk_mb();
    figures.replayed = replay();
    return figures;
  }

 private:
  struct Pool {
    std::vector<std::int64_t> ack_ns;
    std::vector<std::int64_t> way_ns;
    double refused = 0;
    double repeated = 0;
  };

  void take_turn(Pool& pool) {
    Samples samples = put_on(*server_, receiver_, loaded_, settings_.turn, settings_.sending);
    Pool more{.ack_ns = std::move(samples.produced.ack_ns),
              .way_ns = std::move(samples.received.way_ns),
              .refused = static_cast<double>(samples.produced.refused),
              .repeated = static_cast<double>(samples.received.repeated)};
    append(pool, more);
  }

  static void append(Pool& all, const Pool& more) {
    all.ack_ns.insert(all.ack_ns.end(), more.ack_ns.begin(), more.ack_ns.end());
    all.way_ns.insert(all.way_ns.end(), more.way_ns.begin(), more.way_ns.end());
    all.refused += more.refused;
    all.repeated += more.repeated;
  }

  static RetentionFigures::Side side_of(Pool& pool) {
    if (pool.way_ns.empty()) throw std::runtime_error("nothing was delivered beside the purge");
    return {.ack_p99_ms = percentile_ms(pool.ack_ns, 0.99),
            .way_p50_ms = percentile_ms(pool.way_ns, 0.50),
            .way_p99_ms = percentile_ms(pool.way_ns, 0.99),
            .deliveries = static_cast<double>(pool.way_ns.size()),
            .refused = pool.refused,
            .repeated = pool.repeated};
  }

  double kept() const {
    return number_in(server_->call("GET", "/api/v1/app/" + old_ + "/storage", ""),
                     R"("messages":)");
  }

  double dead() const {
    const std::string health =
        server_->call("GET", "/api/v1/app/" + old_ + "/endpoint/main/health", "");
    return number_in(health, R"("deadLetters":{"total":)");
  }

  // Once files have not been merged for a while.
  double settled_disk_mb() const {
    double smallest = 0;
    std::int64_t since_ns = now_ns();
    const std::int64_t began_at_ns = since_ns;
    while (seconds_between(since_ns, now_ns()) < kQuietSeconds &&
           seconds_between(began_at_ns, now_ns()) < kPatienceSeconds) {
      const double now = static_cast<double>(app::disk_use(store_).store_bytes()) / kMb;
      if (smallest == 0 || now < smallest * 0.99) {
        smallest = now;
        since_ns = now_ns();
      }
      rest();
    }
    return smallest;
  }

  // Those of the last days, as fast as it goes.
  double replay() {
    const std::string task =
        server_->call("POST", "/api/v1/app/" + old_ + "/replay",
                      R"({"ratePerMinute":60000,"maxRatePerMinute":60000,"ramp":false})");
    const std::int64_t began_at_ns = now_ns();
    while (dead() > 0 && seconds_between(began_at_ns, now_ns()) < kPatienceSeconds) rest();
    rest();
    return static_cast<double>(replays_.wait().repeated);
  }

  const RetentionBenchSettings settings_;
  const std::string store_;
  Receiver receiver_;
  Receiver replays_;
  std::string old_;
  std::string loaded_;
  std::unique_ptr<PetrelProcess> server_;
};

}  // namespace

RetentionFigures measure_retention(const RetentionBenchSettings& settings) {
  return Bench(settings).measure();
}

}  // namespace petrel::bench
