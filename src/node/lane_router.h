// LaneRouter knows on which shard a lane lives, and carries mail there.
//
// Endpoints that share an authority (scheme, host, port) live on one shard, so that their requests
// are counted together. A lane stays where it is as long as the process runs, also if its URL
// changes: moving it would let two shards send to it at once.
//
// Thread: safe, once it is connected.

#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/guarded.h"
#include "base/mailbox.h"
#include "engine/ongoing_attempts.h"
#include "node/lane_directory.h"
#include "node/lane_mail.h"
#include "node/open_circuits.h"
#include "node/shard_mail.h"
#include "store/catalogue.h"

namespace petrel::node {

class LaneRouter final : public LaneDirectory, public LaneMail {
 public:
  struct Parts {
    const store::Catalogue& catalogue;
    const OpenCircuits& circuits;
    const engine::OngoingAttempts& ongoing;
  };

  explicit LaneRouter(const Parts& parts) : parts_(parts) {}
  LaneRouter(const LaneRouter&) = delete;
  LaneRouter& operator=(const LaneRouter&) = delete;

  // Once, before anything is sent. The mailboxes outlive all sending.
  void connect(std::vector<Mailbox<ShardMail>*> shards) { shards_ = std::move(shards); }

  std::size_t shard_count() const override { return shards_.size(); }

  // Where the lane of an endpoint lives, or would. Empty if the catalogue does not know it.
  std::optional<std::size_t> shard_of(EndpointId endpoint);

  bool send_to(EndpointId endpoint, ShardMail mail) override;
  void send_to_shard(std::size_t shard, ShardMail mail) override;

  void health(EndpointId endpoint, Function<void(Result<engine::LaneHealth>)> answer) override;
  void order(EndpointId endpoint, LaneOrder order, Function<void(Status)> done) override;
  std::optional<engine::OpenCircuit> open_circuit(EndpointId endpoint) const override;
  bool is_sending(const model::DeliveryKey& delivery) const override;

 private:
  const Parts parts_;
  std::vector<Mailbox<ShardMail>*> shards_;
  Guarded<std::unordered_map<EndpointId, std::size_t>> places_;
};

}  // namespace petrel::node
