#include "store/rocksdb/retention.h"

#include <mutex>
#include <utility>

#include "store/encoding.h"

namespace petrel::store {
namespace {

bool keeps_everything(Family family) {
  return family == Family::Meta || family == Family::Application || family == Family::Endpoint ||
         family == Family::Due || family == Family::EventType;
}

// One compaction's filter: `now` and the cutoff are those of its beginning.
class RetentionFilter final : public rocksdb::CompactionFilter {
 public:
  RetentionFilter(const RetentionSettings& settings, WallTime now,
                  std::shared_ptr<const LivenessDoor> liveness)
      : family_(settings.family),
        now_(now),
        retention_(settings.retention),
        cutoff_(Ksuid::first_at(now - settings.retention)),
        liveness_(std::move(liveness)) {}

  const char* Name() const override { return "petrel.Retention"; }

  bool Filter(int /*level*/, const rocksdb::Slice& key, const rocksdb::Slice& value,
              std::string* changed, bool* is_changed) const override {
    if (is_over(key, value)) return true;
    if (family_ == Family::Payload) *is_changed = empty_payload(value, *changed);
    return false;
  }

 private:
  bool is_over(const rocksdb::Slice& key, const rocksdb::Slice& value) const {
    switch (family_) {
      case Family::Message:
        return last_ksuid_of(key) < cutoff_ &&
               !liveness_->is_live(ApplicationId(ksuid_at(key, 0)), MessageId(last_ksuid_of(key)));
      case Family::Payload:
        return last_ksuid_of(key) < cutoff_ && is_payload_over(key, value);
      case Family::Delivery:
        return last_ksuid_of(key) < cutoff_ && has_ended(value);
      case Family::Attempt:
      case Family::AttemptByEndpoint:
      case Family::Dead:
        return last_ksuid_of(key) < cutoff_;
      case Family::Uid:
        return key.starts_with("v") && last_ksuid_of(value) < cutoff_;
      case Family::Idempotency:
        return has_expired(value);
      case Family::Tally:
        return is_tally_over(key);
      case Family::Task:
        return last_ksuid_of(key) < cutoff_ && is_task_over(value);
      case Family::Revoked:
        return is_past(value);
      case Family::Meta:
      case Family::Application:
      case Family::Endpoint:
      case Family::Due:
      case Family::EventType:
      case Family::Lane:
        return false;
    }
    return false;
  }

  // Whether the payload has content that has expired; what is left of it is then in `emptied`.
  bool empty_payload(const rocksdb::Slice& value, std::string& emptied) const {
    const Result<PayloadView> payload = decode_payload(view(value));
    if (!payload.ok() || payload->is_gone || payload->is_there(now_)) return false;
    emptied.clear();
    encode(PayloadView{.application = payload->application, .is_gone = true}, emptied);
    return true;
  }

  bool is_payload_over(const rocksdb::Slice& key, const rocksdb::Slice& value) const {
    const Result<PayloadView> payload = decode_payload(view(value));
    return payload.ok() && !liveness_->is_live(payload->application, MessageId(last_ksuid_of(key)));
  }

  static bool has_ended(const rocksdb::Slice& value) {
    const Result<DeliveryHead> head = decode_delivery_head(view(value));
    return head.ok() && head->state != model::DeliveryState::Pending &&
           head->state != model::DeliveryState::Retrying;
  }

  bool has_expired(const rocksdb::Slice& value) const {
    const Result<KnownAnswer> answer = decode_answer(view(value));
    return answer.ok() && answer->expires_at <= now_;
  }

  // Those of an hour or a day have it at their end, behind a letter that says which.
  bool is_tally_over(const rocksdb::Slice& key) const {
    constexpr std::size_t kPlace = Ksuid::kBytes + 1;
    if (key.size() <= kPlace) return false;
    const Duration length = key[Ksuid::kBytes] == 'd' ? Duration(std::chrono::days(1))
                                                      : Duration(std::chrono::hours(1));
    return time_at(key, kPlace) + length <= now_ - retention_;
  }

  static bool is_task_over(const rocksdb::Slice& value) {
    const Result<model::Task> task = decode_task(OrganisationId(), TaskId(), view(value));
    return task.ok() && task->has_ended();
  }

  bool is_past(const rocksdb::Slice& value) const {
    const Result<Expiry> expiry = decode_expiry(view(value));
    return expiry.ok() && expiry->at <= now_;
  }

  Family family_;
  WallTime now_;
  Duration retention_;
  Ksuid cutoff_;
  std::shared_ptr<const LivenessDoor> liveness_;
};

class RetentionFactory final : public rocksdb::CompactionFilterFactory {
 public:
  RetentionFactory(const RetentionSettings& settings, const Clock& clock,
                   std::shared_ptr<const LivenessDoor> liveness)
      : settings_(settings), clock_(clock), liveness_(std::move(liveness)) {}

  const char* Name() const override { return "petrel.Retention"; }

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& /*context*/) override {
    return std::make_unique<RetentionFilter>(settings_, clock_.wall(), liveness_);
  }

 private:
  RetentionSettings settings_;
  const Clock& clock_;
  std::shared_ptr<const LivenessDoor> liveness_;
};

}  // namespace

void LivenessDoor::open(Ask ask) {
  const std::unique_lock lock(mutex_);
  ask_ = std::move(ask);
}

void LivenessDoor::close() {
  const std::unique_lock lock(mutex_);
  ask_ = nullptr;
}

bool LivenessDoor::is_live(ApplicationId application, MessageId message) const {
  // Held while asking: close() returns when nobody asks any more.
  const std::shared_lock lock(mutex_);
  return !ask_ || ask_(application, message);
}

std::shared_ptr<rocksdb::CompactionFilterFactory> make_retention(
    const RetentionSettings& settings, const Clock& clock,
    std::shared_ptr<const LivenessDoor> liveness) {
  if (keeps_everything(settings.family)) return nullptr;
  return std::make_shared<RetentionFactory>(settings, clock, std::move(liveness));
}

}  // namespace petrel::store
