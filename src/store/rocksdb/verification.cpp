#include "store/rocksdb/verification.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <rocksdb/sst_file_reader.h>

#include "store/encoding.h"
#include "store/kept_lane.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/purge_record.h"
#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/rocks_options.h"
#include "store/rocksdb/scan.h"
#include "store/rocksdb/tally_journal.h"

namespace petrel::store {
namespace {

constexpr std::size_t kId = Ksuid::kBytes;

std::string name_of(const model::DeliveryKey& key) {
  return "delivery " + key.endpoint.text() + ' ' + key.message.text();
}

template <typename T>
Status status_of(const Result<T>& result) {
  if (!result.ok()) return result.error();
  return Done{};
}

void check_table(const std::string& path, const RocksSettings& settings, ConditionBoard& board) {
  rocksdb::Options options;
  if (settings.env != nullptr) options.env = settings.env;
  rocksdb::SstFileReader reader(options);
  rocksdb::Status status = reader.Open(path);
  if (status.ok()) status = reader.VerifyChecksum();
  if (status.ok()) return;
  board.found_damage(without_folders(path), without_folders(status.ToString()));
}

// Of a store that does not open, the tables can still be read one by one.
Verification check_tables_alone(const RocksSettings& settings, ConditionBoard& board) {
  Verification done;
  std::error_code failed;
  for (std::filesystem::directory_iterator entry(settings.path, failed), end;
       !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() != ".sst") continue;
    ++done.files;
    check_table(entry->path().string(), settings, board);
  }
  done.damaged = board.condition().damage_total;
  return done;
}

class Verifier {
 public:
  Verifier(Database& database, const RocksSettings& settings, ConditionBoard& board)
      : database_(database), settings_(settings), board_(board) {}

  Verification run() {
    check_files();
    for (std::size_t i = 0; i < kFamilyNames.size(); ++i) check_family(static_cast<Family>(i));
    done_.damaged = board_.condition().damage_total;
    return done_;
  }

 private:
  void found(const Error& error, const std::string& name) {
    board_.found_damage(error.field.empty() ? name : error.field, error.detail);
  }

  void missing(const std::string& name, const std::string& what) {
    board_.found_damage(name, what);
  }

  void check_files() {
    std::vector<rocksdb::LiveFileMetaData> files;
    database_.db().GetLiveFilesMetaData(&files);
    for (const rocksdb::LiveFileMetaData& file : files) {
      ++done_.files;
      check_table(file.db_path + file.name, settings_, board_);
    }
  }

  void check_family(Family family) {
    Scan scan(database_, family, {});
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      ++done_.records;
      const Status checked = check_record(family, scan.key(), view(scan.value()));
      if (!checked.ok()) found(checked.error(), std::string("a record of ") + name(family));
    }
    if (const Status status = scan.status(); !status.ok()) {
      found(status.error(), std::string("the records of ") + name(family));
    }
  }

  static const char* name(Family family) { return kFamilyNames[static_cast<std::size_t>(family)]; }

  Status check_record(Family family, const rocksdb::Slice& key, std::string_view value) {
    switch (family) {
      case Family::Meta:
      case Family::Uid:
        return Done{};
      case Family::Application:
        return status_of(decode_application(ApplicationId(ksuid_at(key, 0)), value));
      case Family::Endpoint:
        return status_of(decode_endpoint(EndpointId(ksuid_at(key, 0)), value, database_.vault()));
      case Family::Message:
        return status_of(
            decode_message(ApplicationId(ksuid_at(key, 0)), MessageId(last_ksuid_of(key)), value));
      case Family::Payload:
        return status_of(named(decode_payload(value), MessageId(last_ksuid_of(key)).text()));
      case Family::Delivery:
        return check_delivery(key, value);
      case Family::Due:
        return check_due(key);
      case Family::Attempt:
        return status_of(
            decode_attempt(MessageId(ksuid_at(key, 0)), AttemptId(last_ksuid_of(key)), value));
      case Family::AttemptByEndpoint:
        return check_attempt_mark(key, value);
      case Family::Dead:
        return check_dead(key);
      case Family::Idempotency:
        return status_of(decode_answer(value));
      case Family::EventType:
        return status_of(decode_event_type(OrganisationId(ksuid_at(key, 0)),
                                           view(key).substr(std::min(key.size(), kId)), value));
      case Family::Revoked:
        return status_of(decode_expiry(value));
      case Family::Lane:
        return status_of(named(decode_kept_lane(value), EndpointId(ksuid_at(key, 0)).text()));
      case Family::Tally:
        return key.size() < kId
                   ? check_journal_entry(value)
                   : status_of(named(decode_tally(value), EndpointId(ksuid_at(key, 0)).text()));
      case Family::Task:
        return status_of(
            decode_task(OrganisationId(ksuid_at(key, 0)), TaskId(last_ksuid_of(key)), value));
      case Family::Suspect:
        return status_of(
            decode_suspect({EndpointId(ksuid_at(key, 0)), MessageId(last_ksuid_of(key))}, value));
      case Family::Retention:
        if (view(key).starts_with(kAgainPrefix)) return Done{};
        return status_of(decode_purge_cursor(value));
    }
    return Done{};
  }

  // The decoders of these are not told whose they are.
  template <typename T>
  static Result<T> named(Result<T> result, const std::string& id) {
    if (result.ok()) return result;
    Error error = result.error();
    if (error.field.empty()) error.field = "lane";
    error.field += ' ' + id;
    return error;
  }

  Status check_delivery(const rocksdb::Slice& key, std::string_view value) {
    const model::DeliveryKey id{EndpointId(ksuid_at(key, 0)), MessageId(last_ksuid_of(key))};
    const Result<model::Delivery> delivery = decode_delivery(id, value);
    if (!delivery.ok()) return delivery.error();
    if (!delivery->is_live()) return Done{};
    const Key due =
        due_key(id.endpoint, due_class(delivery->state), {delivery->due_at, id.message});
    if (!has(Family::Due, due.slice())) {
      missing(name_of(id), "is live but not in the due index: it is not sent");
    }
    if (!has(Family::Message, message_key(delivery->application, id.message).slice())) {
      missing(name_of(id), "is live but has no message");
    }
    if (!has(Family::Payload, Key().id(id.message).slice())) {
      missing(name_of(id), "is live but has no payload");
    }
    return Done{};
  }

  Status check_due(const rocksdb::Slice& key) {
    const model::DeliveryKey id{EndpointId(ksuid_at(key, 0)), MessageId(last_ksuid_of(key))};
    const auto head = head_of_stored(id);
    if (!head) return Done{};
    if (!*head) {
      missing(name_of(id), "is in the due index but is not there");
      return Done{};
    }
    const DeliveryHead& stored = **head;
    const bool agrees =
        stored.is_live() &&
        due_key(id.endpoint, due_class(stored.state), {stored.due_at, id.message}).slice() == key;
    if (!agrees) missing(name_of(id), "does not agree with its place in the due index");
    return Done{};
  }

  Status check_dead(const rocksdb::Slice& key) {
    const model::DeliveryKey id{EndpointId(ksuid_at(key, kId)), MessageId(last_ksuid_of(key))};
    const auto head = head_of_stored(id);
    if (!head) return Done{};
    // Stores of older formats dropped the record and its place at different times.
    if (!*head) return Done{};
    const bool agrees = (*head)->state == model::DeliveryState::Dead &&
                        (*head)->updated_at == time_at(key, 2 * kId);
    if (!agrees) missing(name_of(id), "does not agree with its place among the dead letters");
    return Done{};
  }

  // The attempt itself may be gone: see check_dead().
  static Status check_attempt_mark(const rocksdb::Slice& key, std::string_view value) {
    return status_of(named(decode_attempt_mark(value), AttemptId(last_ksuid_of(key)).text()));
  }

  // Nothing if it cannot be read, which its own family's check says.
  std::optional<std::optional<DeliveryHead>> head_of_stored(const model::DeliveryKey& key) {
    const Result<bool> is_there = database_.get(Family::Delivery, delivery_key(key).slice(), read_);
    if (!is_there.ok()) return std::nullopt;
    if (!*is_there) return std::optional<DeliveryHead>();
    const Result<DeliveryHead> head = decode_delivery_head(view(read_));
    if (!head.ok()) return std::nullopt;
    return std::optional(*head);
  }

  // True also if it cannot be read.
  bool has(Family family, const rocksdb::Slice& key) {
    const Result<bool> is_there = database_.get(family, key, read_);
    return !is_there.ok() || *is_there;
  }

  Database& database_;
  const RocksSettings& settings_;
  ConditionBoard& board_;
  Verification done_;
  rocksdb::PinnableSlice read_;
};

}  // namespace

Result<Verification> verify(const RocksSettings& settings, const Clock& clock,
                            std::function<void(const StoreDamage&)> tell) {
  RocksSettings looking = settings;
  looking.is_read_only = looking.keeps_everything = true;
  looking.board = std::make_shared<ConditionBoard>(
      clock, ConditionBoard::Listeners{.damage = std::move(tell), .writes = {}});
  Result<std::unique_ptr<Database>> opened = Database::open(looking, clock);
  if (!opened.ok() && opened.error().kind == ErrorKind::Corrupt) {
    looking.board->found_damage(opened.error().field.empty() ? "the store" : opened.error().field,
                                opened.error().detail);
    // All but the commits that are missing may be there.
    looking.accepts_loss = true;
    opened = Database::open(looking, clock);
    if (!opened.ok()) return check_tables_alone(looking, *looking.board);
  }
  if (!opened.ok()) return opened.error();
  return Verifier(**opened, looking, *looking.board).run();
}

}  // namespace petrel::store
