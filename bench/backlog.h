// What a large backlog costs: a store with many waiting deliveries to receivers that are down is
// started again, and fresh messages to a healthy endpoint are measured next to it. An empty store
// is measured in the same way, in turn with it.

#pragma once

#include <string>

#include "load.h"

namespace petrel::bench {

struct BacklogSettings {
  std::string binary;
  std::string folder;  // Scratch.
  int deliveries = 0;

  // To measure with. Enough that the work which the restart itself leaves behind (compaction of
  // what was waiting, circuits that open again) is not charged to a few of them.
  int fresh_messages = 100'000;

  LoadSettings load;
};

// A start of the server and the load after it.
struct RestartFigures {
  double listens_ms = 0;         // From the start of the process.
  double first_delivery_ms = 0;  // The same, to a fresh message's arrival.
  double rss_mib = 0;            // After that first delivery.
  Figures load;
};

class Backlog {
 public:
  // Fills a store; this is what takes long.
  explicit Backlog(BacklogSettings settings);

  RestartFigures restart_with_backlog() { return restart(full_); }
  RestartFigures restart_when_empty() { return restart(empty_); }

  double filled_per_s() const { return filled_per_s_; }

 private:
  struct Place {
    std::string folder;
    std::string application;  // Of the healthy endpoint.
    std::string token;
  };

  void fill(const PetrelProcess& server);
  Place set_up(const std::string& name, bool is_filled);
  RestartFigures restart(const Place& place);

  BacklogSettings settings_;
  Receiver receiver_;
  std::vector<Listener> down_;
  double filled_per_s_ = 0;
  Place full_;
  Place empty_;
};

}  // namespace petrel::bench
