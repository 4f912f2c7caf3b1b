// ShardMail is all that crosses to a shard from elsewhere. Changes cross as ids: the shard reads
// the catalogue when it reads its mail, so that an old letter never brings an old state back.
//
// Thread: any. Values.

#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/function.h"
#include "base/id.h"
#include "base/result.h"
#include "engine/core.h"
#include "engine/lane_health.h"
#include "model/settlement.h"
#include "model/task.h"
#include "node/acknowledgement.h"
#include "node/lane_directory.h"
#include "notice/notice.h"
#include "store/kept_lane.h"

namespace petrel::node {

// Deliveries that were accepted and are on disk.
struct HandOver {
  std::vector<model::DueDelivery> due;
};

// The store may hold live deliveries of the endpoint that its lane has not heard of.
struct LaneLook {
  EndpointId endpoint;
};

struct LaneChanged {
  EndpointId endpoint;
  bool is_resumed;  // It was paused or disabled before the change, and is not any more.
  Applied applied;
};

// What its endpoints inherit, or whether they are there at all.
struct ApplicationChanged {
  ApplicationId application;
  Applied applied;
};

// Payloads of the application were expunged: none of them is sent from memory any more.
struct ForgetPayloads {
  ApplicationId application;
  Applied applied;
};

// How many attempts the endpoints of this authority may have in flight together.
struct AuthorityLimitChanged {
  std::string authority;
  engine::AuthorityLimit limit;
  Applied applied;  // May be null.
};

// The lane of an endpoint that has a new URL goes on at the shard that gets this.
struct LaneArrives {
  EndpointId endpoint;
  std::optional<store::KeptLane> kept;
};

struct LaneOrdered {
  EndpointId endpoint;
  LaneOrder order;
  Function<void(Status)> done;
};

struct LaneAsked {
  EndpointId endpoint;
  Function<void(Result<engine::LaneHealth>)> answer;
};

// The shard has waited for a slot that another has freed, and has it now.
struct SlotGiven {
  engine::SlotKind kind;
};

// Something that operators may want a notice of.
struct EndpointNews {
  notice::EndpointChange change;
};
struct TaskNews {
  model::Task task;
};

// Stopping, step by step; see drain.h.
struct StartNothing {
  Applied drained;
};
struct CancelAttempts {};
struct StopNotices {
  Applied stopped;
};

// A delivery that goes alone has ended: the next one may go.
struct SuspectsMayGo {};

// A delivery that was kept back goes by this from now on. What the lane knows of it is from before,
// and so may be the moment at which it is given up: the lane reads it again first.
struct SuspectChanged {
  model::DeliveryKey delivery;
  engine::SuspectList::Entry entry;
};

using ShardMail = std::variant<HandOver, LaneLook, LaneChanged, ApplicationChanged, ForgetPayloads,
                               AuthorityLimitChanged, LaneArrives, LaneOrdered, LaneAsked,
                               SlotGiven, EndpointNews, TaskNews, StartNothing, CancelAttempts,
                               StopNotices, SuspectsMayGo, SuspectChanged>;

}  // namespace petrel::node
