// Shard is one loop's share of a node: its lanes, the intake of the messages that come in on that
// loop, and the notices of what happens to its lanes. It is the only place that makes a lane.
//
// Thread: confined to its loop; mailbox() on any.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/mailbox.h"
#include "base/memory_budget.h"
#include "engine/core.h"
#include "engine/ongoing_attempts.h"
#include "engine/payload_shelf.h"
#include "engine/runner.h"
#include "intake/intake.h"
#include "node/lane_router.h"
#include "node/lane_setup.h"
#include "node/log_lines.h"
#include "node/open_circuits.h"
#include "node/seams.h"
#include "node/shard_mail.h"
#include "node/shard_survey.h"
#include "node/shared_rates.h"
#include "notice/herald.h"
#include "store/kept_lane.h"

namespace petrel::node {

// What a shard tells the node. Only handed over, on the shard's loop.
class ShardEvents {
 public:
  virtual ~ShardEvents() = default;

  // The lane stands still already, and has to be paused for good.
  virtual void pause_wanted(const engine::PauseCommand& pause) = 0;

  // The first attempt of a delivery that somebody put back has ended; empty if it ended without
  // one.
  virtual void answered(const model::DeliveryKey& delivery, std::optional<bool> is_good) = 0;

  // An attempt has ended of a delivery that was in flight at a crash.
  virtual void suspect_cleared(const model::DeliveryKey& delivery) = 0;
};

class Shard final : public intake::IntakeEvents {
 public:
  using KeptLanes = std::map<EndpointId, store::KeptLane>;

  struct Parts {
    std::size_t index;  // Among the shards.
    const Seams& seams;
    ShardSeams own;
    const LaneDefaults& defaults;
    SharedRates& rates;
    OpenCircuits& circuits;
    engine::OngoingAttempts& ongoing;
    engine::SuspectList& suspects;
    engine::NotePlaces note_places;
    MemoryBudget& memory;
    engine::PayloadShelf& payloads;
    LaneRouter& router;
    ShardEvents& events;
    FigureBoard& board;
    std::size_t endpoints_shown;  // See NodeSettings.
  };

  Shard(const Parts& parts, const engine::CoreSettings& core);
  Shard(const Shard&) = delete;
  Shard& operator=(const Shard&) = delete;

  // What an earlier process has kept of the lanes that live here. Before any mail is sent.
  void keep(KeptLanes lanes) { kept_ = std::move(lanes); }

  Mailbox<ShardMail>& mailbox() { return mailbox_; }
  intake::Intake& intake() { return intake_; }
  const engine::Core& core() const { return runner_.core(); }

 private:
  void accepted(std::vector<model::DueDelivery> due) override;
  void unsure(std::vector<EndpointId> endpoints) override;

  void read(std::vector<ShardMail> mail);
  void read(HandOver& mail);
  void read(LaneLook& mail);
  void read(LaneChanged& mail);
  void read(ApplicationChanged& mail);
  void read(ForgetPayloads& mail);
  void read(AuthorityLimitChanged& mail);
  void read(LaneArrives& mail);
  void read(LaneOrdered& mail);
  void read(LaneAsked& mail);
  void read(SlotGiven& mail);
  void read(EndpointNews& mail);
  void read(TaskNews& mail);
  void read(StartNothing& mail);
  void read(CancelAttempts& mail);
  void read(StopNotices& mail);
  void read(SuspectsMayGo& mail);
  void read(SuspectChanged& mail);

  engine::Now moment() const;
  engine::Runner::Listeners listeners();
  std::optional<engine::LaneConfig> config_of(EndpointId endpoint) const;

  // False if the lane is not here, or is about to leave.
  bool ensure_lane(EndpointId endpoint);
  bool is_elsewhere(EndpointId endpoint) const;
  std::optional<store::KeptLane> kept_of(EndpointId endpoint) const;
  void take_over(HandOver mail);
  void depart(EndpointId endpoint, std::optional<store::KeptLane> kept);
  void left(engine::LaneLeft lane);
  void forget(EndpointId endpoint);
  void forget_old_lanes();

  // Does it to every lane of the application that there is, some in each turn of the loop.
  using LaneAction = void (Shard::*)(EndpointId);
  void visit_lanes(ApplicationId application, LaneAction action, Applied applied,
                   EndpointId after = EndpointId());
  void reconfigure(EndpointId endpoint);
  void forget_payloads(EndpointId endpoint);
  void note_circuit(EndpointId endpoint, LaneIs is = LaneIs::Known);
  void settled(const model::Settlement& settlement);
  void tell_tasks(const model::Settlement& settlement);
  void suspect_ended(const engine::SuspectEnded& ended);

  const Parts parts_;
  KeptLanes kept_;    // Of lanes that are not there: in trouble, or from before the start.
  KeptLanes rested_;  // Of lanes that left at ease, for as long as their last success matters.
  MonoTime rested_looked_at_{};
  std::map<ApplicationId, std::set<EndpointId>> lanes_of_;  // The lanes that there are.
  engine::Runner runner_;
  intake::Intake intake_;
  notice::Herald herald_;
  ShardSurvey survey_;
  Mailbox<ShardMail> mailbox_;
};

}  // namespace petrel::node
