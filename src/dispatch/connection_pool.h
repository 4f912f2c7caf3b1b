// ConnectionPool keeps connections between requests, so that most attempts need no DNS, no connect
// and no TLS handshake.
//
// By key: the origin (scheme, host, port) and what was shown and trusted in TLS; see
// RequestWriter::pool_key(). The one used last is taken first, so that a few stay warm and the
// others grow old and go. Each is looked at before it is used: one that its receiver has closed, or
// on which something came that was not asked for, is given up. One goes when it has idled or lived
// too long, when its key has enough of them, or when there are too many altogether, here or in the
// whole process: then the one that has idled longest.
//
// Thread: confined. Time is handed in, never read.

#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/time.h"
#include "dispatch/idle_connections.h"

namespace petrel::dispatch {

class Connection;

struct PoolSettings {
  // Under what most servers grant. A receiver that grants less says so; see Connection.
  Duration idle_time_max = std::chrono::seconds(4);
  Duration age_max = std::chrono::minutes(10);
  std::size_t idle_per_origin_max = 32;
  std::size_t idle_max = 1024;
};

class ConnectionPool {
 public:
  explicit ConnectionPool(const PoolSettings& settings);
  ~ConnectionPool();
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  // An idle connection with this key that looks alive, or null.
  std::unique_ptr<Connection> take(const std::string& key, MonoTime now);

  // Keeps a connection for later, or closes it if there is no place.
  //
  // REQUIRES: nothing is under way on it.
  void give(std::unique_ptr<Connection> connection, MonoTime now);

  // Closes what has idled or lived too long. Called every second.
  void sweep(MonoTime now);

  // The one that has idled longest, whatever its key: another needs its descriptor. Null if there
  // is none.
  std::unique_ptr<Connection> take_oldest();

  // From now on it shows there how many it keeps, and since when the oldest has idled. That
  // outlives the pool.
  void show_in(IdleConnections::Shown& shown) { shown_ = &shown; }

  std::size_t idle() const { return idle_.size(); }

 private:
  struct Idle {
    std::unique_ptr<Connection> connection;
    MonoTime since;
  };
  using Idles = std::list<Idle>;

  Duration idle_time(const Connection& connection) const;
  bool is_worn(const Idle& idle, MonoTime now) const;
  void drop(Idles::iterator idle);
  void forget(Idles::iterator idle, const std::string& key);
  void show();

  PoolSettings settings_;
  Idles idle_;  // The one that has idled longest is in front.
  std::unordered_map<std::string, std::vector<Idles::iterator>> by_key_;  // In the same order.
  IdleConnections::Shown* shown_ = nullptr;
};

}  // namespace petrel::dispatch
