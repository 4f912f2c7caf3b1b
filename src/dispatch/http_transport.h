// HttpTransport sends attempts as HTTP/1.1 requests: signed, over kept connections where it can,
// and never to an address that the guard refuses.
//
// Everything is bounded. One deadline covers an attempt from the name to the last byte of the
// answer; of the answer at most 32 KiB of headers and 64 KiB of body are read; redirects are not
// followed and nothing is unpacked. Whatever goes wrong is a result, in the words of FailureKind;
// what was want of our own (descriptors, memory, a proxy that is down) is our_fault.
//
// It runs on an event loop that its owner turns, and never blocks it.
//
// Thread: confined to the loop's thread.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/id.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "dispatch/connection_pool.h"
#include "dispatch/idle_connections.h"
#include "engine/transport.h"
#include "net/address_guard.h"
#include "net/descriptor_budget.h"
#include "net/resolver.h"

namespace boost::asio {
class io_context;
}

namespace petrel::dispatch {

struct HttpTransportSettings {
  std::string user_agent = "Petrel";
  net::AddressGuard guard;
  std::string proxy;    // "http://host:port" or "socks5://host:port"; empty: none.
  std::string ca_file;  // Empty: the authorities that the system trusts.
  PoolSettings pool;
  net::ResolverSettings resolver;

  // Shared by the transports of all loops. Null: one that is this transport's alone, and large.
  std::shared_ptr<net::DescriptorBudget> descriptors = nullptr;
  std::shared_ptr<IdleConnections> idle = nullptr;

  // Where answers are counted while they are read. Null: no bound.
  std::shared_ptr<MemoryBudget> memory = nullptr;
};

class HttpTransport final : public engine::Transport {
 public:
  // Fails with Invalid at `proxy`, `caFile` or `nameServers`.
  static Result<std::unique_ptr<HttpTransport>> make(boost::asio::io_context& loop,
                                                     const Clock& clock,
                                                     HttpTransportSettings settings);

  // What is still out is never answered: call cancel_all() and turn the loop before, if it matters.
  ~HttpTransport() override;
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  // REQUIRES: order.payload and order.endpoint are not null, and `done` does not destroy the
  // transport.
  void send(model::AttemptOrder order, Done done) override;

  void cancel_all() override;

  // The system has no descriptor for us: closes an idle connection, of this loop or another. The
  // answer is false if there is none, and may come later, on the loop.
  void relieve(std::function<void(bool is_freed)> done);

  // For the curious: connections that are kept for later, and attempts in flight.
  std::size_t idle_connections() const;
  std::size_t attempts_out() const;

 private:
  class Impl;
  explicit HttpTransport(std::shared_ptr<Impl> impl);

  std::shared_ptr<Impl> impl_;  // Watched by its timers, which may fire once more after it.
};

}  // namespace petrel::dispatch
