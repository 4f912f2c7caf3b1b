// PutOffSends are the attempts of a shard whose payloads had no room in memory when their turn
// came. They wait in the order of their coming, one line for each application: one that has too
// much in memory holds up nobody but itself.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include "base/id.h"
#include "engine/core.h"

namespace petrel::engine {

class PutOffSends {
 public:
  void add(SendCommand send, std::size_t payload_bytes);

  bool empty() const { return lines_.empty(); }

  // Takes those that may go. `may_go(send, bytes, before)` is asked in their order, with how many
  // bytes were let go before it, and its first no is the end for that application.
  template <typename MayGo>
  std::vector<SendCommand> take(MayGo may_go) {
    std::vector<SendCommand> taken;
    std::size_t before = 0;
    for (auto line = lines_.begin(); line != lines_.end();) {
      before = take_from(line->second, may_go, taken, before);
      line = line->second.empty() ? lines_.erase(line) : std::next(line);
    }
    return taken;
  }

  // As above, of this application alone.
  template <typename MayGo>
  std::vector<SendCommand> take_of(ApplicationId application, MayGo may_go) {
    std::vector<SendCommand> taken;
    const auto line = lines_.find(application);
    if (line == lines_.end()) return taken;
    take_from(line->second, may_go, taken);
    if (line->second.empty()) lines_.erase(line);
    return taken;
  }

  std::vector<SendCommand> take_all();
  std::vector<SendCommand> take_of(EndpointId endpoint);

 private:
  struct Waiting {
    SendCommand send;
    std::size_t bytes;
  };

  // Returns how many bytes were let go by then.
  template <typename MayGo>
  static std::size_t take_from(std::deque<Waiting>& waiting, MayGo& may_go,
                               std::vector<SendCommand>& taken, std::size_t before = 0) {
    while (!waiting.empty() && may_go(waiting.front().send, waiting.front().bytes, before)) {
      before += waiting.front().bytes;
      taken.push_back(std::move(waiting.front().send));
      waiting.pop_front();
    }
    return before;
  }

  std::map<ApplicationId, std::deque<Waiting>> lines_;
};

}  // namespace petrel::engine
