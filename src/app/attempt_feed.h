// AttemptFeed says which endpoint's attempts to ask for next, and which of those that came are
// news.
//
// An endpoint that had news is asked again soon, one that had none after a wait that doubles; so a
// few busy endpoints are followed closely among many quiet ones. Attempts appear in a list when
// they have ended, not in the order in which they began, so each id is remembered for a while.
//
// Time is handed in. It asks nobody itself.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"

namespace petrel::app {

struct FeedSettings {
  Duration wait_first = std::chrono::seconds(1);
  Duration wait_max = std::chrono::seconds(15);
  std::size_t remembered_max = 2000;  // Ids of each endpoint.
};

class AttemptFeed {
 public:
  explicit AttemptFeed(FeedSettings settings) : settings_(settings) {}

  // The endpoints there are now. Those that are new are due at once; those that are gone are
  // forgotten.
  void set_endpoints(const std::vector<std::string>& ids, MonoTime now);

  // Which to ask next, and when. Empty if there are no endpoints.
  struct Next {
    std::string endpoint;
    MonoTime at;
  };
  std::optional<Next> next() const;

  // Whether the attempt is one that has not been told of; it is remembered from now on.
  //
  // REQUIRES: the endpoint is one of those that were set.
  bool is_news(const std::string& endpoint, const std::string& attempt);

  // The endpoint was asked.
  void asked(const std::string& endpoint, bool had_news, MonoTime now);

 private:
  struct Watched {
    MonoTime due_at{};
    Duration wait{};
    std::set<std::string> known = {};
    std::deque<std::string> in_order = {};  // Of the known ones, the first that came first.
  };

  FeedSettings settings_;
  std::map<std::string, Watched> endpoints_;
};

}  // namespace petrel::app
