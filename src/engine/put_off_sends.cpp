#include "engine/put_off_sends.h"

#include <utility>

#include "model/endpoint.h"

namespace petrel::engine {

void PutOffSends::add(SendCommand send, std::size_t payload_bytes) {
  const ApplicationId application = send.order.endpoint->application;
  lines_[application].push_back({std::move(send), payload_bytes});
}

std::vector<SendCommand> PutOffSends::take_all() {
  return take([](const SendCommand&, std::size_t, std::size_t) { return true; });
}

std::vector<SendCommand> PutOffSends::take_of(EndpointId endpoint) {
  std::vector<SendCommand> taken;
  for (auto line = lines_.begin(); line != lines_.end();) {
    std::deque<Waiting> others;
    for (Waiting& each : line->second) {
      const bool is_its = each.send.order.delivery.endpoint == endpoint;
      is_its ? taken.push_back(std::move(each.send)) : others.push_back(std::move(each));
    }
    line->second = std::move(others);
    line = line->second.empty() ? lines_.erase(line) : std::next(line);
  }
  return taken;
}

}  // namespace petrel::engine
