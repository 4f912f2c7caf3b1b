#include "store/rocksdb/purge_reader.h"

#include <algorithm>
#include <chrono>

#include "store/rocksdb/kept_sizes.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

// Applications that a step passes by without finding anything.
constexpr std::size_t kApplicationsMax = 256;

// A place of a sweep is the application that comes next, with the message of it that was looked at
// last if its cursor does not say so; or behind all of them the last key that was due for another
// look.
constexpr char kAtApplication = 'a';
constexpr char kAtAgain = 'k';

class Step {
 public:
  Step(Database& database, const PurgeOrder& order, WallTime now)
      : database_(database), order_(order), begun_at_(std::min(order.begun_at.value_or(now), now)) {
    batch_.now = now;
  }

  Result<PurgeBatch> run() {
    const bool is_at_again = order_.from && order_.from->starts_with(kAtAgain);
    const Status walked = is_at_again ? walk_again(order_.from->substr(1)) : walk_applications();
    if (!walked.ok()) return walked.error();
    return std::move(batch_);
  }

  bool has_met_damage() const { return has_met_damage_; }

 private:
  bool is_full() const {
    return batch_.looks.size() >= order_.messages_max || records_ >= order_.records_max;
  }

  Status walk_applications() {
    ApplicationId from;
    std::optional<MessageId> behind;  // In that application.
    if (order_.from && order_.from->size() > 1) {
      from = ApplicationId(ksuid_at(*order_.from, 1));
      if (order_.from->size() > 1 + Ksuid::kBytes) {
        behind = MessageId(ksuid_at(*order_.from, 1 + Ksuid::kBytes));
      }
    }
    Scan scan(database_, Family::Message, {}, Scan::OnDamage::Leap);
    std::optional<Key> before;
    if (order_.from) before = Key().id(from);
    scan.seek(Order::Ascending, before);
    for (std::size_t passed = 0; scan.is_valid(); ++passed) {
      const ApplicationId application(ksuid_at(scan.key(), 0));
      if (passed == kApplicationsMax) return stop_at(application);
      std::optional<MessageId> last;
      if (application == from) last = behind;
      if (Status walked = walk(application, last); !walked.ok()) return walked;
      if (is_full()) return stop_at(application, last);
      scan.seek_behind_prefix(Key().id(application).slice());
    }
    if (const Status status = scan.status(); !status.ok()) return status;
    has_met_damage_ = has_met_damage_ || scan.has_leapt();
    return walk_again({});
  }

  Status stop_at(ApplicationId application, std::optional<MessageId> last = {}) {
    Key key = Key().id(application);
    if (last) key.id(*last);
    batch_.next = kAtApplication + key.slice().ToString();
    return Done{};
  }

  // The messages of an application whose shortest period is over, from its cursor on, or behind
  // `last`: a sweep that has met damage goes on by it and leaves the cursor where it is. Becomes
  // where it stopped if the cursor does not say so.
  Status walk(ApplicationId application, std::optional<MessageId>& last) {
    const model::Retention& retention = order_.rules->of(application);
    Result<std::optional<PurgeCursor>> cursor = read_cursor(application);
    if (!cursor.ok()) return cursor.error();
    const bool is_anew = *cursor && retention.is_shorter_than((*cursor)->retention);

    Scan scan(database_, Family::Message, Key().id(application).slice(), Scan::OnDamage::Leap);
    PurgeCursor now{.last = *cursor && !is_anew ? (*cursor)->last : MessageId(),
                    .retention = retention};
    if (last) now.last = *last;
    std::optional<Key> after;
    if (now.last != MessageId()) after = message_key(application, now.last);
    scan.seek(Order::Ascending, after);
    for (; scan.is_valid() && !is_full(); scan.next()) {
      const MessageId message(last_ksuid_of(scan.key()));
      if (message.time() + retention.shortest() > begun_at_) break;
      now.last = message;
      if (Status looked = look(application, message, scan.value()); !looked.ok()) return looked;
    }
    if (const Status status = scan.status(); !status.ok()) return status;
    // What was leapt over is to be looked at once it can be read.
    has_met_damage_ = has_met_damage_ || scan.has_leapt();
    if (scan.has_leapt() || last) {
      last = now.last;
      return Done{};
    }
    const bool has_moved = *cursor ? now != **cursor : now.last != MessageId();
    if (has_moved) batch_.cursors.emplace_back(application, now);
    return Done{};
  }

  Result<std::optional<PurgeCursor>> read_cursor(ApplicationId application) {
    using Found = std::optional<PurgeCursor>;
    rocksdb::PinnableSlice value;
    const Key key = purge_cursor_key(application);
    const Result<bool> found = database_.get(Family::Retention, key.slice(), value);
    if (!found.ok() && found.error().kind != ErrorKind::Corrupt) return found.error();
    if (!found.ok() || !*found) return Found();
    const Result<PurgeCursor> cursor = decode_purge_cursor(view(value));
    if (!cursor.ok()) {
      database_.note(cursor.error(), "the purge cursor of " + application.text());
      return Found();  // From the beginning: nothing of it depends on the cursor.
    }
    return Found(*cursor);
  }

  // What is due for another look, behind `from`.
  Status walk_again(const std::string& from) {
    Scan scan(database_, Family::Retention, slice(kAgainPrefix), Scan::OnDamage::Leap);
    if (from.empty()) {
      scan.seek_first();
    } else {
      scan.seek_behind(from);
    }
    rocksdb::PinnableSlice value;
    for (; scan.is_valid(); scan.next()) {
      if (time_at(scan.key(), kAgainPrefix.size()) > begun_at_) return Done{};
      if (batch_.again_done.size() >= order_.messages_max ||
          (is_full() && !batch_.again_done.empty())) {
        batch_.next = kAtAgain + batch_.again_done.back();
        return Done{};
      }
      batch_.again_done.push_back(scan.key().ToString());
      const ApplicationId application(
          ksuid_at(scan.key(), kAgainPrefix.size() + sizeof(std::uint64_t)));
      const MessageId message(last_ksuid_of(scan.key()));
      const Result<bool> found =
          database_.get(Family::Message, message_key(application, message).slice(), value);
      if (!found.ok() && found.error().kind != ErrorKind::Corrupt) return found.error();
      if (found.ok() && !*found) continue;  // It was looked at twice.
      const Status looked = found.ok() ? look(application, message, value)
                                       : leave(application, message, found.error());
      if (!looked.ok()) return looked;
    }
    has_met_damage_ = has_met_damage_ || scan.has_leapt();
    return scan.status();
  }

  // What is damaged stays; all else goes on.
  Status leave(ApplicationId application, MessageId message, const Error& error) {
    if (error.kind != ErrorKind::Corrupt) return error;
    database_.note(error, "message " + message.text());
    has_met_damage_ = true;
    batch_.damaged.emplace_back(application, message);
    return Done{};
  }

  Status look(ApplicationId application, MessageId message, const rocksdb::Slice& record) {
    PurgeLook seen;
    seen.record = record.ToString();
    Result<StoredMessage> stored = decode_stored_message(application, message, seen.record);
    if (!stored.ok()) return leave(application, message, stored.error());
    seen.stored = *std::move(stored);
    model::Inventory inventory;
    inventory.accepted_at = seen.stored.message.accepted_at;
    inventory.payload_expires_at = seen.stored.message.payload_expires_at;
    for (const Status& gathered :
         {gather_payload(seen, inventory), gather_deliveries(seen, inventory),
          gather_attempts(seen, inventory)}) {
      if (!gathered.ok()) return leave(application, message, gathered.error());
    }
    records_ += seen.deliveries.size() + seen.attempts.size();
    seen.over = model::dispose(inventory, order_.rules->of(application), batch_.now);
    take_part_of(seen.over);
    for (const std::size_t place : seen.over.attempts) {
      if (Status named = name_attempt(message, seen.attempts[place]); !named.ok()) return named;
    }
    batch_.looks.push_back(std::move(seen));
    return Done{};
  }

  // The thread that commits is held up for as long as a drop takes: what is more goes another time.
  void take_part_of(model::Disposal& over) const {
    const std::size_t count = over.deliveries.size() + over.attempts.size();
    if (count <= order_.records_max) return;
    over.message = over.payload = false;
    over.attempts.resize(std::min(over.attempts.size(), order_.records_max));
    over.deliveries.resize(
        std::min(over.deliveries.size(), order_.records_max - over.attempts.size()));
    over.look_again_at = batch_.now + kRestOfIt;
  }

  // Its size is in the message's record; records of older versions have it read.
  Status gather_payload(PurgeLook& seen, model::Inventory& inventory) {
    std::optional<std::uint64_t> bytes = seen.stored.payload_bytes;
    if (!seen.stored.knows_payload) {
      const Result<std::optional<std::uint64_t>> read =
          read_payload_bytes(database_, seen.stored.message.id);
      if (!read.ok()) return read.error();
      bytes = *read;
    }
    inventory.has_payload = bytes.has_value();
    seen.payload_bytes = bytes.value_or(0);
    return Done{};
  }

  Status gather_deliveries(PurgeLook& seen, model::Inventory& inventory) {
    rocksdb::PinnableSlice value;
    const model::Message& message = seen.stored.message;
    for (const EndpointId& endpoint : message.endpoints) {
      const Key key = delivery_key({endpoint, message.id});
      const Result<bool> found = database_.get(Family::Delivery, key.slice(), value);
      if (!found.ok()) return found.error();
      if (!*found) continue;
      const Result<DeliveryHead> head = decode_delivery_head(view(value));
      if (!head.ok()) return head.error();
      seen.deliveries.emplace_back(endpoint, *head);
      inventory.deliveries.push_back({head->state, head->updated_at});
    }
    return Done{};
  }

  Status gather_attempts(PurgeLook& seen, model::Inventory& inventory) {
    Scan scan(database_, Family::Attempt, Key().id(seen.stored.message.id).slice());
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      const AttemptId attempt(last_ksuid_of(scan.key()));
      seen.attempts.emplace_back(attempt, std::nullopt);
      inventory.attempts.push_back(attempt.time());
    }
    return scan.status();
  }

  Status name_attempt(MessageId message, std::pair<AttemptId, std::optional<EndpointId>>& attempt) {
    rocksdb::PinnableSlice value;
    const Key key = attempt_key(message, attempt.first);
    const Result<bool> found = database_.get(Family::Attempt, key.slice(), value);
    if (!found.ok() && found.error().kind != ErrorKind::Corrupt) return found.error();
    if (!found.ok() || !*found) return Done{};
    const Result<EndpointId> endpoint = decode_attempt_endpoint(view(value));
    if (endpoint.ok()) attempt.second = *endpoint;
    return Done{};
  }

  static constexpr Duration kRestOfIt = std::chrono::milliseconds(1);

  Database& database_;
  const PurgeOrder& order_;
  const WallTime begun_at_;
  PurgeBatch batch_;
  std::size_t records_ = 0;
  bool has_met_damage_ = false;
};

}  // namespace

Result<PurgeBatch> read_purge(Database& database, const PurgeOrder& order, WallTime now) {
  Step step(database, order, now);
  Result<PurgeBatch> batch = step.run();
  if (!step.has_met_damage()) return batch;
  return Step(database, order, now).run();  // A bit that flipped on the way is right the next time.
}

}  // namespace petrel::store
