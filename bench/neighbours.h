// What receivers that hang cost their neighbours. Two servers run side by side, each with the same
// healthy endpoints; one of them also has endpoints whose receivers take every request and never
// answer, with a backlog for each. They begin to hang when the backlogs come, all at one moment.
//
// The healthy endpoints of the two get the same load in turn, a second each, over and over. So a
// machine that changes its pace meanwhile does so for both.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "load.h"
#include "petrel_process.h"
#include "receiver.h"
#include "socket.h"

namespace petrel::bench {

// Each endpoint has an authority of its own.
struct Hanging {
  std::string name;
  int endpoints = 1;
  int messages = 1;  // For each of them.
  bool is_grown =
      false;  // One whose receiver answers at first, until its limit is in the hundreds.

  // What it may make of its neighbours' p99.
  double ratio_max = 1.1;
};

struct NeighbourSettings {
  std::string binary;
  std::string folder;  // Scratch.
  int shards = 1;
  Hanging hanging;

  // The deadline of an attempt that hangs. With the longest one all of them hang all the time; with
  // a server's usual 15 s the limits soon fall to one, and then the circuits open.
  std::string deadline = "300s";

  int turns = 10;                                              // In one measurement.
  Load turn = {.endpoints = 100, .messages = 20, .rate = 20};  // What one server gets in its turn.
  LoadSettings sending;
};

struct NeighbourFigures {
  struct Side {
    double ack_p99_ms = 0;
    double way_p50_ms = 0;
    double way_p99_ms = 0;
    double cpu_us = 0;  // Per delivery.
  };

  Side alone;
  Side beside;                   // Next to those that hang.
  std::optional<double> slots;   // Of that server, if it says so, …
  std::optional<double> in_use;  // … and of them, by what hangs.
};

class Neighbours {
 public:
  // Starts the servers and fills the backlogs.
  explicit Neighbours(NeighbourSettings settings);

  NeighbourFigures measure();

  // The server with the hanging endpoints is left to be killed: it would wait for what is out.
  void stop() { alone_.server.stop(); }

 private:
  struct Place {
    Place(const NeighbourSettings& settings, const std::string& name, const Receiver& receiver);

    PetrelProcess server;
    std::string application;  // Of the healthy endpoints.
  };

  // All that was seen on one of the servers.
  struct Pool {
    std::vector<std::int64_t> ack_ns;
    std::vector<std::int64_t> way_ns;
    double cpu_s = 0;
  };

  void add_hanging(const std::string& application);
  void grow(const std::string& application);
  void post(const std::string& application, int messages) const;
  void take_turn(const Place& place, Pool& pool);
  static NeighbourFigures::Side side_of(Pool& pool);

  NeighbourSettings settings_;
  Receiver receiver_;
  Receiver turncoat_;             // Answers until it is told to hang.
  std::vector<Listener> silent_;  // Nobody accepts here: the system takes requests by itself.
  Place alone_;
  Place beside_;
};

// How many requests the one of two endpoints of a host has in flight that hangs and has a backlog,
// while the other has nothing to do.
double in_flight_beside_idle(const std::string& binary, const std::string& folder);

}  // namespace petrel::bench
