// Server is the whole of a running Petrel: the store, the catalogue, and the shards, put together
// and taken apart in the right order.
//
// Thread: start, stop and destruction on one thread, which is none of its own.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "node/changes.h"
#include "api/rate_limit.h"
#include "app/backup_desk.h"
#include "app/control_socket.h"
#include "app/settings.h"
#include "app/shard.h"
#include "app/store_watch.h"
#include "base/clock.h"
#include "base/result.h"
#include "metric/metrics.h"
#include "net/asio_loop.h"
#include "replay/replayer.h"
#include "store/catalogue.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::app {

class Server {
 public:
  // Opens the store, takes up what it holds, and begins to accept requests.
  static Result<std::unique_ptr<Server>> start(const Settings& settings, const Clock& clock,
                                               SecureRandom& random);

  // Reads the listener's certificate and key anew. New connections get it; if it is no good, all
  // stays as it was.
  Status reload_tls();

  // Runs down the stream: stops accepting, starts no more attempts, lets those that are out end for
  // at most `grace`, commits, and closes the store. Legal twice.
  void stop(Duration grace);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  store::RocksStore& store() { return *store_; }

 private:
  Server(const Settings& settings, const Clock& clock, SecureRandom& random,
         std::unique_ptr<store::RocksStore> store, std::string jwt_secret);

  // Where the store, which is there before the server, says that it is back after a fault.
  struct Revival {
    std::mutex mutex;
    std::function<void()> tell;
  };

  Status open(const Settings& settings);
  Status bind_shards(const Settings& settings);
  Status recall_lanes();
  Status take_up();
  void take_up_again();
  Shard& shard_of(const model::Endpoint& endpoint);
  void control(const std::string& line, ControlSocket::Answer answer);
  node::LaneControl lane_control();
  node::TaskControl task_control();
  void start_tasks();
  void ask_standing(EndpointId id, std::function<void(replay::Standing)> answer);
  void hand_over(std::vector<model::DueDelivery> due);

  const net::TlsFiles tls_;
  std::shared_ptr<Revival> revival_;   // Shared with the store.
  std::shared_ptr<StoreWatch> watch_;  // Shared with the store.
  std::unique_ptr<store::RocksStore> store_;
  store::Catalogue catalogue_;
  node::Changes changes_;
  metric::Metrics metrics_;
  node::SharedRates rates_;
  node::OpenCircuits circuits_;
  engine::OngoingAttempts ongoing_;
  Heartbeats beats_;
  std::unique_ptr<api::RateLimit> rate_limit_;  // Null: none.
  net::AsioLoop task_loop_;  // Outlives the browse loop, whose last questions may be its own.
  net::AsioLoop browse_loop_;
  std::unique_ptr<replay::Replayer> replayer_;  // On the task loop.
  std::unique_ptr<Pulse> task_pulse_;           // Likewise.
  std::atomic<std::size_t> tasks_under_way_ = 0;
  std::unique_ptr<ControlSocket> control_;  // On the browse loop.
  std::unique_ptr<BackupDesk> backups_;
  Shard::Shared shared_;
  std::vector<std::unique_ptr<Shard>> shards_;

  // Where each endpoint's lane lives. It stays there as long as we run, also if its URL changes:
  // moving it would let two shards send to it at once.
  std::mutex places_mutex_;
  std::unordered_map<EndpointId, std::size_t> places_;
  bool is_stopped_ = false;
};

}  // namespace petrel::app
