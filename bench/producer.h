// Producer posts messages over a number of connections that stay open, each of them with one
// request out at a time, as fast as they are answered or at a steady rate.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace petrel::bench {

struct ProducerSettings {
  std::uint16_t port = 0;
  std::string token;
  std::string application;
  int messages = 0;
  int connections = 64;
  std::size_t payload_bytes = 1024;
  double rate = 0;  // Messages a second; 0: as many as it takes.
};

struct ProducerTally {
  std::int64_t began_at_ns = 0;
  std::int64_t ended_at_ns = 0;      // When the last one was acknowledged.
  std::int64_t refused = 0;          // Answers of 503: posted again after the others.
  std::vector<std::int64_t> ack_ns;  // From a request sent to its 202, in no order.
};

// Comes back when all of them were acknowledged. Throws std::runtime_error on any other answer.
ProducerTally produce(const ProducerSettings& settings);

}  // namespace petrel::bench
