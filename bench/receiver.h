// Receiver answers every request with 200 and notes how long the message was on its way.
//
// It listens on several ports, because a server may treat each of them as a receiver of its own.
// The path says which endpoint a request is for, the payload which message it is and when that was
// sent (payload.h), so that a repetition is told from the first time.
//
// Thread: safe. It has one thread of its own.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

#include "socket.h"

namespace petrel::bench {

class Receiver {
 public:
  explicit Receiver(int port_count);
  ~Receiver();
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  // The URL of endpoint number `endpoint`; endpoints take the ports in turn.
  std::string url(int endpoint) const;

  // From now on it takes requests and answers none.
  void hang() { is_hanging_ = true; }

  // Forgets the past, and expects `messages` of them at each of `endpoints`.
  void expect(int endpoints, int messages);

  struct Tally {
    std::int64_t last_at_ns = 0;       // When the last of them came.
    std::int64_t repeated = 0;         // Requests for what had been received before.
    std::vector<std::int64_t> way_ns;  // From sent to received, of each in no order.
  };

  // Waits until all that is expected was received. Throws std::runtime_error if nothing at all
  // comes for a minute.
  Tally wait();

 private:
  struct Connection {
    Descriptor socket;
    std::string unread;
  };

  void run();
  void accept_from(int listener);
  void read_from(Connection& connection);
  void take(std::string_view path, std::string_view payload);

  std::vector<Listener> listeners_;
  Descriptor epoll_;
  Descriptor wake_;
  std::unordered_map<int, std::unique_ptr<Connection>> connections_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> is_received_;  // By endpoint and message.
  std::size_t messages_ = 0;
  Tally tally_;

  std::atomic<bool> is_hanging_ = false;
  std::atomic<bool> is_ending_ = false;
  std::thread thread_;  // Last: it uses all of the above.
};

}  // namespace petrel::bench
