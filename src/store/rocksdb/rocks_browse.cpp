// The reading half of RocksStore.

#include "store/encoding.h"
#include "store/rocksdb/due_reader.h"
#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/rocks_list.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/scan.h"
#include "store/rocksdb/tally_reader.h"

namespace petrel::store {
namespace {

template <typename T>
Result<std::optional<T>> present(Result<T> result) {
  if (!result.ok()) return result.error();
  return std::optional<T>(*std::move(result));
}

// Empty if there is none.
Result<std::optional<model::Delivery>> find_delivery(Database& database,
                                                     const model::DeliveryKey& key) {
  rocksdb::PinnableSlice value;
  const Result<bool> found = database.get(Family::Delivery, delivery_key(key).slice(), value);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<model::Delivery>();
  return present(decode_delivery(key, view(value)));
}

Result<std::optional<model::Message>> find_message(Database& database, ApplicationId application,
                                                   MessageId id) {
  rocksdb::PinnableSlice value;
  const Result<bool> found =
      database.get(Family::Message, message_key(application, id).slice(), value);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<model::Message>();
  return present(decode_message(application, id, view(value)));
}

// Whether a delivery keeps the payload although the period that its message asked for is over.
Result<bool> is_payload_kept(Database& database, ApplicationId application, MessageId id) {
  const auto message = find_message(database, application, id);
  if (!message.ok()) return message.error();
  if (!*message) return false;
  for (const EndpointId& endpoint : (*message)->endpoints) {
    const auto delivery = find_delivery(database, {endpoint, id});
    if (!delivery.ok()) return delivery.error();
    if (*delivery && model::keeps_payload((*delivery)->state)) return true;
  }
  return false;
}

Error damaged_payload(MessageId id) {
  Error error = corrupt("the stored payload cannot be read");
  error.field = "payload " + id.text();
  return error;
}

Error lost_revocations() {
  Error error = corrupt(
      "some of the revoked tokens cannot be read, and would be good again: restore a backup, or "
      "start with --accept-data-loss to go on without them");
  error.field = "the revoked tokens";
  return error;
}

// One that is damaged is noted and left out: the others go on without it.
template <typename T, typename Decode>
Result<std::vector<T>> read_all(Database& database, Family family, Decode decode) {
  std::vector<T> all;
  Scan scan(database, family, {}, Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    Result<T> thing = decode(ksuid_at(scan.key(), 0), view(scan.value()));
    if (thing.ok()) {
      all.push_back(*std::move(thing));
    } else if (thing.error().kind == ErrorKind::Corrupt) {
      database.note(thing.error(), "a record");
    } else {
      return thing.error();
    }
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  return all;
}

}  // namespace

Result<std::vector<model::Application>> RocksStore::all_applications() {
  return ask([&](Database& database) -> Result<std::vector<model::Application>> {
    return read_all<model::Application>(database, Family::Application,
                                        [](const Ksuid& id, std::string_view bytes) {
                                          return decode_application(ApplicationId(id), bytes);
                                        });
  });
}

Result<std::vector<model::Endpoint>> RocksStore::all_endpoints() {
  return ask([&](Database& database) -> Result<std::vector<model::Endpoint>> {
    return read_all<model::Endpoint>(
        database, Family::Endpoint, [&](const Ksuid& id, std::string_view bytes) {
          return decode_endpoint(EndpointId(id), bytes, database.vault());
        });
  });
}

Result<std::vector<model::EventType>> RocksStore::all_event_types() {
  return ask([&](Database& database) -> Result<std::vector<model::EventType>> {
    std::vector<model::EventType> all;
    Scan scan(database, Family::EventType, {}, Scan::OnDamage::Leap);
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      const OrganisationId organisation(ksuid_at(scan.key(), 0));
      const std::string_view name = view(scan.key()).substr(Ksuid::kBytes);
      auto event_type = decode_event_type(organisation, name, view(scan.value()));
      if (event_type.ok()) {
        all.push_back(*std::move(event_type));
      } else {
        database.note(event_type.error(), "an event type");
      }
    }
    if (Status status = scan.status(); !status.ok()) return status.error();
    return all;
  });
}

Result<std::optional<KnownAnswer>> RocksStore::kept_answer(std::string_view key) {
  using Known = std::optional<KnownAnswer>;
  return ask([&](Database& database) -> Result<std::optional<KnownAnswer>> {
    rocksdb::PinnableSlice value;
    const Result<bool> found = database.get(Family::Idempotency, slice(key), value);
    if (!found.ok()) return found.error();
    if (!*found) return Known();
    Result<KnownAnswer> answer = decode_answer(view(value));
    if (!answer.ok()) return answer.error();
    if (answer->expires_at <= clock_.wall()) return Known();
    return Known(*std::move(answer));
  });
}

Result<std::vector<RevokeToken>> RocksStore::revoked_tokens() {
  return ask([&](Database& database) -> Result<std::vector<RevokeToken>> {
    std::vector<RevokeToken> tokens;
    Scan scan(database, Family::Revoked, {}, Scan::OnDamage::Leap);
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      const Result<Expiry> expiry = decode_expiry(view(scan.value()));
      // One whose end cannot be read has none.
      if (!expiry.ok()) database.note(expiry.error(), "a revoked token");
      const WallTime until = expiry.ok() ? expiry->at : WallTime::max();
      if (until > clock_.wall()) tokens.push_back({scan.key().ToString(), until});
    }
    if (Status status = scan.status(); !status.ok()) return status.error();
    if (scan.has_leapt() && !accepts_loss_) return lost_revocations();
    return tokens;
  });
}

Result<Browse::KeptLanes> RocksStore::kept_lanes() {
  return ask([&](Database& database) -> Result<Browse::KeptLanes> {
    KeptLanes lanes;
    Scan scan(database, Family::Lane, {}, Scan::OnDamage::Leap);
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      lanes.emplace_back(EndpointId(ksuid_at(scan.key(), 0)), view(scan.value()));
    }
    if (const Status status = scan.status(); !status.ok()) return status.error();
    return lanes;
  });
}

Result<std::vector<model::Suspect>> RocksStore::suspects() {
  return ask([&](Database& database) -> Result<std::vector<model::Suspect>> {
    std::vector<model::Suspect> suspects;
    Scan scan(database, Family::Suspect, {}, Scan::OnDamage::Leap);
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      const model::DeliveryKey key{EndpointId(ksuid_at(scan.key(), 0)),
                                   MessageId(last_ksuid_of(scan.key()))};
      Result<model::Suspect> suspect = decode_suspect(key, view(scan.value()));
      if (!suspect.ok()) {
        database.note(suspect.error(), "a suspect");
        continue;
      }
      suspects.push_back(*std::move(suspect));
    }
    if (const Status status = scan.status(); !status.ok()) return status.error();
    return suspects;
  });
}

Result<model::Message> RocksStore::message(ApplicationId application, MessageId id) {
  return ask([&](Database& database) -> Result<model::Message> {
    auto found = find_message(database, application, id);
    if (!found.ok()) return found.error();
    if (!*found) return not_found("there is no such message");
    return **std::move(found);
  });
}

Result<MessageId> RocksStore::message_by_event_id(ApplicationId application,
                                                  std::string_view event_id) {
  return ask([&](Database& database) -> Result<MessageId> {
    rocksdb::PinnableSlice value;
    const std::string key = uid_key(UidKind::EventId, application, event_id);
    const Result<bool> found = database.get(Family::Uid, key, value);
    if (!found.ok()) return found.error();
    if (!*found) return not_found("there is no message of this event id");
    return MessageId(last_ksuid_of(value));
  });
}

Result<Listed<model::Message>> RocksStore::messages(ApplicationId application, Page page) {
  return ask([&](Database& database) -> Result<Listed<model::Message>> {
    std::optional<Key> after;
    if (page.after) after = message_key(application, MessageId(*page.after));
    Scan scan(database, Family::Message, Key().id(application).slice(), Scan::OnDamage::Leap);
    scan.seek(page.order, after);
    return gather<model::Message>(database, scan, page, [&] {
      const MessageId id(last_ksuid_of(scan.key()));
      return present(decode_message(application, id, view(scan.value())));
    });
  });
}

Result<model::Payload> RocksStore::payload(MessageId id) {
  return ask([&](Database& database) -> Result<model::Payload> {
    rocksdb::PinnableSlice value;
    const Result<bool> found = database.get(Family::Payload, Key().id(id).slice(), value);
    const auto damaged = [&](const Error& error) {
      database.note(error, "payload " + id.text());
      return damaged_payload(id);
    };
    if (!found.ok() && found.error().kind == ErrorKind::Corrupt) return damaged(found.error());
    if (!found.ok()) return found.error();
    if (!*found) return model::Payload();
    const Result<PayloadView> payload = decode_payload(view(value));
    if (!payload.ok()) return damaged(payload.error());
    if (payload->is_gone) return model::Payload();
    if (!payload->is_there(clock_.wall())) {
      const Result<bool> is_kept = is_payload_kept(database, payload->application, id);
      if (!is_kept.ok()) return is_kept.error();
      if (!*is_kept) return model::Payload();
    }
    return std::make_shared<const std::string>(payload->content);
  });
}

Result<model::Delivery> RocksStore::delivery(model::DeliveryKey key) {
  return ask([&](Database& database) -> Result<model::Delivery> {
    auto found = find_delivery(database, key);
    if (!found.ok()) return found.error();
    if (!*found) return not_found("there is no such delivery");
    return **std::move(found);
  });
}

Result<Listed<model::Delivery>> RocksStore::deliveries_of_endpoint(EndpointId endpoint, Page page) {
  return ask([&](Database& database) -> Result<Listed<model::Delivery>> {
    std::optional<Key> after;
    if (page.after) after = delivery_key({endpoint, MessageId(*page.after)});
    Scan scan(database, Family::Delivery, Key().id(endpoint).slice(), Scan::OnDamage::Leap);
    scan.seek(page.order, after);
    return gather<model::Delivery>(database, scan, page, [&] {
      const MessageId message(last_ksuid_of(scan.key()));
      return present(decode_delivery({endpoint, message}, view(scan.value())));
    });
  });
}

Result<std::vector<model::Delivery>> RocksStore::deliveries_of_message(MessageId message) {
  return ask([&](Database& database) -> Result<std::vector<model::Delivery>> {
    std::vector<model::Delivery> deliveries;
    rocksdb::PinnableSlice value;
    const Result<bool> found = database.get(Family::Payload, Key().id(message).slice(), value);
    if (!found.ok()) return found.error();
    if (!*found) return deliveries;
    const Result<PayloadView> payload = decode_payload(view(value));
    if (!payload.ok()) return payload.error();
    const auto record = find_message(database, payload->application, message);
    if (!record.ok()) return record.error();
    if (!*record) return deliveries;
    for (const EndpointId& endpoint : (*record)->endpoints) {
      auto delivery = find_delivery(database, {endpoint, message});
      if (!delivery.ok() && delivery.error().kind == ErrorKind::Corrupt) {
        database.note(delivery.error(), "a delivery");  // The others are there.
        continue;
      }
      if (!delivery.ok()) return delivery.error();
      if (*delivery) deliveries.push_back(**std::move(delivery));
    }
    return deliveries;
  });
}

Result<Listed<model::Delivery>> RocksStore::dead_letters(DeadQuery query) {
  return ask([&](Database& database) -> Result<Listed<model::Delivery>> {
    Key prefix = Key().id(query.application);
    if (query.endpoint) prefix.id(*query.endpoint);
    std::optional<Key> after;
    if (query.after) after = dead_key(query.application, *query.after);
    Scan scan(database, Family::Dead, prefix.slice(), Scan::OnDamage::Leap);
    scan.seek(query.order, after);
    const Page page{.order = query.order, .limit = query.limit};
    using Found = Result<std::optional<model::Delivery>>;
    return gather<model::Delivery>(database, scan, page, [&]() -> Found {
      const EndpointId endpoint(ksuid_at(scan.key(), Ksuid::kBytes));
      Found found = find_delivery(database, {endpoint, MessageId(last_ksuid_of(scan.key()))});
      // The record is read after the index, and somebody may have brought it back meanwhile.
      const bool is_it = found.ok() && *found && (*found)->state == model::DeliveryState::Dead &&
                         (*found)->updated_at == time_at(scan.key(), 2 * Ksuid::kBytes);
      if (found.ok() && !is_it) return std::optional<model::Delivery>();
      return found;
    });
  });
}

Result<EndpointTally> RocksStore::tally(EndpointId endpoint) {
  return ask([&](Database& database) -> Result<EndpointTally> {
    return read_tally(database, tallies_, endpoint);
  });
}

Result<KeptSizes> RocksStore::kept(std::optional<ApplicationId> application) {
  return ask([&](Database& database) -> Result<KeptSizes> {
    return read_kept(database, tallies_, application);
  });
}

Result<std::vector<HourTally>> RocksStore::hours(EndpointId endpoint, WallTime since,
                                                 WallTime until) {
  return ask([&](Database& database) -> Result<std::vector<HourTally>> {
    return read_hours(database, tallies_, endpoint, since, until);
  });
}

Result<StoreCounts> RocksStore::count() {
  return ask([&](Database& database) -> Result<StoreCounts> {
    StoreCounts counts;
    const std::pair<Family, std::uint64_t*> plain[] = {{Family::Application, &counts.applications},
                                                       {Family::Endpoint, &counts.endpoints},
                                                       {Family::Message, &counts.messages},
                                                       {Family::Attempt, &counts.attempts}};
    for (const auto& [family, number] : plain) {
      Scan scan(database, family, {});
      for (scan.seek_first(); scan.is_valid(); scan.next()) ++*number;
      if (Status status = scan.status(); !status.ok()) return status.error();
    }
    Scan scan(database, Family::Delivery, {});
    for (scan.seek_first(); scan.is_valid(); scan.next()) {
      const Result<DeliveryHead> head = decode_delivery_head(view(scan.value()));
      if (!head.ok()) return head.error();
      if (head->state == model::DeliveryState::Delivered) {
        ++counts.deliveries_delivered;
      } else if (head->state == model::DeliveryState::Dead) {
        ++counts.deliveries_dead;
      } else if (head->state != model::DeliveryState::Discarded) {
        ++counts.deliveries_live;
      }
    }
    if (Status status = scan.status(); !status.ok()) return status.error();
    return counts;
  });
}

}  // namespace petrel::store
