#include "store/rocksdb/expiry_filter.h"

#include "store/encoding.h"
#include "store/tally.h"

namespace petrel::store {
namespace {

// One compaction's filter: `now` is that of its beginning.
class ExpiryFilter final : public rocksdb::CompactionFilter {
 public:
  ExpiryFilter(const ExpirySettings& settings, WallTime now)
      : family_(settings.family), now_(now), cutoff_(Ksuid::first_at(now - settings.retention)) {}

  const char* Name() const override { return "petrel.Expiry"; }

  bool Filter(int /*level*/, const rocksdb::Slice& key, const rocksdb::Slice& value,
              std::string* /*changed*/, bool* /*is_changed*/) const override {
    switch (family_) {
      case Family::Idempotency:
        return has_expired(value);
      case Family::Revoked:
        return is_past(value);
      case Family::Task:
        return last_ksuid_of(key) < cutoff_ && is_task_over(value);
      case Family::Tally:
        return is_hour_over(key);
      default:
        return false;
    }
  }

 private:
  bool has_expired(const rocksdb::Slice& value) const {
    const Result<KnownAnswer> answer = decode_answer(view(value));
    return answer.ok() && answer->expires_at <= now_;
  }

  bool is_past(const rocksdb::Slice& value) const {
    const Result<Expiry> expiry = decode_expiry(view(value));
    return expiry.ok() && expiry->at <= now_;
  }

  static bool is_task_over(const rocksdb::Slice& value) {
    const Result<model::Task> task = decode_task(OrganisationId(), TaskId(), view(value));
    return task.ok() && task->has_ended();
  }

  // The hour stands at the end of the key, behind a letter that says that it is one.
  bool is_hour_over(const rocksdb::Slice& key) const {
    constexpr std::size_t kPlace = Ksuid::kBytes + 1;
    if (key.size() <= kPlace || key[Ksuid::kBytes] != 'h') return false;
    return time_at(key, kPlace) + std::chrono::hours(1) <= now_ - kHoursKept;
  }

  Family family_;
  WallTime now_;
  Ksuid cutoff_;
};

class ExpiryFactory final : public rocksdb::CompactionFilterFactory {
 public:
  ExpiryFactory(const ExpirySettings& settings, const Clock& clock)
      : settings_(settings), clock_(clock) {}

  const char* Name() const override { return "petrel.Expiry"; }

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& /*context*/) override {
    return std::make_unique<ExpiryFilter>(settings_, clock_.wall());
  }

 private:
  ExpirySettings settings_;
  const Clock& clock_;
};

}  // namespace

std::shared_ptr<rocksdb::CompactionFilterFactory> make_expiry(const ExpirySettings& settings,
                                                              const Clock& clock) {
  switch (settings.family) {
    case Family::Idempotency:
    case Family::Revoked:
    case Family::Task:
    case Family::Tally:
      return std::make_shared<ExpiryFactory>(settings, clock);
    default:
      return nullptr;
  }
}

}  // namespace petrel::store
