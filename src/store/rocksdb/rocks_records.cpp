// Single things by their names, for a catalogue that has to find out what is on disk.

#include "store/encoding.h"
#include "store/rocksdb/database.h"
#include "store/rocksdb/due_reader.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/schema.h"

namespace petrel::store {
namespace {

template <typename Thing, typename Decode>
Result<Thing> read_one(Database& database, Family family, const rocksdb::Slice& key,
                       std::string_view what, Decode decode) {
  rocksdb::PinnableSlice value;
  const Result<bool> found = database.get(family, key, value);
  if (!found.ok()) return found.error();
  if (!*found) return not_found(what);
  return decode(std::string_view(value.data(), value.size()));
}

}  // namespace

Result<model::Application> RocksStore::application(ApplicationId id) {
  return ask([&](Database& database) {
    return read_one<model::Application>(
        database, Family::Application, Key().id(id).slice(), "there is no such application",
        [&](std::string_view bytes) { return decode_application(id, bytes); });
  });
}

Result<model::Endpoint> RocksStore::endpoint(EndpointId id) {
  return ask([&](Database& database) {
    return read_one<model::Endpoint>(
        database, Family::Endpoint, Key().id(id).slice(), "there is no such endpoint",
        [&](std::string_view bytes) { return decode_endpoint(id, bytes, database.vault()); });
  });
}

Result<std::vector<model::Delivery>> RocksStore::first_waiting(EndpointId endpoint) {
  return ask([&](Database& database) -> Result<std::vector<model::Delivery>> {
    std::vector<model::Delivery> first;
    for (const DueClass queue : {DueClass::Fresh, DueClass::Retry}) {
      const Result<DuePage> page =
          read_due(database, {.endpoint = endpoint, .queue = queue, .limit = 1});
      if (!page.ok()) return page.error();
      first.insert(first.end(), page->deliveries.begin(), page->deliveries.end());
    }
    return first;
  });
}

Result<model::EventType> RocksStore::event_type(OrganisationId organisation,
                                                std::string_view name) {
  return ask([&](Database& database) {
    return read_one<model::EventType>(
        database, Family::EventType, event_type_key(organisation, name),
        "there is no such event type",
        [&](std::string_view bytes) { return decode_event_type(organisation, name, bytes); });
  });
}

}  // namespace petrel::store
