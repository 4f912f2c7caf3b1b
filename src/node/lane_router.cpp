#include "node/lane_router.h"

#include <utility>

#include "model/part.h"

namespace petrel::node {

std::optional<std::size_t> LaneRouter::shard_of(EndpointId id) {
  return places_.with([&](auto& places) -> std::optional<std::size_t> {
    const auto found = places.find(id);
    if (found != places.end()) return found->second;
    const store::EndpointPtr endpoint = parts_.catalogue.endpoint(id);
    if (endpoint == nullptr) return std::nullopt;
    const std::size_t place = model::part_of(endpoint->url) % shards_.size();
    places.emplace(id, place);
    return place;
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

}  // namespace petrel::node
