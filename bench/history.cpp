#include "history.h"

#include <future>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "course.h"
#include "engine/settling.h"
#include "intake/new_message.h"
#include "payload.h"
#include "scratch_store.h"

namespace petrel::bench {
namespace {

// Ends long enough ago for every retry to lie in the past, and fits into what stats look back on.
constexpr Duration kBeganAgo = std::chrono::days(27);
constexpr Duration kEndedAgo = std::chrono::days(1);

constexpr Duration kAttemptTakes = std::chrono::milliseconds(20);
constexpr std::size_t kBatchMessages = 500;
constexpr std::uint64_t kSeed = 1;

policy::RetryPolicy short_policy() {
  policy::RetryPolicy policy;
  policy.backoff.delay_base = std::chrono::minutes(10);
  policy.attempts_max = 6;
  return policy;
}

struct Waiting {
  model::Delivery delivery;
  Course course;
};

class Writer {
 public:
  explicit Writer(const HistorySettings& settings);

  History finish();

 private:
  using Endpoints = std::vector<store::EndpointPtr>;

  void accept_one();
  ApplicationId draw_application();
  std::string_view draw_type();
  void retry_until(WallTime moment);
  void attempt(Waiting waiting, WallTime at);
  void hand_over();
  void wait_for_last();

  SystemClock clock_;
  std::unique_ptr<store::RocksStore> store_;
  const std::int64_t attempts_wanted_;
  const policy::RetryPolicy policy_ = short_policy();
  const model::Payload payload_;
  ApplicationId main_;
  std::vector<ApplicationId> others_;
  std::map<ApplicationId, Endpoints> endpoints_;
  std::map<EndpointId, std::string> urls_;

  Random random_{kSeed};
  SeededSecureRandom secure_{kSeed};
  KsuidMaker message_ids_{secure_};
  KsuidMaker attempt_ids_{secure_};
  const WallTime began_at_;
  WallTime now_;
  std::multimap<WallTime, Waiting> waiting_;  // By when they are tried again.
  History history_;

  // What is handed over next, and the answers to what was handed over last.
  std::vector<store::Acceptance> acceptances_;
  std::vector<model::Settlement> settlements_;
  std::future<Status> accepted_;
  std::future<Status> settled_;
};

Writer::Writer(const HistorySettings& settings)
    : store_(open_scratch_store(settings.folder, clock_)),
      attempts_wanted_(settings.attempts),
      payload_(std::make_shared<const std::string>(make_payload(settings.payload_bytes))),
      main_(must(ApplicationId::parse(settings.main_application))),
      began_at_(clock_.wall() - kBeganAgo),
      now_(began_at_) {
  for (const model::Application& each : must(store_->all_applications())) {
    if (each.id != main_) others_.push_back(each.id);
  }
  for (const model::Endpoint& each : must(store_->all_endpoints())) {
    endpoints_[each.application].push_back(std::make_shared<const model::Endpoint>(each));
    urls_[each.id] = each.url;
  }
}

ApplicationId Writer::draw_application() {
  if (others_.empty() || random_.below(10) != 0) return main_;
  return others_[random_.below(others_.size())];
}

std::string_view Writer::draw_type() {
  if (random_.below(1000) == 0) return kRareType;
  return kCommonTypes[random_.below(kCommonTypes.size())];
}

void Writer::accept_one() {
  intake::NewMessage message{};
  message.application = draw_application();
  message.event_type = draw_type();
  message.payload = payload_;
  const Endpoints& endpoints = endpoints_[message.application];
  store::Acceptance acceptance =
      must(intake::plan(std::move(message), endpoints, now_, message_ids_));
  for (const model::Delivery& delivery : acceptance.deliveries) {
    attempt({delivery, draw_course(random_)}, now_);
  }
  acceptances_.push_back(std::move(acceptance));
}

void Writer::attempt(Waiting waiting, WallTime at) {
  model::Delivery& delivery = waiting.delivery;
  model::AttemptResult result;
  result.outcome = waiting.course.outcome_of_attempt(delivery.attempts_total + 1);
  (result.outcome.is_answer() ? result.response : result.error) = result.outcome.text();
  const WallTime ended_at = at + kAttemptTakes;
  const policy::AttemptEnd end = engine::attempt_end(result, at, ended_at);
  const policy::Decision decision = policy::decide(policy_, delivery.progress, end, random_);
  model::Settlement settlement = engine::settlement_of({.delivery = delivery,
                                                        .url = urls_[delivery.key.endpoint],
                                                        .started_at = at,
                                                        .ended_at = ended_at},
                                                       decision, std::move(result), attempt_ids_);
  delivery = settlement.delivery;
  settlements_.push_back(std::move(settlement));
  ++history_.attempts;
  if (delivery.is_live()) {
    waiting_.emplace(delivery.due_at, std::move(waiting));
  } else if (delivery.reason == policy::DeadReason::Exhausted && delivery.application == main_) {
    history_.hapless = delivery.key.message;
  }
}

void Writer::retry_until(WallTime moment) {
  while (!waiting_.empty() && waiting_.begin()->first <= moment) {
    auto next = waiting_.extract(waiting_.begin());
    attempt(std::move(next.mapped()), next.key());
  }
}

void Writer::wait_for_last() {
  if (!settled_.valid()) return;
  must(accepted_.get());
  must(settled_.get());
}

// The store writes one batch while the next one is made.
void Writer::hand_over() {
  wait_for_last();
  auto accepted = std::make_shared<std::promise<Status>>();
  auto settled = std::make_shared<std::promise<Status>>();
  accepted_ = accepted->get_future();
  settled_ = settled->get_future();
  store_->accept(std::exchange(acceptances_, {}),
                 [accepted](const Result<std::vector<store::Accepted>>& answer) {
                   accepted->set_value(answer.ok() ? Status(Done{}) : Status(answer.error()));
                 });
  store_->settle(std::exchange(settlements_, {}),
                 [settled](const Result<std::vector<store::Settled>>& answer) {
                   settled->set_value(answer.ok() ? Status(Done{}) : Status(answer.error()));
                 });
}

History Writer::finish() {
  // On average a message makes more than two attempts, so that all of them fit.
  const Duration step = 2 * (kBeganAgo - kEndedAgo) / attempts_wanted_;
  while (history_.attempts < attempts_wanted_) {
    now_ += step;
    retry_until(now_);
    accept_one();
    if (acceptances_.size() >= kBatchMessages) hand_over();
  }
  retry_until(WallTime::max());
  hand_over();
  wait_for_last();
  store_->close();
  history_.middle = began_at_ + (now_ - began_at_) / 2;
  return history_;
}

}  // namespace

History write_history(const HistorySettings& settings) { return Writer(settings).finish(); }

}  // namespace petrel::bench
