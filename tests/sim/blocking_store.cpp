#include "blocking_store.h"

#include <chrono>
#include <future>
#include <utility>

#include "base/check.h"

namespace petrel::sim {
namespace {

// In real time: far more than any disk takes that is not broken.
constexpr auto kDeadline = std::chrono::minutes(2);

}  // namespace

template <typename Answer, typename Call>
Answer BlockingStore::wait_for(Call call) {
  clock_.look();
  auto promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> future = promise->get_future();
  call([promise](Answer answer) { promise->set_value(std::move(answer)); });
  const bool is_answered = future.wait_for(kDeadline) == std::future_status::ready;
  CHECK(is_answered);
  return future.get();
}

void BlockingStore::accept(std::vector<store::Acceptance> batch, AcceptDone done) {
  done(wait_for<Result<std::vector<store::Accepted>>>(
      [&](auto answered) { inner_->accept(std::move(batch), std::move(answered)); }));
}

void BlockingStore::settle(std::vector<model::Settlement> batch, SettleDone done) {
  done(wait_for<Result<std::vector<store::Settled>>>(
      [&](auto answered) { inner_->settle(std::move(batch), std::move(answered)); }));
}

void BlockingStore::load_due(store::DueQuery query, Function<void(Result<store::DuePage>)> done) {
  done(wait_for<Result<store::DuePage>>(
      [&](auto answered) { inner_->load_due(std::move(query), std::move(answered)); }));
}

void BlockingStore::load_payloads(std::vector<MessageId> messages, store::PayloadKeeper& keeper,
                                  PayloadsDone done) {
  done(wait_for<Result<std::vector<store::LoadedPayload>>>([&](auto answered) {
    inner_->load_payloads(std::move(messages), keeper, std::move(answered));
  }));
}

Result<std::vector<EndpointId>> BlockingStore::endpoints_with_live() {
  clock_.look();
  return inner_->endpoints_with_live();
}

void BlockingStore::change(store::ChangeSet set, store::ChangeDone done) {
  done(wait_for<Status>(
      [&](auto answered) { inner_->change(std::move(set), std::move(answered)); }));
}

void BlockingStore::purge(store::PurgeOrder order, PurgeDone done) {
  done(wait_for<Result<store::Purged>>(
      [&](auto answered) { inner_->purge(std::move(order), std::move(answered)); }));
}

}  // namespace petrel::sim
