// What dropping a long history costs a server that delivers meanwhile: the same load without it and
// beside it, on the same store, and what the store looks like afterwards.
//
// The history's main application is given a period of an hour when the purge is to begin; its dead
// letters stay, and are replayed at the end.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "load.h"
#include "petrel_process.h"
#include "receiver.h"

namespace petrel::bench {

struct RetentionBenchSettings {
  std::string binary;
  std::string folder;  // Scratch.
  std::int64_t messages = 1'000'000;
  int turns = 20;  // Before the purge; while it lasts, as many as it takes.
  Load turn = {.endpoints = 10, .messages = 500, .rate = 250};
  LoadSettings sending;
};

struct RetentionFigures {
  struct Side {
    double ack_p99_ms = 0;
    double way_p50_ms = 0;
    double way_p99_ms = 0;
    double deliveries = 0;
    double refused = 0;
    double repeated = 0;
  };
  Side without;
  Side beside;
  double messages_before = 0;
  double messages_after = 0;
  double purge_s = 0;
  double disk_mb_before = 0;
  double disk_mb_after = 0;
  double dead_letters = 0;  // That were kept …
  double replayed = 0;      // … and came when they were replayed.
};

// Throws std::runtime_error if the server does not do as it should.
RetentionFigures measure_retention(const RetentionBenchSettings& settings);

}  // namespace petrel::bench
