#include "store/rocksdb/draft.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "model/attempt.h"
#include "store/encoding.h"
#include "store/rocksdb/kept_sizes.h"
#include "store/rocksdb/scan.h"

namespace petrel::store {
namespace {

using model::Application;
using model::Endpoint;
using model::EventType;

constexpr Family family_of(const ApplicationId& /*id*/) { return Family::Application; }
constexpr Family family_of(const EndpointId& /*id*/) { return Family::Endpoint; }

std::string_view word_for(const ApplicationId& /*id*/) { return "application"; }
std::string_view word_for(const EndpointId& /*id*/) { return "endpoint"; }

Error no_such(std::string_view word) { return not_found("there is no such " + std::string(word)); }

Result<Application> decode(const ApplicationId& id, std::string_view bytes,
                           const vault::Vault& /*vault*/) {
  return decode_application(id, bytes);
}
Result<Endpoint> decode(const EndpointId& id, std::string_view bytes, const vault::Vault& vault) {
  return decode_endpoint(id, bytes, vault);
}

std::string name_of(const Application& application) {
  return uid_key(UidKind::Application, application.organisation, application.uid);
}
std::string name_of(const Endpoint& endpoint) {
  return uid_key(UidKind::Endpoint, endpoint.application, endpoint.uid);
}

template <typename T>
std::string encoded(const T& record) {
  std::string bytes;
  encode(record, bytes);
  return bytes;
}

std::string encoded(const Application& record, const vault::Vault& /*vault*/) {
  return encoded(record);
}

std::string encoded(const Endpoint& record, const vault::Vault& vault) {
  std::string bytes;
  encode(record, vault, bytes);
  return bytes;
}

}  // namespace

Status Draft::apply(const Change& change) {
  return std::visit([this](const auto& one) { return enter(one); }, change);
}

template <typename T>
Result<std::optional<T>> Draft::find(const auto& id) {
  const auto bytes = get(family_of(id), Key().id(id).text());
  if (!bytes.ok()) return bytes.error();
  if (!*bytes) return std::optional<T>();
  Result<T> record = decode(id, **bytes, database_.vault());
  if (!record.ok()) return record.error();
  return std::optional<T>(*std::move(record));
}

template <typename T>
Status Draft::put_thing(const T* before, const T& now) {
  CHECK(!now.deleted_at);  // Ours: deleting is a change of its own, and nothing edits what is gone.
  const std::string name = name_of(now);
  if (!now.uid.empty()) {
    const auto holder = get(Family::Uid, name);
    if (!holder.ok()) return holder.error();
    if (*holder && last_ksuid_of(**holder) != now.id.ksuid()) {
      return conflict("another " + std::string(word_for(now.id)) + " has this uid");
    }
  }
  if (before != nullptr && !before->uid.empty() && name_of(*before) != name) {
    remove(Family::Uid, name_of(*before));
  }
  if (!now.uid.empty()) put(Family::Uid, name, Key().id(now.id).text());
  put(family_of(now.id), Key().id(now.id).text(), encoded(now, database_.vault()));
  return Done{};
}

template <typename T>
Status Draft::create(const T& thing) {
  const Result<std::optional<T>> before = find<T>(thing.id);
  if (!before.ok()) return before.error();
  if (!*before) return put_thing<T>(nullptr, thing);
  if (**before == thing) return Done{};  // A repetition, because the first answer was lost.
  return conflict("there is another " + std::string(word_for(thing.id)) + " of this id");
}

template <typename T>
Status Draft::update(const T& thing) {
  const Result<std::optional<T>> before = find<T>(thing.id);
  if (!before.ok()) return before.error();
  if (!*before || (*before)->deleted_at) return no_such(word_for(thing.id));
  return put_thing(&**before, thing);
}

// Empty if it was buried at this moment already.
template <typename T>
Result<std::optional<T>> Draft::find_to_bury(const auto& id, WallTime at) {
  Result<std::optional<T>> found = find<T>(id);
  if (!found.ok()) return found.error();
  if (!*found) return no_such(word_for(id));
  if (!(*found)->deleted_at) return found;
  if ((*found)->deleted_at != at) return no_such(word_for(id));
  return std::optional<T>();
}

template <typename T>
void Draft::bury(T thing, WallTime at) {
  if (!thing.uid.empty()) remove(Family::Uid, name_of(thing));
  thing.deleted_at = at;
  put(family_of(thing.id), Key().id(thing.id).text(), encoded(thing, database_.vault()));
}

Status Draft::check_owner(ApplicationId application) {
  const Result<std::optional<Application>> owner = find<Application>(application);
  if (!owner.ok()) return owner.error();
  if (*owner && (*owner)->deleted_at) return no_such("application");
  return Done{};
}

Status Draft::enter(const CreateApplication& change) { return create(change.application); }

Status Draft::enter(const UpdateApplication& change) { return update(change.application); }

Status Draft::enter(const DeleteApplication& change) {
  auto found = find_to_bury<Application>(change.application, change.at);
  if (!found.ok()) return found.error();
  if (!*found) return Done{};
  bury(**std::move(found), change.at);
  Result<std::vector<Endpoint>> endpoints = endpoints_of(change.application);
  if (!endpoints.ok()) return endpoints.error();
  for (Endpoint& endpoint : *endpoints) bury(std::move(endpoint), change.at);
  return Done{};
}

Status Draft::enter(const CreateEndpoint& change) {
  if (Status status = check_owner(change.endpoint.application); !status.ok()) return status;
  return create(change.endpoint);
}

Status Draft::enter(const UpdateEndpoint& change) { return update(change.endpoint); }

Status Draft::enter(const DeleteEndpoint& change) {
  auto found = find_to_bury<Endpoint>(change.endpoint, change.at);
  if (!found.ok()) return found.error();
  if (*found) bury(**std::move(found), change.at);
  return Done{};
}

// Those that are not deleted, stored or in the commit.
Result<std::vector<Endpoint>> Draft::endpoints_of(ApplicationId application) {
  std::set<EndpointId> candidates;
  Scan scan(database_, Family::Endpoint, {});
  for (scan.seek_first(); scan.is_valid(); scan.next()) {
    const Result<ApplicationId> owner = decode_endpoint_owner(view(scan.value()));
    if (!owner.ok()) return owner.error();
    if (*owner == application) candidates.insert(EndpointId(ksuid_at(scan.key(), 0)));
  }
  if (Status status = scan.status(); !status.ok()) return status.error();
  for (const Entries* entries : {&before_, &std::as_const(entries_)}) {
    for (auto entry = entries->lower_bound({Family::Endpoint, ""});
         entry != entries->end() && entry->first.first == Family::Endpoint; ++entry) {
      candidates.insert(EndpointId(ksuid_at(entry->first.second, 0)));
    }
  }
  std::vector<Endpoint> endpoints;
  for (const EndpointId& id : candidates) {
    Result<std::optional<Endpoint>> endpoint = find<Endpoint>(id);
    if (!endpoint.ok()) return endpoint.error();
    if (!*endpoint || (*endpoint)->application != application || (*endpoint)->deleted_at) continue;
    endpoints.push_back(**std::move(endpoint));
  }
  return endpoints;
}

Status Draft::enter(const CreateEventType& change) {
  const EventType& now = change.event_type;
  const std::string key = event_type_key(now.organisation, now.name);
  const auto before = get(Family::EventType, key);
  if (!before.ok()) return before.error();
  std::string bytes = encoded(now);
  if (*before && **before != bytes) return conflict("there is an event type of this name");
  put(Family::EventType, key, std::move(bytes));
  return Done{};
}

Status Draft::enter(const UpdateEventType& change) {
  const EventType& now = change.event_type;
  const std::string key = event_type_key(now.organisation, now.name);
  const auto before = get(Family::EventType, key);
  if (!before.ok()) return before.error();
  if (!*before) return no_such("event type");
  put(Family::EventType, key, encoded(now));
  return Done{};
}

Status Draft::enter(const DeleteEventType& change) {
  const std::string key = event_type_key(change.organisation, change.name);
  const auto before = get(Family::EventType, key);
  if (!before.ok()) return before.error();
  if (!*before) return no_such("event type");
  remove(Family::EventType, key);
  return Done{};
}

Status Draft::enter(const ExpungePayload& change) {
  const std::string message = message_key(change.application, change.message).text();
  const auto found = get(Family::Message, message);
  if (!found.ok()) return found.error();
  if (!*found) return no_such("message");
  Result<StoredMessage> stored = decode_stored_message(change.application, change.message, **found);
  if (!stored.ok()) return stored.error();
  if (Status known = find_payload(*stored); !known.ok()) return known;
  if (stored->payload_bytes) {
    freed_.emplace_back(change.application,
                        KeptSizes{.payloads = 1, .payload_bytes = *stored->payload_bytes});
  }
  stored->payload_bytes.reset();
  put(Family::Message, message, encoded(*stored));
  // Its application stays: by it the rest of the message is found.
  put(Family::Payload, Key().id(change.message).text(),
      encoded(PayloadView{.application = change.application, .is_gone = true}));
  return Done{};
}

Status Draft::enter(const ExpungeResponse& change) {
  const std::string key = attempt_key(change.message, change.attempt).text();
  const auto found = get(Family::Attempt, key);
  if (!found.ok()) return found.error();
  if (!*found) return no_such("attempt");
  Result<model::Attempt> attempt = decode_attempt(change.message, change.attempt, **found);
  if (!attempt.ok()) return attempt.error();
  attempt->response = model::kExpunged;
  put(Family::Attempt, key, encoded(*attempt));
  return Done{};
}

// How large its payload is, which a record of an older version does not say.
Status Draft::find_payload(StoredMessage& stored) {
  if (std::exchange(stored.knows_payload, true)) return Done{};
  const auto bytes = read_payload_bytes(database_, stored.message.id);
  // One that is damaged counts as gone: what is done to its message has to go on.
  if (!bytes.ok() && bytes.error().kind != ErrorKind::Corrupt) return bytes.error();
  if (bytes.ok()) stored.payload_bytes = *bytes;
  return Done{};
}

Status Draft::enter(const AddDelivery& change) {
  const model::Delivery& delivery = change.delivery;
  CHECK(delivery.state == model::DeliveryState::Pending);  // Ours: replay makes them so.
  const auto& [endpoint, id] = delivery.key;
  const std::string message_name = message_key(delivery.application, id).text();
  const auto found = get(Family::Message, message_name);
  if (!found.ok()) return found.error();
  if (!*found) return no_such("message");
  Result<StoredMessage> stored = decode_stored_message(delivery.application, id, **found);
  if (!stored.ok()) return stored.error();

  const std::string name = delivery_key(delivery.key).text();
  std::string bytes = encoded(delivery);
  const auto before = get(Family::Delivery, name);
  if (!before.ok()) return before.error();
  if (*before && **before == bytes) return Done{};
  if (*before) return conflict("there is a delivery of this message to this endpoint");

  // By its endpoints the deliveries of a message are found.
  std::vector<EndpointId>& endpoints = stored->message.endpoints;
  // It may be there: of a delivery that retention has dropped.
  if (std::find(endpoints.begin(), endpoints.end(), endpoint) == endpoints.end()) {
    endpoints.push_back(endpoint);
    if (Status known = find_payload(*stored); !known.ok()) return known;
    put(Family::Message, message_name, encoded(*stored));
  }
  put(Family::Delivery, name, std::move(bytes));
  put(Family::Due, due_key(endpoint, DueClass::Fresh, {delivery.due_at, id}).text(), {});
  return Done{};
}

Status Draft::enter(const CreateTask& change) {
  std::string name = task_key(change.task.organisation, change.task.id).text();
  std::string bytes = encoded(change.task);
  const auto before = get(Family::Task, name);
  if (!before.ok()) return before.error();
  if (*before && **before != bytes) return conflict("there is another task of this id");
  put(Family::Task, std::move(name), std::move(bytes));
  return Done{};
}

Status Draft::enter(const UpdateTask& change) {
  const model::Task& task = change.task;
  std::string name = task_key(task.organisation, task.id).text();
  std::string bytes = encoded(task);
  const auto before = get(Family::Task, name);
  if (!before.ok()) return before.error();
  if (!*before) return no_such("task");
  if (**before == bytes) return Done{};
  const Result<model::Task> stored = decode_task(task.organisation, task.id, **before);
  if (!stored.ok()) return stored.error();
  if (task.revision != stored->revision + 1) return conflict("the task was changed meanwhile");
  put(Family::Task, std::move(name), std::move(bytes));
  return Done{};
}

Status Draft::enter(const RevokeToken& change) {
  put(Family::Revoked, change.hash, encoded(Expiry{change.expires_at}));
  return Done{};
}

Status Draft::enter(const KeepLane& change) {
  std::string key = Key().id(change.endpoint).text();
  if (change.lane.empty()) {
    remove(Family::Lane, std::move(key));
  } else {
    put(Family::Lane, std::move(key), change.lane);
  }
  return Done{};
}

Status Draft::enter(const KeepSuspect& change) {
  std::string key = delivery_key(change.delivery).text();
  if (change.suspect) {
    put(Family::Suspect, std::move(key), encoded(*change.suspect));
  } else {
    remove(Family::Suspect, std::move(key));
  }
  return Done{};
}

Result<std::optional<std::string>> Draft::get(Family family, const std::string& key) {
  for (const Entries* entries : {&std::as_const(entries_), &before_}) {
    const auto here = entries->find({family, key});
    if (here != entries->end()) return here->second;
  }
  rocksdb::PinnableSlice value;
  const Result<bool> found = database_.get(family, key, value);
  if (!found.ok()) return found.error();
  if (!*found) return std::optional<std::string>();
  return std::optional(value.ToString());
}

void Draft::put(Family family, std::string key, std::string value) {
  entries_.insert_or_assign({family, std::move(key)}, std::move(value));
}

void Draft::remove(Family family, std::string key) {
  entries_.insert_or_assign({family, std::move(key)}, std::nullopt);
}

}  // namespace petrel::store
