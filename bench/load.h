// A load is so many messages to so many endpoints; measure() puts it on a server and tells what
// that took.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "petrel_process.h"
#include "producer.h"
#include "receiver.h"

namespace petrel::bench {

struct Load {
  int endpoints = 1;
  int messages = 1000;
  double rate = 0;  // Messages a second; 0: as fast as the connections take them.
};

struct LoadSettings {
  int connections = 64;
  int in_flight_max = 64;  // Per endpoint.
  std::size_t payload_bytes = 1024;
};

struct Figures {
  double accepted_per_s = 0;
  double delivered_per_s = 0;
  double ack_p50_ms = 0;  // From the request sent to its 202.
  double ack_p99_ms = 0;
  double way_p50_ms = 0;  // From the request sent to the delivery received.
  double way_p99_ms = 0;
  double cpu_us = 0;  // Of the server, per delivery.
  double rss_mib_max = 0;
  double refused = 0;
  double repeated = 0;
};

// An application with that many endpoints, all at the receiver. Its id.
std::string prepare(const PetrelProcess& server, const Receiver& receiver, int endpoints,
                    const LoadSettings& settings);

// What was seen of a load, value by value.
struct Samples {
  ProducerTally produced;
  Receiver::Tally received;
  double cpu_s = 0;  // Of the server.
};

// REQUIRES: the application is one that prepare() made for as many endpoints.
Samples put_on(const PetrelProcess& server, Receiver& receiver, const std::string& application,
               const Load& load, const LoadSettings& settings);

// The same, summed up.
Figures measure(const PetrelProcess& server, Receiver& receiver, const std::string& application,
                const Load& load, const LoadSettings& settings);

}  // namespace petrel::bench
