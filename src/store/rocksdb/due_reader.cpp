#include "store/rocksdb/due_reader.h"

#include "store/encoding.h"
#include "store/rocksdb/rocks_error.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

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
    if (statuses[i].IsNotFound()) return corrupt("the due index has a delivery that is not there");
    if (!statuses[i].ok()) return to_error(statuses[i]);
    Result<model::Delivery> delivery = decode_delivery(keys[i], view(values[i]));
    if (!delivery.ok()) return delivery.error();
    deliveries.push_back(*std::move(delivery));
  }
  return deliveries;
}

}  // namespace

Result<DuePage> read_due(Database& database, const DueQuery& query) {
  const Snapshot snapshot(database);
  const Key prefix = due_prefix(query.endpoint, query.queue);
  Scan scan(database, Family::Due, prefix.slice(), snapshot.reads());
  if (query.after) {
    scan.seek_behind(due_key(query.endpoint, query.queue, *query.after).slice());
  } else {
    scan.seek_first();
  }
  std::vector<model::DeliveryKey> keys;
  DuePage page;
  page.sequence = snapshot.sequence();
  for (; scan.is_valid(); scan.next()) {
    page.has_more = keys.size() == query.limit;
    if (page.has_more) break;
    keys.push_back({query.endpoint, MessageId(last_ksuid_of(scan.key()))});
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  Result<std::vector<model::Delivery>> read = read_deliveries(database, snapshot.reads(), keys);
  if (!read.ok()) return read.error();
  page.deliveries = *std::move(read);
  return page;
}

Result<std::vector<LoadedPayload>> read_payloads(Database& database,
                                                 const std::vector<MessageId>& messages,
                                                 WallTime now) {
  std::vector<LoadedPayload> payloads(messages.size());
  rocksdb::PinnableSlice value;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const Result<bool> found = database.get(Family::Payload, Key().id(messages[i]).slice(), value);
    if (!found.ok()) return found.error();
    if (!*found) continue;
    const Result<PayloadView> payload = decode_payload(view(value));
    if (!payload.ok()) return payload.error();
    if (!payload->is_there(now)) continue;
    payloads[i].bytes = std::make_shared<const std::string>(payload->content);
    payloads[i].content_type = payload->content_type;
  }
  return payloads;
}

Result<std::vector<EndpointId>> read_endpoints_with_live(Database& database) {
  std::vector<EndpointId> endpoints;
  Scan scan(database, Family::Due, {});
  scan.seek_first();
  while (scan.is_valid()) {
    const EndpointId endpoint(ksuid_at(scan.key(), 0));
    endpoints.push_back(endpoint);
    // Over the rest of this endpoint's queues in one leap.
    scan.seek_behind_prefix(Key().id(endpoint).slice());
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  return endpoints;
}

}  // namespace petrel::store
