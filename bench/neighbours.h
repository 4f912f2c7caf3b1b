// What a receiver that hangs costs its neighbours. Two servers run side by side, each with the same
// healthy endpoints; one of them also has an endpoint whose receiver takes every request and never
// answers, and a long backlog for it.
//
// The healthy endpoints of the two get the same load in turn, a second each, over and over. So a
// machine that changes its pace meanwhile does so for both.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "load.h"
#include "petrel_process.h"
#include "receiver.h"
#include "socket.h"

namespace petrel::bench {

struct NeighbourSettings {
  std::string binary;
  std::string folder;  // Scratch.
  int backlog = 100'000;

  // The deadline of an attempt that hangs. With the longest one, ten requests hang all the time;
  // with a server's usual 15 s the limit soon falls to one, and then the circuit opens.
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
  Side beside;         // Next to the one that hangs.
  double hanging = 0;  // Its requests that are out, afterwards.
  double waiting = 0;  // Its backlog, afterwards.
};

class Neighbours {
 public:
  // Starts the servers and fills the backlog.
  explicit Neighbours(NeighbourSettings settings);

  NeighbourFigures measure();

  // The server with the hanging endpoint is left to be killed: it would wait for what is out.
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

  void fill();
  void take_turn(const Place& place, Pool& pool);
  static NeighbourFigures::Side side_of(Pool& pool);

  NeighbourSettings settings_;
  Receiver receiver_;
  Listener silent_;  // Nobody accepts here: the system takes connections and requests by itself.
  Place alone_;
  Place beside_;
  std::string hanging_application_;
};

}  // namespace petrel::bench
