#include "app/queue_watch.h"

#include <algorithm>
#include <string>
#include <utility>

#include "policy/decision.h"

namespace petrel::app {
namespace {

using store::EndpointTally;
using Rows = std::vector<metric::Table::Row>;

std::int64_t signed_of(std::uint64_t count) { return static_cast<std::int64_t>(count); }

double seconds_since(std::optional<WallTime> moment, WallTime now) {
  if (!moment || *moment >= now) return 0;
  return std::chrono::duration<double>(now - *moment).count();
}

// What is not in the rows, of all there is. The two were not counted at the same moment.
void add_rest(Rows& rows, std::uint64_t all) {
  double rest = static_cast<double>(all);
  for (const auto& row : rows) rest -= row.value;
  rows.push_back({{"rest"}, std::max(rest, 0.0)});
}

}  // namespace

QueueWatch::QueueWatch(Parts parts)
    : parts_(std::move(parts)),
      depth_(parts_.registry.gauges("petrel_queue_depth",
                                    "Deliveries that wait or are in flight, never tried (fresh) or "
                                    "to be tried again (retry).",
                                    {"class"})),
      dead_(parts_.registry.gauges("petrel_dead_letters", "Dead letters that are kept, by reason.",
                                   {"reason"})),
      oldest_(parts_.registry.table(
          "petrel_oldest_due_seconds",
          "For how long the oldest delivery has been due, of endpoints that are neither paused nor "
          "disabled, by whether their circuit is closed.",
          {"circuit"})),
      in_flight_(parts_.registry.gauge("petrel_in_flight", "Attempts in flight.")),
      lanes_(
          parts_.registry.gauge("petrel_lanes", "Endpoints that something is kept in memory for.")),
      circuits_(parts_.registry.gauges("petrel_circuit_state",
                                       "Endpoints by the state of their circuit.", {"state"})),
      endpoints_(parts_.registry.gauges("petrel_endpoints", "Endpoints that exist.", {"state"})),
      deepest_(parts_.registry.table("petrel_endpoint_queue_depth",
                                     "Deliveries that wait, of the endpoints that have the most, "
                                     "and of the rest together.",
                                     {"endpoint"})),
      failing_(parts_.registry.table("petrel_endpoint_failures",
                                     "Attempts that failed within the last hour, of the endpoints "
                                     "that have the most, and of the rest together.",
                                     {"endpoint"})),
      look_timer_(parts_.loop.make_timer()),
      walk_timer_(parts_.loop.make_timer()) {
  for (const char* const state : {"active", "paused", "disabled"}) endpoints_.with({state});
  walk();
  look();
}

void QueueWatch::look() {
  const EndpointTally tally = parts_.browse.totals();
  node::ShardFigures figures = parts_.figures();
  show(tally);
  show(figures);
  if (parts_.endpoints_shown > 0) show_endpoints(tally, std::move(figures));
  look_timer_->set(parts_.clock.mono() + kLookEvery, [this] { look(); });
}

void QueueWatch::walk() {
  // If there is no thread for it now, it is done the next time.
  const bool is_taken = parts_.pool.run([this] {
    parts_.loop.post([this, found = count()]() mutable { walked(std::move(found)); });
  });
  if (!is_taken) walk_timer_->set(parts_.clock.mono() + kWalkEvery, [this] { walk(); });
}

// On a thread of the pool.
QueueWatch::Endpoints QueueWatch::count() const {
  Endpoints found;
  for (const store::EndpointPtr& endpoint : parts_.catalogue.all_endpoints()) {
    ++(endpoint->is_disabled ? found.disabled : endpoint->pause ? found.paused : found.active);
  }
  if (parts_.endpoints_shown > 0) found.deepest = parts_.browse.deepest(parts_.endpoints_shown);
  return found;
}

void QueueWatch::walked(Endpoints found) {
  walked_ = std::move(found);
  endpoints_.with({"active"}).set(signed_of(walked_.active));
  endpoints_.with({"paused"}).set(signed_of(walked_.paused));
  endpoints_.with({"disabled"}).set(signed_of(walked_.disabled));
  walk_timer_->set(parts_.clock.mono() + kWalkEvery, [this] { walk(); });
}

void QueueWatch::show(const EndpointTally& tally) {
  depth_.with({"fresh"}).set(signed_of(tally.live_fresh));
  depth_.with({"retry"}).set(signed_of(tally.live_retry));
  for (std::size_t i = 0; i < store::kDeadReasons; ++i) {
    const auto reason = static_cast<policy::DeadReason>(i);
    dead_.with({std::string(to_string(reason))}).set(signed_of(tally.dead_of(reason)));
  }
}

void QueueWatch::show(const node::ShardFigures& figures) {
  const WallTime now = parts_.clock.wall();
  oldest_.replace({{{"closed"}, seconds_since(figures.first_due, now)},
                   {{"open"}, seconds_since(figures.first_due_behind_circuit, now)}});
  in_flight_.set(figures.in_flight);
  lanes_.set(signed_of(figures.lanes));
  const std::size_t not_closed = figures.circuits_open + figures.circuits_half_open;
  const std::size_t all = std::max(walked_.all(), not_closed);  // Some may be new, or gone.
  circuits_.with({"closed"}).set(signed_of(all - not_closed));
  circuits_.with({"open"}).set(signed_of(figures.circuits_open));
  circuits_.with({"half_open"}).set(signed_of(figures.circuits_half_open));
}

void QueueWatch::show_endpoints(const EndpointTally& tally, node::ShardFigures figures) {
  Rows deep;
  for (const store::QueueDepth& queue : walked_.deepest) {
    deep.push_back({{queue.endpoint.text()}, static_cast<double>(queue.total())});
  }
  add_rest(deep, tally.live_fresh + tally.live_retry);
  deepest_.replace(std::move(deep));

  Rows failing;
  figures.keep_most_failing(parts_.endpoints_shown);
  for (const node::EndpointFailures& each : figures.failing) {
    failing.push_back({{each.endpoint.text()}, static_cast<double>(each.failures)});
  }
  add_rest(failing, figures.failures);
  failing_.replace(std::move(failing));
}

}  // namespace petrel::app
