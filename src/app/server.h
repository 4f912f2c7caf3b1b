// Server is the whole of a running Petrel: the store, the node, and its doors to the network, put
// together and taken apart in the right order.
//
// Thread: start, stop and destruction on one thread, which is none of its own.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/http/rate_limit.h"
#include "app/backup_desk.h"
#include "app/control_socket.h"
#include "app/crash_note.h"
#include "app/descriptor_watch.h"
#include "app/disk_watch.h"
#include "app/heartbeats.h"
#include "app/listener.h"
#include "app/log_watch.h"
#include "app/memory_shares.h"
#include "app/memory_watch.h"
#include "app/metrics_listener.h"
#include "app/process_watch.h"
#include "app/pulse.h"
#include "app/queue_watch.h"
#include "app/settings.h"
#include "app/slot_watch.h"
#include "app/stderr_log.h"
#include "app/store_watch.h"
#include "base/clock.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "dispatch/http_transport.h"
#include "dispatch/idle_connections.h"
#include "metric/metrics.h"
#include "net/asio_loop.h"
#include "net/descriptor_budget.h"
#include "node/node.h"
#include "store/catalogue.h"
#include "store/rocksdb/rocks_store.h"

namespace petrel::app {

class Server {
 public:
  // Takes the port, opens the store, resumes pending deliveries, and begins to accept requests.
  // Nothing is made on the disk before the port is taken and the settings are known to be good.
  static Result<std::unique_ptr<Server>> start(const Settings& settings, const Clock& clock,
                                               SecureRandom& random, StderrLog& log);

  // Reads the listener's certificate and key anew. New connections get it; if it is no good, all
  // stays as it was.
  Status reload_tls();

  // Runs down the stream: stops accepting, starts no more attempts, waits for those in flight for
  // at most `grace`, commits, and closes the store. Legal twice.
  void stop(Duration grace);

  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;
  std::size_t shards() const { return listeners_.size(); }

  // Of the metrics' own listener. Empty if there is none.
  std::optional<std::uint16_t> metrics_port() const;
  store::RocksStore& store() { return *store_; }

 private:
  // How many file descriptors and how much memory there are, and who may have them.
  struct Descriptors {
    std::size_t limit;
    net::DescriptorShares shares;
    MemoryShares memory;
  };

  // All outlive it.
  struct Doors {
    const Clock& clock;
    SecureRandom& random;
    StderrLog& log;
  };

  Server(const Settings& settings, const Doors& doors, const Descriptors& descriptors);

  // Where the store, which is there before the node, says that it is back after a fault.
  struct Revival {
    std::mutex mutex;
    std::function<void()> tell;
  };

  Status open(const Settings& settings);
  void add_listener();
  void watch_log();
  void watch_descriptors();
  void watch_memory();
  void watch_disk(const Settings& settings);
  Function<void(const std::string&)> teller(log::Kind kind);
  void warn(const std::string& what, const std::string& hint);
  void watch_process();
  void watch_node(const Settings& settings);
  std::vector<std::string> remarks() const;
  Status bind(const Settings& settings);
  Status bind_metrics(const Settings& settings);

  // Of the listener for the API.
  static api::MetricsGate metrics_gate(const Settings& settings);
  Status make_transports(const Settings& settings);
  Status open_store(const Settings& settings);
  Status start_node(const Settings& settings);
  Status start_listeners(const Settings& settings);
  void open_note(const Settings& settings, std::size_t places);
  void tell_of_suspects();
  Status listen_for_control(const Settings& settings);
  void control(const std::string& line, const ControlSocket::Answer& answer);

  const Clock& clock_;
  SecureRandom& random_;
  StderrLog& log_;
  std::string jwt_secret_;  // Once the store is open.
  const net::TlsFiles tls_;
  const std::shared_ptr<Revival> revival_;   // Shared with the store.
  const std::shared_ptr<StoreWatch> watch_;  // Likewise.
  std::unique_ptr<store::RocksStore> store_;
  store::Catalogue catalogue_;
  metric::Metrics metrics_;
  Heartbeats beats_;
  std::unique_ptr<api::RateLimit> rate_limit_;  // Null: none.
  const std::size_t descriptor_limit_;
  const MemoryShares shares_;
  const std::shared_ptr<MemoryBudget> memory_;                // Shared with all that is held in it.
  const std::shared_ptr<net::DescriptorBudget> descriptors_;  // Shared with every connection.
  const std::shared_ptr<dispatch::IdleConnections> idle_;     // Shared with the transports.

  // The loops outlive all that lives on them.
  net::AsioLoop control_loop_;
  std::vector<std::unique_ptr<net::AsioLoop>> shard_loops_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<dispatch::HttpTransport>> transports_;
  std::unique_ptr<CrashNote> note_;
  std::unique_ptr<node::Node> node_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  std::unique_ptr<Pulse> control_pulse_;               // On the control loop.
  std::unique_ptr<ControlSocket> control_;             // Likewise.
  std::unique_ptr<LogWatch> log_watch_;                // Likewise.
  std::unique_ptr<DescriptorWatch> descriptor_watch_;  // Likewise.
  std::unique_ptr<MemoryWatch> memory_watch_;          // Likewise.
  std::unique_ptr<SlotWatch> slot_watch_;              // Likewise.
  std::unique_ptr<DiskWatch> disk_watch_;              // Likewise.
  std::unique_ptr<ProcessWatch> process_watch_;        // Likewise.
  std::unique_ptr<QueueWatch> queue_watch_;            // Likewise.
  std::unique_ptr<MetricsListener> metrics_listener_;  // Likewise. Null: there is none.
  std::unique_ptr<BackupDesk> backups_;
  bool is_stopped_ = false;
};

}  // namespace petrel::app
