// Browse is the reading half of the store: what people and lists ask for.
//
// Every answer reflects what was committed before the question. It may touch the disk, so an event
// loop asks it from another thread.
//
// Thread: safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "base/time.h"
#include "model/application.h"
#include "model/attempt.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/event_type.h"
#include "model/message.h"
#include "model/suspect.h"
#include "model/task.h"
#include "store/change.h"
#include "store/purge.h"
#include "store/tally.h"

namespace petrel::store {

enum class Order : std::uint8_t { Ascending, Descending };

// A window into a list that is ordered by id.
struct Page {
  std::optional<Ksuid> after = {};  // The item that it follows, in the order of the list.
  Order order = Order::Ascending;
  std::size_t limit = 50;
};

template <typename T>
struct Listed {
  std::vector<T> items;
  bool has_more = false;  // In the direction of the list.

  // Where it stopped looking for what fits a filter, if it was before the end or the limit: what
  // comes next is behind it. Then has_more is set, and there may be nothing more.
  std::optional<Ksuid> looked_until = {};
};

struct AttemptFilter {
  std::optional<EndpointId> endpoint = {};
  std::optional<bool> is_success = {};   // Answered with a 2xx.
  std::optional<int> status_class = {};  // 2 for 2xx; 0 for attempts without an answer.

  // By the time in the attempt's id; neither includes the moment itself.
  std::optional<WallTime> before = {};
  std::optional<WallTime> after = {};
};

// Whether an attempt of this id that ended this way is one of those that the filter asks for. What
// it says of the endpoint is not looked at.
bool matches(const AttemptFilter& filter, AttemptId id, std::uint16_t code);

// Where a dead letter stands in the list of its application: by endpoint, then by the time of its
// death (the delivery's `updated_at`), then by message.
struct DeadPosition {
  EndpointId endpoint;
  WallTime died_at;
  MessageId message;

  friend auto operator<=>(const DeadPosition&, const DeadPosition&) = default;
};

struct DeadQuery {
  ApplicationId application;
  std::optional<EndpointId> endpoint = {};  // Only this one's.
  std::optional<DeadPosition> after = {};   // What they follow, in the order of the list.
  Order order = Order::Ascending;
  std::size_t limit = 50;
};

struct StoreCounts {
  std::uint64_t applications = 0;
  std::uint64_t endpoints = 0;
  std::uint64_t messages = 0;
  std::uint64_t deliveries_live = 0;
  std::uint64_t deliveries_dead = 0;
  std::uint64_t deliveries_delivered = 0;
  std::uint64_t attempts = 0;
};

class Browse {
 public:
  virtual ~Browse() = default;

  // All of them, also the deleted ones, for the catalogue that is kept in memory.
  virtual Result<std::vector<model::Application>> all_applications() = 0;
  virtual Result<std::vector<model::Endpoint>> all_endpoints() = 0;
  virtual Result<std::vector<model::EventType>> all_event_types() = 0;

  // One of them, also if it was deleted. NotFound if there is none.
  virtual Result<model::Application> application(ApplicationId id) = 0;
  virtual Result<model::Endpoint> endpoint(EndpointId id) = 0;
  virtual Result<model::EventType> event_type(OrganisationId organisation,
                                              std::string_view name) = 0;

  // What is known under an idempotency key; empty if there is nothing, or it has expired.
  virtual Result<std::optional<KnownAnswer>> kept_answer(std::string_view key) = 0;

  // Those that have not expired, to be kept in memory.
  virtual Result<std::vector<RevokeToken>> revoked_tokens() = 0;

  // What settlements have left of lanes, in the engine's own form, for a server that starts.
  using KeptLanes = std::vector<std::pair<EndpointId, std::string>>;
  virtual Result<KeptLanes> kept_lanes() = 0;

  // Deliveries that were in flight at crashes. What cannot be read of them is left out.
  virtual Result<std::vector<model::Suspect>> suspects() = 0;

  virtual Result<model::Message> message(ApplicationId application, MessageId id) = 0;
  virtual Result<MessageId> message_by_event_id(ApplicationId application,
                                                std::string_view event_id) = 0;
  virtual Result<Listed<model::Message>> messages(ApplicationId application, Page page) = 0;

  // Null if it was expunged or its retention is over; until the purge comes by, also one that the
  // message itself gave a period which is over, unless a delivery is live or a dead letter.
  virtual Result<model::Payload> payload(MessageId id) = 0;

  virtual Result<model::Delivery> delivery(model::DeliveryKey key) = 0;
  virtual Result<Listed<model::Delivery>> deliveries_of_endpoint(EndpointId endpoint,
                                                                 Page page) = 0;
  virtual Result<std::vector<model::Delivery>> deliveries_of_message(MessageId message) = 0;

  // Of the live deliveries of an endpoint those that come first: one that is fresh and one that is
  // tried again, if there are such.
  virtual Result<std::vector<model::Delivery>> first_waiting(EndpointId endpoint) = 0;

  virtual Result<Listed<model::Delivery>> dead_letters(DeadQuery query) = 0;

  virtual Result<Listed<model::Attempt>> attempts_of_message(MessageId message,
                                                             AttemptFilter filter, Page page) = 0;
  virtual Result<Listed<model::Attempt>> attempts_of_endpoint(EndpointId endpoint,
                                                              AttemptFilter filter, Page page) = 0;

  virtual Result<model::Task> task(OrganisationId organisation, TaskId id) = 0;
  virtual Result<Listed<model::Task>> tasks(OrganisationId organisation, Page page) = 0;

  // Those that a server has to take up again when it starts.
  virtual Result<std::vector<model::Task>> tasks_under_way() = 0;

  // What there is of an endpoint now.
  virtual Result<EndpointTally> tally(EndpointId endpoint) = 0;

  // What there is of all endpoints together, and the endpoints with the most live deliveries, the
  // deepest queue first, without those that have none. Both are known without a look at the disk,
  // also while the store is away: then they are as of the last commit.
  virtual EndpointTally totals() = 0;
  virtual std::vector<QueueDepth> deepest(std::size_t most) = 0;

  // How much is kept of an application now; without one, of all of them.
  virtual Result<KeptSizes> kept(std::optional<ApplicationId> application) = 0;

  // The hours in which it had attempts, in their order: from the one that `since` is in to the last
  // one that begins before `until`.
  virtual Result<std::vector<HourTally>> hours(EndpointId endpoint, WallTime since,
                                               WallTime until) = 0;

  // Walks the whole store; for tools, not for requests.
  virtual Result<StoreCounts> count() = 0;
};

}  // namespace petrel::store
