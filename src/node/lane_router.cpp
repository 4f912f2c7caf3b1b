#include "node/lane_router.h"

#include <set>
#include <utility>

#include "model/part.h"

namespace petrel::node {

void LaneRouter::connect(std::vector<Mailbox<ShardMail>*> shards) {
  shards_ = std::move(shards);
  waiting_ = std::make_unique<std::atomic<std::size_t>[]>(shards_.size());
}

std::size_t LaneRouter::shard_at(std::string_view url) const {
  return model::part_of(url) % shards_.size();
}

std::optional<LaneRouter::Move> LaneRouter::move_of(EndpointId endpoint) const {
  if (moving_ == 0) return std::nullopt;
  return moves_.with([&](const auto& moves) -> std::optional<Move> {
    const auto found = moves.find(endpoint);
    if (found == moves.end()) return std::nullopt;
    return found->second;
  });
}

std::optional<std::size_t> LaneRouter::shard_of(EndpointId endpoint) const {
  if (const auto move = move_of(endpoint)) return move->from;
  const std::optional<model::Part> part = parts_.catalogue.part(endpoint);
  if (!part) return std::nullopt;
  return *part % shards_.size();
}

bool LaneRouter::is_moving(EndpointId endpoint) const { return move_of(endpoint).has_value(); }

void LaneRouter::url_changes(EndpointId endpoint, const std::string& from, const std::string& to) {
  const std::size_t old_shard = shard_at(from);
  const std::size_t new_shard = shard_at(to);
  if (old_shard == new_shard) return;
  moves_.with([&](auto& moves) {
    const auto [place, is_new] = moves.try_emplace(endpoint, Move{old_shard, new_shard});
    place->second.to = new_shard;  // One that is under way goes there instead.
    if (is_new) ++moving_;
  });
}

std::optional<std::size_t> LaneRouter::departs(EndpointId endpoint) {
  return moves_.with([&](auto& moves) -> std::optional<std::size_t> {
    const auto found = moves.find(endpoint);
    if (found == moves.end() || std::exchange(found->second.has_departed, true))
      return std::nullopt;
    return found->second.to;
  });
}

std::optional<std::size_t> LaneRouter::arrives(EndpointId endpoint, std::size_t at) {
  return moves_.with([&](auto& moves) -> std::optional<std::size_t> {
    const auto found = moves.find(endpoint);
    if (found == moves.end()) return std::nullopt;
    if (found->second.to != at) return found->second.to;
    moves.erase(found);
    --moving_;
    return std::nullopt;
  });
}

bool LaneRouter::send_to(EndpointId endpoint, ShardMail mail) {
  const std::optional<std::size_t> shard = shard_of(endpoint);
  if (!shard) return false;
  shards_[*shard]->send(std::move(mail));
  return true;
}

void LaneRouter::send_to_shard(std::size_t shard, ShardMail mail) {
  shards_[shard]->send(std::move(mail));
}

void LaneRouter::send_to_authority(const std::string& authority, ShardMail mail) {
  shards_[shard_at(authority)]->send(std::move(mail));
}

void LaneRouter::hand_over(std::size_t shard, HandOver mail) {
  if (waiting_[shard] < kHandedOverMax) {
    waiting_[shard] += mail.due.size();
    return shards_[shard]->send(std::move(mail));
  }
  std::set<EndpointId> endpoints;
  for (const model::DueDelivery& due : mail.due) endpoints.insert(due.delivery.key.endpoint);
  for (const EndpointId endpoint : endpoints) shards_[shard]->send(LaneLook{endpoint});
}

void LaneRouter::health(EndpointId endpoint, Function<void(Result<engine::LaneHealth>)> answer) {
  const std::optional<std::size_t> shard = shard_of(endpoint);
  if (!shard) return answer(not_found("there is no such endpoint"));
  shards_[*shard]->send(LaneAsked{endpoint, std::move(answer)});
}

void LaneRouter::order(EndpointId endpoint, LaneOrder order, Function<void(Status)> done) {
  const std::optional<std::size_t> shard = shard_of(endpoint);
  if (!shard) return done(not_found("there is no such endpoint"));
  shards_[*shard]->send(LaneOrdered{endpoint, order, std::move(done)});
}

std::optional<engine::OpenCircuit> LaneRouter::open_circuit(EndpointId endpoint) const {
  return parts_.circuits.find(endpoint);
}

bool LaneRouter::is_sending(const model::DeliveryKey& delivery) const {
  return parts_.ongoing.has(delivery);
}

std::optional<engine::SuspectList::Entry> LaneRouter::suspicion(
    const model::DeliveryKey& delivery) const {
  return parts_.suspects.find(delivery);
}

}  // namespace petrel::node
