// RandomRecords draws records of any content, for tests: text with every byte, times and numbers at
// their ends, fields that are there and fields that are not.
//
// Thread: confined.

#pragma once

#include <optional>
#include <string>

#include "base/id.h"
#include "base/random.h"
#include "model/application.h"
#include "model/attempt.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/event_type.h"
#include "model/message.h"
#include "model/task.h"

namespace petrel::store {

class RandomRecords {
 public:
  explicit RandomRecords(std::uint64_t seed);

  model::Application application();
  model::Endpoint endpoint();
  model::EventType event_type();
  model::Message message();
  model::Delivery delivery();
  model::Attempt attempt();
  model::Task task();

  Ksuid ksuid();
  WallTime moment();
  Duration duration();
  int integer();
  std::string text();
  bool chance() { return random_.below(2) == 0; }
  Random& random() { return random_; }

 private:
  template <typename Draw>
  auto maybe(Draw draw) {
    std::optional<decltype(draw())> drawn;
    if (chance()) drawn = draw();
    return drawn;
  }

  model::Metadata metadata();
  signature::Secret secret();
  policy::Outcome outcome();
  policy::RetryPolicy retry_policy();
  policy::Guards guards();

  Random random_;
  SeededSecureRandom secure_;
};

}  // namespace petrel::store
