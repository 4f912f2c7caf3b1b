// ConnectionPlaces is what a transport asks before it opens a connection: it finds a descriptor, if
// need be one of a connection that idles.
//
//   a free place of the budget
//     ─▶ else that of the connection that has idled longest in the own pool
//       ─▶ else that of the one that has idled longest at another loop
//         ─▶ else none: a fault of ours
//
// Thread: confined to the transport's loop.

#pragma once

#include <functional>
#include <memory>

#include "dispatch/connection_pool.h"
#include "dispatch/idle_connections.h"
#include "net/descriptor_budget.h"

namespace boost::asio {
class io_context;
}

namespace petrel::dispatch {

class ConnectionPlaces {
 public:
  struct Parts {
    boost::asio::io_context& loop;
    std::shared_ptr<net::DescriptorBudget> budget;  // Shared by the transports of all loops.
    std::shared_ptr<IdleConnections> idle;          // Likewise.
  };

  ConnectionPlaces(Parts parts, const PoolSettings& pool);

  ConnectionPool& pool() { return *pool_; }
  const ConnectionPool& pool() const { return *pool_; }

  // Without asking other loops. Empty if there is none.
  net::DescriptorPlace take();

  // With the help of other loops; answered later, with an empty place if there is none. A place
  // that nobody waits for any more goes back by itself.
  using Found = std::function<void(net::DescriptorPlace)>;
  void find(Found found);

  // The system has no descriptor for us, whatever the budget says: closes an idle connection, at
  // once if it is of this loop. False if there is none.
  void relieve(std::function<void(bool is_freed)> done);

 private:
  const Parts parts_;
  std::shared_ptr<ConnectionPool> pool_;  // Watched by other loops' questions.
};

}  // namespace petrel::dispatch
