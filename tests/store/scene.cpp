#include "scene.h"

#include <type_traits>

#include "store/encoding.h"

namespace petrel::store {
namespace {

using std::chrono::seconds;

const RevokeToken kOlderToken{"an older token", kNoon + std::chrono::years(10)};
const RevokeToken kToken{"the hash of a token", kNoon + std::chrono::years(10)};

// Bytes that are the same for what is the same.
template <typename Record>
std::string bytes_of(const Record& record) {
  std::string out;
  encode(record, out);
  return out;
}

// Without the vault, which never seals the same way twice.
std::string bytes_of(const model::Endpoint& endpoint) {
  std::string out = endpoint.id.text() + ' ' + endpoint.uid + ' ' + endpoint.url;
  for (const std::uint8_t byte : endpoint.keys.current.bytes()) out += static_cast<char>(byte);
  return out + (endpoint.deleted_at ? " deleted" : "");
}

// As a server that starts again after a crash knows it.
model::Suspect suspect_of(const model::Delivery& delivery) {
  return {.delivery = delivery.key,
          .application = delivery.application,
          .crashes = 3,
          .life = 7,
          .crashed_at = kNoon,
          .version = "0.1.0",
          .held = model::Suspect::Held{kNoon, kNoon - seconds(1)}};
}

std::string bytes_of(const RevokeToken& token) { return token.hash; }
std::string bytes_of(const EndpointId& id) { return id.text(); }
std::string bytes_of(const std::pair<EndpointId, std::string>& lane) {
  return lane.first.text() + '=' + lane.second;
}
std::string bytes_of(const model::Payload& payload) { return payload ? *payload : "(gone)"; }

std::string bytes_of(const EndpointTally& tally) {
  std::string out = std::to_string(tally.live_fresh) + ' ' + std::to_string(tally.live_retry);
  for (const std::uint64_t count : tally.dead) out += ' ' + std::to_string(count);
  return out;
}

std::string bytes_of(const HourTally& hour) {
  return std::to_string(hour.success) + '/' + std::to_string(hour.failed);
}

std::string bytes_of(const LoadedPayload& loaded) {
  return bytes_of(loaded.bytes) + (loaded.is_damaged ? " damaged" : "");
}

std::string bytes_of(const KeptSizes& sizes) {
  return std::to_string(sizes.messages) + ' ' + std::to_string(sizes.payloads) + ' ' +
         std::to_string(sizes.payload_bytes);
}

std::string bytes_of(const model::Message& message) { return bytes_of(StoredMessage{message}); }

std::string bytes_of(const StoreCounts& counts) {
  std::string out;
  for (const std::uint64_t count :
       {counts.applications, counts.endpoints, counts.messages, counts.deliveries_live,
        counts.deliveries_dead, counts.deliveries_delivered, counts.attempts}) {
    out += std::to_string(count) + ' ';
  }
  return out;
}

std::string bytes_of(const std::optional<KnownAnswer>& answer) {
  return answer ? bytes_of(*answer) : "(none)";
}

std::string bytes_of(const DuePage& page);

template <typename Record>
std::string bytes_of(const std::vector<Record>& records) {
  std::string out = std::to_string(records.size());
  for (const Record& record : records) out += '|' + bytes_of(record);
  return out;
}

template <typename Record>
std::string bytes_of(const Listed<Record>& listed) {
  return bytes_of(listed.items);
}

std::string bytes_of(const DuePage& page) { return bytes_of(page.deliveries); }

template <typename Answer>
Result<std::string> told(const Result<Answer>& answer) {
  if (!answer.ok()) return answer.error();
  return bytes_of(*answer);
}

template <typename Answer>
Status status_of(const Result<Answer>& answer) {
  if (!answer.ok()) return answer.error();
  return Done{};
}

// Which of the changes it is, for the test's name.
std::string name_of(const Change& change) {
  static constexpr const char* kNames[] = {
      "CreateApplication", "UpdateApplication", "DeleteApplication", "CreateEndpoint",
      "UpdateEndpoint",    "DeleteEndpoint",    "CreateEventType",   "UpdateEventType",
      "DeleteEventType",   "ExpungePayload",    "ExpungeResponse",   "AddDelivery",
      "CreateTask",        "UpdateTask",        "RevokeToken",       "KeepLane",
      "KeepSuspect"};
  static_assert(std::size(kNames) == std::variant_size_v<Change>);
  return kNames[change.index()];
}

}  // namespace

Scene::Scene() : new_endpoint_(make_.endpoint(ApplicationId{})) {
  application_ = make_.application("acme");
  for (const char* uid : {"one", "two", "three"}) {
    endpoints_.push_back(make_.endpoint(application_.id, uid));
  }
  event_type_ = make_.event_type("invoice.paid");
  task_.id = TaskId(make_.ksuid());
  task_.organisation = make_.organisation;
  task_.application = application_.id;
  task_.created_at = task_.updated_at = kNoon;
  for (int i = 0; i < 4; ++i) {
    acceptances_.push_back(make_.acceptance(application_.id, {endpoints_[0].id, endpoints_[1].id}));
  }
  const auto first = [&](int i) {
    return acceptances_.at(static_cast<std::size_t>(i)).deliveries[0];
  };
  settlements_ = {make_.delivered(first(0)), make_.dead(first(1)),
                  make_.retrying(first(2), kNoon + seconds(5))};

  new_application_ = make_.application("other");
  new_endpoint_.application = application_.id;
  new_endpoint_.uid = "four";
  new_event_type_ = make_.event_type("invoice.sent");
  new_task_ = task_;
  new_task_.id = TaskId(make_.ksuid());
  new_acceptance_ = make_.acceptance(application_.id, {endpoints_[0].id, endpoints_[1].id});
  new_settlement_ = make_.delivered(settlements_[2].delivery);
}

void Scene::fill(RocksStore& store) const {
  ChangeSet set;
  set.changes = {CreateApplication{application_}, CreateEventType{event_type_}, CreateTask{task_},
                 kOlderToken};
  for (const model::Endpoint& endpoint : endpoints_)
    set.changes.emplace_back(CreateEndpoint{endpoint});
  ASSERT_TRUE(change(store, std::move(set)).ok());
  ASSERT_TRUE(accept(store, {acceptances_[0], acceptances_[1]}).ok());
  ASSERT_TRUE(settle(store, {settlements_[0]}).ok());
  ASSERT_TRUE(store.compact().ok());  // So far in tables, the rest in the log.
  ASSERT_TRUE(accept(store, {acceptances_[2], acceptances_[3]}).ok());
  ASSERT_TRUE(settle(store, {settlements_[1], settlements_[2]}).ok());
}

Status Scene::touch(RocksStore& store) const { return change(store, kOlderToken); }

std::vector<Change> Scene::changes() const {
  model::Application renamed = application_;
  renamed.name = "Renamed";
  model::Endpoint moved = endpoints_[0];
  moved.url = "https://elsewhere.example/";
  model::EventType described = event_type_;
  described.description = "Otherwise";
  model::Task next = task_;
  ++next.revision;
  ++next.progress.done;
  model::Delivery added = acceptances_[0].deliveries[0];
  added.key.endpoint = endpoints_[2].id;
  return {CreateApplication{new_application_},
          UpdateApplication{renamed},
          DeleteApplication{application_.id, kNoon},
          CreateEndpoint{new_endpoint_},
          UpdateEndpoint{moved},
          DeleteEndpoint{endpoints_[0].id, kNoon},
          CreateEventType{new_event_type_},
          UpdateEventType{described},
          DeleteEventType{event_type_.organisation, event_type_.name},
          ExpungePayload{application_.id, acceptances_[0].message.id},
          ExpungeResponse{acceptances_[0].message.id, settlements_[0].attempt->id},
          AddDelivery{added},
          CreateTask{new_task_},
          UpdateTask{next},
          kToken,
          KeepLane{endpoints_[0].id, "open"},
          KeepSuspect{added.key, suspect_of(added)}};
}

std::vector<Verb> Scene::verbs() const {
  std::vector<Verb> all = {
      {"Accept", [this](RocksStore& store) { return status_of(accept(store, {new_acceptance_})); }},
      {"Settle", [this](RocksStore& store) { return status_of(settle(store, {new_settlement_})); }},
      {"Compact", [](RocksStore& store) { return store.compact(); }},
      {"Purge",
       [](RocksStore& store) {
         // The clock is real: what has ended was ended long ago. One step, so whole or not at all.
         constexpr Duration kHour = std::chrono::hours(1);
         const RetentionRules rules{.others = {kHour, kHour, kHour, kHour}};
         return status_of(purge(store, {.rules = std::make_shared<const RetentionRules>(rules)}));
       }},
      {"Prove",
       [](RocksStore& store) -> Status {
         const auto condition =
             wait_for<StoreCondition>([&](auto done) { store.prove(std::move(done)); });
         if (!condition.takes_writes) return unavailable(condition.why_not);
         return Done{};
       }},
      {"ChangeSetWithSettlementAndAnswer", [this](RocksStore& store) {
         ChangeSet set;
         set.changes = {CreateTask{new_task_}, CreateEndpoint{new_endpoint_}};
         set.settlements = {new_settlement_};
         set.answer = KeptAnswer{"the key", "the hash", kNoon + std::chrono::years(10), 201, "{}"};
         return change(store, std::move(set));
       }}};
  for (const Change& one : changes()) {
    all.push_back({name_of(one), [one](RocksStore& store) { return change(store, one); }});
  }
  return all;
}

Readings Scene::read(RocksStore& store) const {
  Readings readings;
  read_catalogue(store, readings);
  read_messages(store, readings);
  read_queues(store, readings);
  readings.emplace("counts", told(store.count()));
  readings.emplace("kept", told(store.kept(application_.id)));
  readings.emplace("kept of all", told(store.kept({})));
  return readings;
}

void Scene::read_catalogue(RocksStore& store, Readings& readings) const {
  readings.emplace("applications", told(store.all_applications()));
  readings.emplace("endpoints", told(store.all_endpoints()));
  readings.emplace("event types", told(store.all_event_types()));
  readings.emplace("revoked tokens", told(store.revoked_tokens()));
  readings.emplace("kept lanes", told(store.kept_lanes()));
  readings.emplace("suspects", told(store.suspects()));
  readings.emplace("the kept answer", told(store.kept_answer("the key")));
  readings.emplace("tasks", told(store.tasks(make_.organisation, {})));
  readings.emplace("tasks under way", told(store.tasks_under_way()));
}

void Scene::read_messages(RocksStore& store, Readings& readings) const {
  readings.emplace("messages", told(store.messages(application_.id, {})));
  for (std::size_t i = 0; i < acceptances_.size(); ++i) {
    const MessageId id = acceptances_[i].message.id;
    const std::string number = std::to_string(i);
    readings.emplace("message " + number, told(store.message(application_.id, id)));
    readings.emplace("payload " + number, told(store.payload(id)));
    readings.emplace("loaded payload " + number, told(load_payloads(store, {id})));
    readings.emplace("deliveries of " + number, told(store.deliveries_of_message(id)));
    readings.emplace("attempts of " + number, told(store.attempts_of_message(id, {}, {})));
  }
}

void Scene::read_queues(RocksStore& store, Readings& readings) const {
  readings.emplace("endpoints with live", told(store.endpoints_with_live()));
  readings.emplace("dead letters", told(store.dead_letters({.application = application_.id})));
  for (const model::Endpoint& endpoint : endpoints_) {
    const EndpointId id = endpoint.id;
    for (const DueClass queue : {DueClass::Fresh, DueClass::Retry}) {
      const std::string name = queue == DueClass::Fresh ? "fresh of " : "retries of ";
      readings.emplace(name + endpoint.uid,
                       told(load_due(store, {.endpoint = id, .queue = queue})));
    }
    readings.emplace("deliveries to " + endpoint.uid, told(store.deliveries_of_endpoint(id, {})));
    readings.emplace("first waiting of " + endpoint.uid, told(store.first_waiting(id)));
    readings.emplace("attempts to " + endpoint.uid, told(store.attempts_of_endpoint(id, {}, {})));
    readings.emplace("tally of " + endpoint.uid, told(store.tally(id)));
    readings.emplace("hours of " + endpoint.uid,
                     told(store.hours(id, kNoon, kNoon + std::chrono::days(2))));
  }
}

}  // namespace petrel::store
