#include "sim/judge/bucket_model.h"

#include <algorithm>
#include <cmath>

#include "sim/judge/figures.h"

namespace petrel::sim::judge {
namespace {

// For what is lost when times are cut to microseconds.
constexpr double kRounding = 0.001;

// Requests older than this are done with: what is to be seen in a longer stretch is seen before.
constexpr Duration kKept = std::chrono::minutes(1);

double in_seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

double burst_of(double rate) { return std::max(1.0, rate * in_seconds(figures::kBucketBurst)); }

}  // namespace

void BucketModel::set_rate(std::optional<double> per_second, MonoTime now) {
  if (rate_ == per_second) return;
  rate_ = per_second;
  if (!per_second) return restart(now);
  rates_.push_back({now, *per_second});
}

void BucketModel::restart(MonoTime now) {
  tokens_.clear();
  rates_.clear();
  if (rate_) rates_.push_back({now, *rate_});
}

double BucketModel::largest_since(MonoTime since) const {
  double largest = 0;
  for (auto rate = rates_.rbegin(); rate != rates_.rend(); ++rate) {
    largest = std::max(largest, rate->per_second);
    if (rate->from <= since) break;
  }
  return largest;
}

bool BucketModel::fits(MonoTime earliest, MonoTime latest) const {
  if (!rate_) return true;
  // Stretches that end now and begin where some token can have been taken first.
  std::vector<MonoTime> begins = {earliest};
  for (const Token& token : tokens_) begins.push_back(token.earliest);
  std::sort(begins.begin(), begins.end(), std::greater<>());
  double count = 0;
  for (const MonoTime begin : begins) {
    ++count;
    if (begin > earliest) continue;
    const double rate = largest_since(begin);
    if (count > burst_of(rate) + rate * in_seconds(latest - begin) + kRounding) return false;
  }
  return true;
}

void BucketModel::take(MonoTime earliest, MonoTime latest) {
  if (!rate_) return;
  tokens_.push_back({earliest, latest});
  while (tokens_.front().latest < latest - kKept) tokens_.pop_front();
}

MonoTime BucketModel::surely_full_at() const {
  if (!rate_ || tokens_.empty() || *rate_ <= 0) return MonoTime::min();
  return tokens_.back().latest + Duration(static_cast<Duration::rep>(std::ceil(1e6 / *rate_)));
}

}  // namespace petrel::sim::judge
