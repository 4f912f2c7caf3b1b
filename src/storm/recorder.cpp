#include "storm/recorder.h"

#include <algorithm>
#include <numeric>

#include "storm/numbers.h"

namespace petrel::storm {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

int& second_of(std::vector<int>& seconds, Duration at) {
  const auto second = static_cast<std::size_t>(at / kSecond);
  if (second >= seconds.size()) seconds.resize(second + 1, 0);
  return seconds[second];
}

}  // namespace

Recorder::Recorder(const Scenario& scenario, const std::vector<Arrival>& arrivals)
    : outage_at_(scenario.outage_at),
      recovery_(scenario.recovery()),
      messages_(scenario.messages),
      arrivals_(arrivals) {
  backlog_left_ =
      static_cast<int>(std::count_if(arrivals.begin(), arrivals.end(), [&](const Arrival& arrival) {
        return arrival.party == Party::Stricken && arrival.at < recovery_;
      }));
}

void Recorder::accepted(std::size_t place) {
  const Arrival& arrival = arrivals_[place];
  if (arrival.party == Party::Stricken) ++second_of(waiting_, arrival.at);
}

void Recorder::requested(Duration at) {
  ++counts_.attempts;
  ++second_of(requests_, at);
}

void Recorder::crashed(Duration at) {
  ++counts_.crashes;
  crashes_.push_back(at);
}

void Recorder::settled(const model::Settlement& settlement, Duration at) {
  const model::Delivery& delivery = settlement.delivery;
  const Arrival& arrival = arrivals_[place_of(delivery.key.message)];
  const bool is_delivered = delivery.state == model::DeliveryState::Delivered;
  const bool is_stricken = arrival.party == Party::Stricken;
  if (is_stricken && settlement.attempt && !is_delivered) ++counts_.wasted;
  if (delivery.is_live()) return;
  ++settled_;
  if (is_stricken) return count_end(arrival, is_delivered, at);
  if (is_delivered) neighbour_delays_.push_back(at - arrival.at);
}

void Recorder::count_end(const Arrival& arrival, bool is_delivered, Duration at) {
  --second_of(waiting_, at);
  ++(is_delivered ? counts_.delivered : counts_.dead);
  if (arrival.at >= recovery_) return;
  if (is_delivered && arrival.at >= outage_at_) delays_.push_back(at - arrival.at);
  --backlog_left_;
  last_of_backlog_ = std::max(last_of_backlog_, at);
}

double Recorder::share_settled() const {
  return static_cast<double>(settled_) / static_cast<double>(arrivals_.size());
}

Score Recorder::score() const {
  Score score = counts_;
  score.unfinished = messages_ - score.delivered - score.dead;
  const auto recovered_in = static_cast<std::size_t>(recovery_ / kSecond);
  for (std::size_t i = recovered_in; i < requests_.size(); ++i) {
    score.peak_per_second = std::max(score.peak_per_second, requests_[i]);
  }
  if (backlog_left_ == 0) {
    score.drained_after = std::max(last_of_backlog_ - recovery_, Duration::zero());
  }
  score.delay_p50 = percentile(delays_, 50);
  score.delay_p99 = percentile(delays_, 99);
  score.neighbour_p99 = percentile(neighbour_delays_, 99);
  score.neighbour_max = percentile(neighbour_delays_, 100);
  return score;
}

Timeline Recorder::timeline() const {
  Timeline timeline{.requests = requests_, .waiting = waiting_, .crashes = crashes_};
  const std::size_t seconds = std::max(requests_.size(), waiting_.size());
  timeline.requests.resize(seconds, 0);
  timeline.waiting.resize(seconds, 0);
  std::partial_sum(timeline.waiting.begin(), timeline.waiting.end(), timeline.waiting.begin());
  return timeline;
}

}  // namespace petrel::storm
