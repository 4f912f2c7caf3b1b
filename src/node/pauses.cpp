#include "node/pauses.h"

#include <utility>

namespace petrel::node {

void Pauses::want(const engine::PauseCommand& pause) {
  want(std::make_shared<Wish>(Wish{pause, clock_.wall()}));
}

void Pauses::want(const std::shared_ptr<Wish>& wish) {
  auto edit = [wish](model::Endpoint& endpoint) {
    if (!wish->held_before) wish->held_before = endpoint.held.total;
    if (endpoint.held.total != *wish->held_before) return Status(conflict("it was resumed since"));
    if (!endpoint.pause) endpoint.pause = model::Pause{wish->since, wish->pause.why};
    return Status(Done{});
  };
  changes_.edit(wish->pause.endpoint, std::move(edit), [this, wish](const Status& status) {
    if (status.ok() || status.error().kind != ErrorKind::Unavailable) return;
    alarms_.at(clock_.mono() + kTryAgain, [this, wish] { want(wish); });
  });
}

}  // namespace petrel::node
