#include "sim/witness.h"

#include <utility>

#include "base/duration_text.h"
#include "base/json_writer.h"
#include "policy/retry_policy_json.h"

namespace petrel::sim {
namespace {

using judge::Act;
using judge::Reply;

// A change that took effect at one moment is seen by everybody right after it.
constexpr Duration kRightAfter = Duration(1);

judge::JudgeSettings settings_for(const Scenario& scenario) {
  judge::JudgeSettings settings;
  settings.slots = scenario.core.slots;
  settings.authority_cap = scenario.core.in_flight_per_authority;
  settings.lateness = std::chrono::milliseconds(1);
  settings.loading = 3 * scenario.store.latency_max;
  if (scenario.memory_bytes > 0) {
    settings.payload_bytes_max = scenario.memory_bytes / 4 * 3;
    settings.memory_wait = std::chrono::minutes(2);
  }
  return settings;
}

// A body as evidence. Of a large one all but the beginning is padding.
std::string mark_of(const std::string& body) {
  constexpr std::size_t kShownMax = 1000;
  if (body.size() <= kShownMax) return body;
  return body.substr(0, kShownMax) + std::to_string(body.size());
}

// As a person would have sent it.
std::string json_of(const EndpointPlan& plan) {
  JsonWriter policy;
  policy::write_policy(*plan.policy, policy);
  JsonWriter json;
  json.begin_object()
      .field("url", plan.url)
      .field("timeout", to_text(plan.timeout))
      .field("maxInFlight", plan.in_flight_max);
  if (plan.throttle_rate) json.field("throttleRate", *plan.throttle_rate);
  json.key("retryPolicy").raw(policy.text()).end_object();
  return json.take();
}

void write_retention(const model::RetentionSettings& retention, JsonWriter& json) {
  const auto write = [&](std::string_view name, const std::optional<Duration>& period) {
    if (period) json.field(name, to_text(*period));
  };
  write("retention", retention.ended);
  write("retentionPayloads", retention.payloads);
  write("retentionAttempts", retention.attempts);
  write("retentionDeadLetters", retention.dead_letters);
}

std::string json_of(std::optional<int> rate_of_application,
                    const model::RetentionSettings& retention) {
  JsonWriter json;
  json.begin_object();
  write_retention(retention, json);
  if (rate_of_application) json.field("throttleRate", *rate_of_application);
  json.end_object();
  return json.take();
}

Reply kind_of(policy::FailureKind failure) {
  switch (failure) {
    case policy::FailureKind::Dns:
      return Reply::Dns;
    case policy::FailureKind::Connect:
      return Reply::Connect;
    case policy::FailureKind::Tls:
      return Reply::Tls;
    case policy::FailureKind::Timeout:
      return Reply::Timeout;
    case policy::FailureKind::Reset:
      return Reply::Reset;
    case policy::FailureKind::Protocol:
      break;
  }
  return Reply::Protocol;
}

Reply kind_of(const policy::Outcome& outcome) {
  switch (outcome.kind()) {
    case policy::Outcome::Kind::Answered:
      return Reply::Answered;
    case policy::Outcome::Kind::Failed:
      return kind_of(outcome.failure());
    case policy::Outcome::Kind::Blocked:
      return Reply::Blocked;
    case policy::Outcome::Kind::OurFault:
      break;
  }
  return Reply::OurFault;
}

int status_of(const policy::Outcome& outcome) { return outcome.is_answer() ? outcome.status() : 0; }

judge::RecordedAttempt record_of(const model::Attempt& attempt) {
  return {.id = attempt.id,
          .number = attempt.number,
          .kind = kind_of(attempt.outcome),
          .status = status_of(attempt.outcome),
          .url = attempt.url,
          .started_at = attempt.started_at,
          .ended_at = attempt.ended_at};
}

judge::OnDisk record_of(const model::Delivery& delivery, judge::By by) {
  return {.application = delivery.application,
          .endpoint = delivery.key.endpoint,
          .message = delivery.key.message,
          .state = std::string(to_string(delivery.state)),
          .reason = delivery.reason ? std::string(to_string(*delivery.reason)) : "",
          .due_at = delivery.due_at,
          .attempts = delivery.progress.attempts,
          .updated_at = delivery.updated_at,
          .by = by};
}

}  // namespace

Witness::Witness(const Scenario& scenario, World& world)
    : world_(world), judge_(settings_for(scenario)), lookout_(judge_) {
  create_all(scenario);
}

template <typename What>
void Witness::hear(What what) {
  const bool was_clean = judge_.accusations().empty();
  const judge::Evidence evidence{{world_.now(), world_.clock().wall()}, std::move(what)};
  if (keeps_) heard_.push_back(evidence);
  lookout_.before(evidence);
  judge_.hear(evidence);
  lookout_.after(evidence);
  if (was_clean && !judge_.accusations().empty() && accused_) accused_();
}

void Witness::create_all(const Scenario& scenario) {
  told(asked({.act = Act::SetServer, .json = json_of(std::nullopt, scenario.retention)}), 200);
  for (std::size_t i = 0; i < scenario.applications.size(); ++i) {
    told(asked({.act = Act::CreateApplication,
                .application = scenario.applications[i],
                .json = json_of(scenario.rate_of(i), scenario.retention_of(i))}),
         201);
  }
  for (const EndpointPlan& plan : scenario.endpoints) {
    told(asked({.act = Act::CreateEndpoint,
                .application = scenario.applications[plan.application],
                .endpoint = plan.id,
                .json = json_of(plan)}),
         201);
  }
}

std::uint64_t Witness::asked(judge::Asked asked) {
  asked.number = ++last_number_;
  if (judge::is_change(asked.act)) {
    open_.emplace(
        asked.number,
        Open{.application = asked.application, .endpoint = asked.endpoint, .is_own = asked.is_own});
  }
  hear(std::move(asked));
  return last_number_;
}

void Witness::told(std::uint64_t number, int status, MessageId message) {
  if (deciding_ == number) deciding_.reset();
  hear(judge::Told{.number = number, .status = status, .message = message});
  const auto found = open_.find(number);
  if (found == open_.end()) return;
  if (status < 500) {
    open_.erase(found);
  } else if (found->second.is_written) {
    found->second.is_answered = true;
  } else {
    resolve(number, false);
  }
}

void Witness::resolve(std::uint64_t number, bool has_happened) {
  if (open_.erase(number) == 0) return;
  hear(judge::Resolved{.number = number, .has_happened = has_happened});
}

Witness::ChangeHandle Witness::handed_over(const model::Endpoint* update, bool was_paused) {
  const auto asked_for = std::exchange(deciding_, std::nullopt);
  if (asked_for || update == nullptr || !update->pause) return asked_for;
  // The node pauses it by itself, and tries until it is done.
  for (const auto& [number, open] : open_) {
    if (!open.is_own || open.endpoint != update->id) continue;
    const std::uint64_t own = number;
    if (!was_paused) return own;
    if (!open.is_written) resolve(own, false);
    return std::nullopt;
  }
  if (was_paused) return std::nullopt;
  return asked({.act = Act::Pause,
                .application = update->application,
                .endpoint = update->id,
                .is_own = true});
}

void Witness::change_written(ChangeHandle change) {
  if (!change) return;
  const auto found = open_.find(*change);
  if (found != open_.end()) found->second.is_written = true;
}

void Witness::accepted(const model::Delivery& delivery, MonoTime handed_over) {
  judge::OnDisk record = record_of(delivery, judge::By::Intake);
  record.handed_over = handed_over;
  hear(std::move(record));
}

void Witness::settling(const model::DeliveryKey& key) { settling_.emplace(key, world_.now()); }

void Witness::settled(const model::Delivery& delivery, const std::optional<model::Attempt>& attempt,
                      MonoTime handed_over) {
  const bool is_resend =
      !attempt && delivery.next && delivery.next->basis == model::NextBasis::Resend;
  judge::OnDisk record = record_of(delivery, is_resend ? judge::By::Person : judge::By::Lane);
  if (attempt) record.attempt = record_of(*attempt);
  const auto first = settling_.extract(delivery.key);
  if (!first.empty()) record.handed_over = first.mapped();
  record.handed_over_last = handed_over;
  hear(std::move(record));
}

void Witness::changed(const model::Delivery& delivery, const Author& author) {
  judge::OnDisk record = record_of(delivery, author.by);
  record.task = author.task;
  record.handed_over = author.handed_over;
  hear(std::move(record));
}

void Witness::dropped(const judge::Dropped& dropped) { hear(dropped); }

void Witness::payload_gone(const judge::PayloadGone& gone) { hear(gone); }

void Witness::task_step(TaskId task) { hear(judge::TaskStep{task}); }

void Witness::task_written(const model::Task& task, judge::By by, std::uint64_t overtaken) {
  hear(judge::TaskOnDisk{.task = task.id,
                         .state = std::string(to_string(task.state)),
                         .total = task.progress.total,
                         .done = task.progress.done,
                         .skipped = task.progress.skipped,
                         .by = by,
                         .overtaken = overtaken});
}

void Witness::loaded(const std::vector<MessageId>& messages, Duration took) {
  for (const MessageId message : messages) loaded_[message] = {world_.now(), took};
}

void Witness::store_is_away(bool is_away, const char* verb) {
  hear(judge::StoreAway{.verb = verb, .is_over = !is_away});
}

void Witness::store_failed(const char* verb) {
  store_is_away(true, verb);
  store_is_away(false, verb);
}

std::uint64_t Witness::requested(const model::AttemptOrder& order, std::size_t payload_bytes) {
  const auto loaded = loaded_.find(order.delivery.message);
  const bool was_loaded = loaded != loaded_.end() && loaded->second.at == world_.now();
  hear(judge::Requested{.request = ++last_request_,
                        .life = life_,
                        .endpoint = order.delivery.endpoint,
                        .message = order.delivery.message,
                        .url = order.endpoint->url,
                        .body_hash = mark_of(*order.payload),
                        .payload_bytes = payload_bytes,
                        .signed_at = order.started_at,
                        .loading = was_loaded ? loaded->second.took : Duration::zero()});
  return last_request_;
}

void Witness::replied(std::uint64_t request, const model::AttemptResult& result) {
  judge::Replied reply{.request = request,
                       .kind = kind_of(result.outcome),
                       .status = status_of(result.outcome),
                       .retry_after = result.retry_after,
                       .date = result.date,
                       .webhook_delivery = result.webhook_delivery};
  if (result.is_stale_connection) reply.kind = Reply::StaleReset;
  if (result.resolver_wait) reply.kind = Reply::ResolverFault;
  hear(std::move(reply));
}

void Witness::started() {
  hear(judge::Life{.life = ++life_, .event = judge::Life::Event::Started});
}

void Witness::stopping(Duration grace) {
  hear(judge::Life{.life = life_, .event = judge::Life::Event::Stopping, .grace = grace});
}

void Witness::ended(bool has_drained) {
  using Event = judge::Life::Event;
  hear(judge::Life{.life = life_, .event = has_drained ? Event::Stopped : Event::Crashed});
  deciding_.reset();
  settling_.clear();
  loaded_.clear();
  const auto open = open_;
  for (const auto& [number, each] : open) resolve(number, each.is_written);
}

void Witness::clock_set(Duration by) { hear(judge::ClockSet{by}); }

void Witness::counted(const judge::Counted& counted) { hear(counted); }

void Witness::rested(judge::Dump dump) { hear(std::move(dump)); }

void Witness::looked() {
  for (auto& [number, open] : open_) {
    const bool waits = open.is_written && (open.is_answered || open.is_own);
    if (!waits || !is_shown_(open.application, open.endpoint)) continue;
    open.is_answered = open.is_own = false;
    world_.after(kRightAfter, [this, resolved = number] { resolve(resolved, true); });
  }
}

}  // namespace petrel::sim
