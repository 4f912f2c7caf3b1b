// The reading half of MemoryStore.

#include <algorithm>
#include <iterator>

#include "store/memory/memory_store.h"

namespace petrel::store {
namespace {

void add_to(const model::Delivery& delivery, EndpointTally& tally) {
  if (delivery.state == model::DeliveryState::Pending) ++tally.live_fresh;
  if (delivery.state == model::DeliveryState::Retrying) ++tally.live_retry;
  if (delivery.reason) ++tally.dead[static_cast<std::size_t>(*delivery.reason)];
}

Ksuid last_ksuid() {
  Ksuid::Bytes bytes;
  bytes.fill(0xFF);
  return Ksuid(bytes);
}

// Walks from `begin` to `end`, or backwards, and gathers what `read` makes of each entry; an entry
// that it makes nothing of is left out.
template <typename T, typename Iterator, typename Read>
Listed<T> gather(Iterator begin, Iterator end, Page page, Read read) {
  Listed<T> listed;
  // False when it is full, which is when one more was found than fits.
  const auto add = [&](const auto& entry) {
    std::optional<T> item = read(entry);
    if (!item) return true;
    listed.has_more = listed.items.size() == page.limit;
    if (!listed.has_more) listed.items.push_back(*std::move(item));
    return !listed.has_more;
  };
  if (page.order == Order::Ascending) {
    while (begin != end && add(*begin)) ++begin;
  } else {
    while (begin != end && add(*std::prev(end))) --end;
  }
  return listed;
}

// The part of an ordered container of (owner, thing) keys that belongs to `owner` and comes after
// the page's cursor.
template <typename Key, typename Container>
auto range(const Container& container, Page page, auto make_key) {
  const bool is_ascending = page.order == Order::Ascending;
  auto begin = container.lower_bound(make_key(Ksuid()));
  auto end = container.upper_bound(make_key(last_ksuid()));
  if (page.after && is_ascending) begin = container.upper_bound(make_key(*page.after));
  if (page.after && !is_ascending) end = container.lower_bound(make_key(*page.after));
  return std::pair(begin, end);
}

}  // namespace

Result<std::vector<model::Application>> MemoryStore::all_applications() {
  std::vector<model::Application> all;
  for (const auto& [id, application] : records_.applications) all.push_back(application);
  return all;
}

Result<std::vector<model::Endpoint>> MemoryStore::all_endpoints() {
  std::vector<model::Endpoint> all;
  for (const auto& [id, endpoint] : records_.endpoints) all.push_back(endpoint);
  return all;
}

Result<std::vector<model::EventType>> MemoryStore::all_event_types() {
  std::vector<model::EventType> all;
  for (const auto& [key, event_type] : records_.event_types) all.push_back(event_type);
  return all;
}

Result<model::Application> MemoryStore::application(ApplicationId id) {
  const auto found = records_.applications.find(id);
  if (found == records_.applications.end()) return not_found("there is no such application");
  return found->second;
}

Result<model::Endpoint> MemoryStore::endpoint(EndpointId id) {
  const auto found = records_.endpoints.find(id);
  if (found == records_.endpoints.end()) return not_found("there is no such endpoint");
  return found->second;
}

Result<std::vector<model::Delivery>> MemoryStore::first_waiting(EndpointId endpoint) {
  std::vector<model::Delivery> first;
  for (const DueClass queue : {DueClass::Fresh, DueClass::Retry}) {
    const auto found = due_.lower_bound({endpoint, queue, {WallTime::min(), MessageId()}});
    if (found == due_.end() || std::get<0>(*found) != endpoint || std::get<1>(*found) != queue) {
      continue;
    }
    first.push_back(deliveries_.at({endpoint, std::get<2>(*found).message}));
  }
  return first;
}

Result<model::EventType> MemoryStore::event_type(OrganisationId organisation,
                                                 std::string_view name) {
  const auto found = records_.event_types.find({organisation, std::string(name)});
  if (found == records_.event_types.end()) return not_found("there is no such event type");
  return found->second;
}

Result<std::optional<KnownAnswer>> MemoryStore::kept_answer(std::string_view key) {
  const auto found = answers_.find(key);
  if (found == answers_.end() || found->second.expires_at <= clock_.wall()) {
    return std::optional<KnownAnswer>();
  }
  return std::optional(found->second);
}

Result<std::vector<RevokeToken>> MemoryStore::revoked_tokens() {
  std::vector<RevokeToken> tokens;
  for (const auto& [hash, expires_at] : records_.revoked) {
    if (expires_at > clock_.wall()) tokens.push_back({hash, expires_at});
  }
  return tokens;
}

Result<Browse::KeptLanes> MemoryStore::kept_lanes() {
  return KeptLanes(lanes_.begin(), lanes_.end());
}

Result<std::vector<model::Suspect>> MemoryStore::suspects() {
  std::vector<model::Suspect> all;
  for (const auto& [key, suspect] : suspects_) all.push_back(suspect);
  return all;
}

Result<model::Message> MemoryStore::message(ApplicationId application, MessageId id) {
  const auto found = messages_.find(id);
  if (found == messages_.end() || found->second.message.application != application) {
    return not_found("there is no such message");
  }
  return found->second.message;
}

Result<MessageId> MemoryStore::message_by_event_id(ApplicationId application,
                                                   std::string_view event_id) {
  const auto found = event_ids_.find({application, std::string(event_id)});
  if (found == event_ids_.end()) return not_found("there is no message of this event id");
  return found->second;
}

Result<Listed<model::Message>> MemoryStore::messages(ApplicationId application, Page page) {
  using Key = std::pair<ApplicationId, MessageId>;
  const auto [begin, end] = range<Key>(messages_of_application_, page, [&](const Ksuid& id) {
    return Key(application, MessageId(id));
  });
  return gather<model::Message>(begin, end, page, [&](const Key& key) {
    return std::optional(messages_.at(key.second).message);
  });
}

Result<model::Payload> MemoryStore::payload(MessageId id) {
  const auto found = messages_.find(id);
  if (found == messages_.end()) return model::Payload();
  const auto& [message, payload] = found->second;
  if (!message.payload_expires_at || *message.payload_expires_at > clock_.wall()) return payload;
  for (const EndpointId& endpoint : message.endpoints) {
    const auto delivery = deliveries_.find({endpoint, id});
    if (delivery != deliveries_.end() && keeps_payload(delivery->second.state)) return payload;
  }
  return model::Payload();
}

Result<model::Delivery> MemoryStore::delivery(model::DeliveryKey key) {
  const auto found = deliveries_.find(key);
  if (found == deliveries_.end()) return not_found("there is no such delivery");
  return found->second;
}

Result<Listed<model::Delivery>> MemoryStore::deliveries_of_endpoint(EndpointId endpoint,
                                                                    Page page) {
  using Key = model::DeliveryKey;
  const auto [begin, end] = range<Key>(deliveries_, page, [&](const Ksuid& id) {
    return Key{endpoint, MessageId(id)};
  });
  return gather<model::Delivery>(begin, end, page,
                                 [](const auto& entry) { return std::optional(entry.second); });
}

Result<std::vector<model::Delivery>> MemoryStore::deliveries_of_message(MessageId message) {
  std::vector<model::Delivery> found;
  const auto kept = messages_.find(message);
  if (kept == messages_.end()) return found;
  for (const EndpointId& endpoint : kept->second.message.endpoints) {
    const auto delivery = deliveries_.find({endpoint, message});
    if (delivery != deliveries_.end()) found.push_back(delivery->second);
  }
  return found;
}

Result<Listed<model::Delivery>> MemoryStore::dead_letters(DeadQuery query) {
  const EndpointId first = query.endpoint.value_or(EndpointId());
  const EndpointId last = query.endpoint.value_or(EndpointId(last_ksuid()));
  const MessageId last_message(last_ksuid());
  auto begin = dead_.lower_bound({query.application, {first, WallTime::min(), MessageId()}});
  auto end = dead_.upper_bound({query.application, {last, WallTime::max(), last_message}});
  if (query.after && query.order == Order::Ascending) {
    begin = dead_.upper_bound({query.application, *query.after});
  } else if (query.after) {
    end = dead_.lower_bound({query.application, *query.after});
  }
  const Page page{.after = {}, .order = query.order, .limit = query.limit};
  return gather<model::Delivery>(begin, end, page, [&](const DeadKey& key) {
    return std::optional(deliveries_.at({key.second.endpoint, key.second.message}));
  });
}

Result<Listed<model::Attempt>> MemoryStore::attempts_of_message(MessageId message,
                                                                AttemptFilter filter, Page page) {
  using Key = std::pair<MessageId, AttemptId>;
  const auto [begin, end] =
      range<Key>(attempts_, page, [&](const Ksuid& id) { return Key(message, AttemptId(id)); });
  return gather<model::Attempt>(
      begin, end, page, [&](const auto& entry) -> std::optional<model::Attempt> {
        const model::Attempt& attempt = entry.second;
        if (filter.endpoint && attempt.delivery.endpoint != *filter.endpoint) return {};
        if (!matches(filter, attempt.id, attempt.outcome.code())) return {};
        return attempt;
      });
}

Result<Listed<model::Attempt>> MemoryStore::attempts_of_endpoint(EndpointId endpoint,
                                                                 AttemptFilter filter, Page page) {
  using Key = std::pair<EndpointId, AttemptId>;
  const auto [begin, end] = range<Key>(
      attempts_of_endpoint_, page, [&](const Ksuid& id) { return Key(endpoint, AttemptId(id)); });
  return gather<model::Attempt>(
      begin, end, page, [&](const auto& entry) -> std::optional<model::Attempt> {
        const model::Attempt& attempt = attempts_.at({entry.second, entry.first.second});
        if (!matches(filter, attempt.id, attempt.outcome.code())) return {};
        return attempt;
      });
}

Result<model::Task> MemoryStore::task(OrganisationId organisation, TaskId id) {
  const auto found = records_.tasks.find({organisation, id});
  if (found == records_.tasks.end()) return not_found("there is no such task");
  return found->second;
}

Result<Listed<model::Task>> MemoryStore::tasks(OrganisationId organisation, Page page) {
  using Key = std::pair<OrganisationId, TaskId>;
  const auto [begin, end] = range<Key>(
      records_.tasks, page, [&](const Ksuid& id) { return Key(organisation, TaskId(id)); });
  return gather<model::Task>(begin, end, page,
                             [](const auto& entry) { return std::optional(entry.second); });
}

Result<std::vector<model::Task>> MemoryStore::tasks_under_way() {
  std::vector<model::Task> tasks;
  for (const auto& [key, task] : records_.tasks) {
    if (!task.has_ended()) tasks.push_back(task);
  }
  return tasks;
}

Result<EndpointTally> MemoryStore::tally(EndpointId endpoint) {
  EndpointTally tally;
  for (const auto& [key, delivery] : deliveries_) {
    if (key.endpoint == endpoint) add_to(delivery, tally);
  }
  return tally;
}

EndpointTally MemoryStore::totals() {
  EndpointTally totals;
  for (const auto& [key, delivery] : deliveries_) add_to(delivery, totals);
  return totals;
}

std::vector<QueueDepth> MemoryStore::deepest(std::size_t most) {
  std::map<EndpointId, EndpointTally> tallies;
  for (const auto& [key, delivery] : deliveries_) {
    if (delivery.is_live()) add_to(delivery, tallies[key.endpoint]);
  }
  DeepestQueues deepest(most);
  for (const auto& [endpoint, tally] : tallies) {
    deepest.add({endpoint, tally.live_fresh, tally.live_retry});
  }
  return deepest.take();
}

Result<KeptSizes> MemoryStore::kept(std::optional<ApplicationId> application) {
  if (!application) return kept_;
  KeptSizes sizes;
  for (const auto& [id, kept] : messages_) {
    if (kept.message.application != *application) continue;
    ++sizes.messages;
    if (!kept.payload) continue;
    ++sizes.payloads;
    sizes.payload_bytes += kept.payload->size();
  }
  return sizes;
}

Result<std::vector<HourTally>> MemoryStore::hours(EndpointId endpoint, WallTime since,
                                                  WallTime until) {
  std::vector<HourTally> listed;
  for (auto next = hours_.lower_bound({endpoint, hour_of(since)});
       next != hours_.end() && next->first.first == endpoint && next->first.second < until;
       ++next) {
    listed.push_back(next->second);
  }
  return listed;
}

Result<StoreCounts> MemoryStore::count() {
  StoreCounts counts;
  counts.applications = records_.applications.size();
  counts.endpoints = records_.endpoints.size();
  counts.messages = messages_.size();
  counts.attempts = attempts_.size();
  for (const auto& [key, delivery] : deliveries_) {
    if (delivery.is_live()) ++counts.deliveries_live;
    if (delivery.state == model::DeliveryState::Dead) ++counts.deliveries_dead;
    if (delivery.state == model::DeliveryState::Delivered) ++counts.deliveries_delivered;
  }
  return counts;
}

}  // namespace petrel::store
