// What `petrel simulate` was asked for, as it was typed, and what is meant by it.
//
// Errors name the flag without its dashes.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "storm/run.h"
#include "storm/scenario.h"

namespace petrel::app {

struct SimulateOptions {
  std::int64_t events = 10'000;
  std::int64_t batch = 1;
  std::string span;
  std::string outage = "10m";
  std::string outage_at;
  std::string outage_kind = "refuse";
  std::string capacity = "200/s";
  std::string latency = "50ms";
  std::string crash_after = "2s";
  std::string crash_for = "30s";
  std::int64_t in_flight = 10;
  std::string timeout = "15s";
  std::string duration;
  std::string seed = "1";

  // Each may be several, with commas between.
  std::vector<std::string> policies = {
      "standard-webhooks,storm-safe,three-days,gethook,anyhook,webhookstream,"
      "fixed:30s:maxAttempts=50"};
  std::string guards = "both";
  bool is_without_breaker = false;

  bool is_json = false;
  std::string html;
  std::string svg;
};

Result<storm::Scenario> read_scenario(const SimulateOptions& options);

// One for each policy and setting of the guards.
Result<std::vector<storm::Contender>> read_contenders(const SimulateOptions& options);

// What gives the same comparison again, with every default spelled out.
std::string command_for(const storm::Scenario& scenario, const SimulateOptions& options);

}  // namespace petrel::app
