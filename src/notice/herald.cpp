#include "notice/herald.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "model/endpoint.h"
#include "model/operational_application.h"
#include "notice/task_notice.h"

namespace petrel::notice {
namespace {

// Adds what the settlement did not know. What cannot be found is left out.
void complete(store::Browse& browse, AttemptNews& news) {
  const auto [endpoint, message] = news.delivery;
  const Result<model::Message> found = browse.message(news.application, message);
  if (found.ok()) news.event_id = found->event_id;
  if (news.last_attempt) return;
  const auto attempts = browse.attempts_of_message(message, {.endpoint = endpoint},
                                                   {.order = store::Order::Descending, .limit = 1});
  if (attempts.ok() && !attempts->items.empty()) {
    news.last_attempt = LastAttempt::of(attempts->items.front());
  }
}

}  // namespace

bool Herald::is_wanted(OrganisationId organisation, NoticeType type) const {
  const auto endpoints =
      parts_.catalogue.endpoints_of(model::operational_application(organisation));
  const std::string name(name_of(type));
  return std::any_of(endpoints.begin(), endpoints.end(), [&](const store::EndpointPtr& endpoint) {
    return !endpoint->is_disabled && model::wants(*endpoint, name, {});
  });
}

void Herald::settled(const model::Settlement& settlement) {
  std::optional<AttemptNews> news = news_of(settlement);
  if (!news) return;
  // The operational endpoints' application has no record, so what becomes of notices ends here.
  const store::ApplicationPtr application = parts_.catalogue.application(news->application);
  if (application == nullptr || !is_wanted(application->organisation, news->type)) return;
  if (waiting_.size() >= kWaitingMax) return parts_.metrics.notices_lost().add();
  waiting_.push_back(*std::move(news));
  read_next();
}

void Herald::read_next() {
  if (is_reading_ || waiting_.empty()) return check_idle();
  is_reading_ = true;
  ++under_way_;
  const auto end =
      waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(kBatch, waiting_.size()));
  Batch batch(std::move_iterator(waiting_.begin()), std::move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  const std::size_t count = batch.size();
  const bool is_taken = parts_.pool.run([this, batch = std::move(batch)]() mutable {
    for (AttemptNews& news : batch) complete(parts_.browse, news);
    parts_.loop.post([this, batch = std::move(batch)] {
      for (const AttemptNews& news : batch) tell(news);
      read_ended();
    });
  });
  if (is_taken) return;
  parts_.metrics.notices_lost().add(count);
  parts_.loop.post([this] { read_ended(); });
}

void Herald::read_ended() {
  is_reading_ = false;
  --under_way_;
  read_next();
}

void Herald::tell(const AttemptNews& news) {
  const store::ApplicationPtr application = parts_.catalogue.application(news.application);
  const store::EndpointPtr endpoint = parts_.catalogue.endpoint(news.delivery.endpoint);
  if (application == nullptr || endpoint == nullptr) return parts_.metrics.notices_lost().add();
  tell(application->organisation, news.type,
       [&] { return notice_of(news, *application, *endpoint); });
}

void Herald::changed(const EndpointChange& change) {
  const store::ApplicationPtr application = parts_.catalogue.application(change.after->application);
  if (application == nullptr) return;
  for (const NoticeType type : types_of(change)) {
    tell(application->organisation, type, [&] { return notice_of(type, change, *application); });
  }
}

void Herald::ended(const model::Task& task) {
  tell(task.organisation, NoticeType::TaskFinished, [&] { return notice_of(task); });
}

void Herald::tell(OrganisationId organisation, NoticeType type,
                  const std::function<std::string()>& text) {
  if (!is_wanted(organisation, type)) return;
  if (is_stopped_) return parts_.metrics.notices_lost().add();
  intake::NewMessage message;
  message.application = model::operational_application(organisation);
  message.event_type = name_of(type);
  message.payload = std::make_shared<const std::string>(text());
  ++under_way_;
  parts_.intake.accept(std::move(message), [this](const Result<intake::Receipt>& receipt) {
    (receipt.ok() ? parts_.metrics.notices_made() : parts_.metrics.notices_lost()).add();
    --under_way_;
    check_idle();
  });
}

void Herald::when_idle(Function<void()> done) {
  on_idle_ = std::move(done);
  check_idle();
}

void Herald::check_idle() {
  if (!on_idle_ || under_way_ > 0 || !waiting_.empty()) return;
  std::exchange(on_idle_, nullptr)();
}

}  // namespace petrel::notice
