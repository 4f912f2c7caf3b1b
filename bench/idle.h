// What a server costs that has nothing to do: with many endpoints whose circuits are open and whose
// deliveries wait, and with as many that are at ease.

#pragma once

#include <string>

#include "base/time.h"

namespace petrel::bench {

struct IdleSettings {
  std::string binary;
  std::string folder;  // Scratch.
  int endpoints = 10'000;
  Duration watched = std::chrono::seconds(10);
};

struct IdleFigures {
  double cpu_ms_per_s = 0;
  double rss_mib = 0;
};

class Idle {
 public:
  // Makes the two stores.
  explicit Idle(IdleSettings settings);

  // Each starts a server, lets it come to rest, and watches it for a while.
  IdleFigures at_ease() const { return watch(at_ease_, "closed"); }
  IdleFigures with_open_circuits() const { return watch(open_, "open"); }

 private:
  struct Place {
    std::string folder;
    std::string application;
    std::string token;
  };

  Place set_up(const std::string& name) const;
  IdleFigures watch(const Place& place, const std::string& circuit) const;

  IdleSettings settings_;
  Place at_ease_;
  Place open_;
};

}  // namespace petrel::bench
