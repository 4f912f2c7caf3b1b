// LaneRouter knows on which shard a lane lives, and carries mail there.
//
// Endpoints that share an authority (scheme, host, port) live on one shard, so that their requests
// are counted together: the one that the part of their URL names. So a lane moves when its endpoint
// gets a URL of another shard:
//
//   url_changes(id)      the old shard's lane starts nothing more; nobody makes another one
//   departs(id)          the old shard has nothing of it in flight any more, and sends LaneArrives
//   arrives(id, shard)   the new shard goes on with it; or says which shard has to, if the URL has
//                        changed once more meanwhile
//
// Meanwhile its mail goes to the old shard, and deliveries that are handed over are left in the
// store, where the new shard finds them.
//
// Thread: safe, once it is connected.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
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
    const engine::SuspectList& suspects;
  };

  // Deliveries that wait in a shard's mailbox. Beyond it they are left in the store, and the lanes
  // are told to look there.
  static constexpr std::size_t kHandedOverMax = 100'000;

  explicit LaneRouter(const Parts& parts) : parts_(parts) {}
  LaneRouter(const LaneRouter&) = delete;
  LaneRouter& operator=(const LaneRouter&) = delete;

  // Once, before anything is sent. The mailboxes outlive all sending.
  void connect(std::vector<Mailbox<ShardMail>*> shards);

  std::size_t shard_count() const override { return shards_.size(); }

  // Where the mail of an endpoint's lane goes. Empty if the catalogue does not know the endpoint.
  std::optional<std::size_t> shard_of(EndpointId endpoint) const;

  bool send_to(EndpointId endpoint, ShardMail mail) override;
  void send_to_shard(std::size_t shard, ShardMail mail) override;
  void send_to_authority(const std::string& authority, ShardMail mail) override;

  // Deliveries for lanes of that shard, which says taken_over() once it has read them.
  void hand_over(std::size_t shard, HandOver mail);
  void taken_over(std::size_t shard, std::size_t count) { waiting_[shard] -= count; }

  void url_changes(EndpointId endpoint, const std::string& from, const std::string& to) override;
  bool is_moving(EndpointId endpoint) const;

  // By the old shard: where the lane has to go. Empty if it was said before, or nothing moves.
  std::optional<std::size_t> departs(EndpointId endpoint);

  // By the new one. Empty: it goes on here.
  std::optional<std::size_t> arrives(EndpointId endpoint, std::size_t at);

  void health(EndpointId endpoint, Function<void(Result<engine::LaneHealth>)> answer) override;
  void order(EndpointId endpoint, LaneOrder order, Function<void(Status)> done) override;
  std::optional<engine::OpenCircuit> open_circuit(EndpointId endpoint) const override;
  bool is_sending(const model::DeliveryKey& delivery) const override;
  std::optional<engine::SuspectList::Entry> suspicion(
      const model::DeliveryKey& delivery) const override;

 private:
  struct Move {
    std::size_t from = 0;
    std::size_t to = 0;
    bool has_departed = false;
  };

  std::size_t shard_at(std::string_view url) const;
  std::optional<Move> move_of(EndpointId endpoint) const;

  const Parts parts_;
  std::vector<Mailbox<ShardMail>*> shards_;
  std::unique_ptr<std::atomic<std::size_t>[]> waiting_;  // Deliveries, for each shard.
  std::atomic<std::size_t> moving_ = 0;                  // So that nobody locks while none moves.
  Guarded<std::unordered_map<EndpointId, Move>> moves_;
};

}  // namespace petrel::node
