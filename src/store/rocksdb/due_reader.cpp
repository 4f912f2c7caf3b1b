#include "store/rocksdb/due_reader.h"

#include <algorithm>

#include "store/encoding.h"
#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

std::string name_of(const model::DeliveryKey& key) {
  return "delivery " + key.endpoint.text() + ' ' + key.message.text();
}

Result<model::Delivery> delivery_of(const model::DeliveryKey& key, const rocksdb::Status& status,
                                    const rocksdb::PinnableSlice& value) {
  if (status.ok()) return decode_delivery(key, view(value));
  if (!status.IsNotFound()) return to_error(status);
  Error error = corrupt("the due index has a delivery that is not there");
  error.field = name_of(key);
  return error;
}

// Those that are damaged are noted and left out: the others must not wait for them.
Result<std::vector<model::Delivery>> read_deliveries(Database& database,
                                                     const rocksdb::ReadOptions& reads,
                                                     const std::vector<model::DeliveryKey>& keys) {
  std::vector<Key> names;
  std::vector<rocksdb::Slice> slices;
  names.reserve(keys.size());
  for (const model::DeliveryKey& key : keys) names.push_back(delivery_key(key));
  for (const Key& name : names) slices.push_back(name.slice());
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  database.db().MultiGet(reads, database.family(Family::Delivery), keys.size(), slices.data(),
                         values.data(), statuses.data());

  std::vector<model::Delivery> deliveries;
  deliveries.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Result<model::Delivery> delivery = delivery_of(keys[i], statuses[i], values[i]);
    if (delivery.ok()) {
      deliveries.push_back(*std::move(delivery));
    } else if (delivery.error().kind == ErrorKind::Corrupt) {
      database.note(delivery.error(), name_of(keys[i]));
    } else {
      return delivery.error();
    }
  }
  return deliveries;
}

}  // namespace

Result<DuePage> read_due(Database& database, const DueQuery& query) {
  const Snapshot snapshot(database);
  const Key prefix = due_prefix(query.endpoint, query.queue);
  Scan scan(database, Family::Due, prefix.slice(), Scan::OnDamage::Leap, snapshot.reads());
  if (query.after) {
    scan.seek_behind(due_key(query.endpoint, query.queue, *query.after).slice());
  } else {
    scan.seek_first();
  }
  DuePage page;
  page.sequence = snapshot.sequence();
  // Once, unless some are damaged: a page that is cut short by them has others behind it.
  while (scan.is_valid() && page.deliveries.size() < query.limit) {
    std::vector<model::DeliveryKey> keys;
    for (; scan.is_valid() && page.deliveries.size() + keys.size() < query.limit; scan.next()) {
      keys.push_back({query.endpoint, MessageId(last_ksuid_of(scan.key()))});
    }
    Result<std::vector<model::Delivery>> read = read_deliveries(database, snapshot.reads(), keys);
    if (!read.ok()) return read.error();
    for (model::Delivery& delivery : *read) page.deliveries.push_back(std::move(delivery));
  }
  page.has_more = scan.is_valid();
  if (Status status = scan.status(); !status.ok()) return status.error();
  return page;
}

namespace {

Result<LoadedPayload> read_payload(Database& database, MessageId message,
                                   rocksdb::PinnableSlice& value, WallTime now,
                                   PayloadKeeper& keeper) {
  LoadedPayload loaded = keeper.find(message, now);
  if (loaded.bytes) return loaded;
  const std::uint64_t edition = keeper.edition();
  const Result<bool> found = database.get(Family::Payload, Key().id(message).slice(), value);
  if (!found.ok()) return found.error();
  if (!*found) return loaded;
  const Result<PayloadView> payload = decode_payload(view(value));
  if (!payload.ok()) return payload.error();
  if (payload->is_gone) return loaded;
  return keeper.keep(message, {payload->application, payload->content, payload->content_type, {}},
                     edition);
}

}  // namespace

Result<std::vector<LoadedPayload>> read_payloads(Database& database,
                                                 const std::vector<MessageId>& messages,
                                                 WallTime now, PayloadKeeper& keeper) {
  std::vector<LoadedPayload> payloads(messages.size());
  rocksdb::PinnableSlice value;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    Result<LoadedPayload> payload = read_payload(database, messages[i], value, now, keeper);
    if (payload.ok()) {
      payloads[i] = *std::move(payload);
    } else if (payload.error().kind == ErrorKind::Corrupt) {
      database.note(payload.error(), "payload " + messages[i].text());
      payloads[i].is_damaged = true;
    } else {
      return payload.error();
    }
  }
  return payloads;
}

namespace {

Status add_all_endpoints(Database& database, std::vector<EndpointId>& endpoints) {
  Scan scan(database, Family::Endpoint, {}, Scan::OnDamage::Leap);
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    endpoints.emplace_back(ksuid_at(scan.key(), 0));
  }
  std::sort(endpoints.begin(), endpoints.end());
  endpoints.erase(std::unique(endpoints.begin(), endpoints.end()), endpoints.end());
  return scan.status();
}

}  // namespace

Result<std::vector<EndpointId>> read_endpoints_with_live(Database& database) {
  std::vector<EndpointId> endpoints;
  Scan scan(database, Family::Due, {}, Scan::OnDamage::Leap);
  scan.seek_first();
  while (scan.is_valid()) {
    const EndpointId endpoint(ksuid_at(scan.key(), 0));
    endpoints.push_back(endpoint);
    // Over the rest of this endpoint's queues in one leap.
    scan.seek_behind_prefix(Key().id(endpoint).slice());
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  if (!scan.has_leapt()) return endpoints;
  // Whose deliveries were leapt over is not known.
  if (Status added = add_all_endpoints(database, endpoints); !added.ok()) return added.error();
  return endpoints;
}

}  // namespace petrel::store
