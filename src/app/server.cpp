#include "app/server.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/access_grant.h"
#include "app/descriptor_limit.h"
#include "app/heap.h"
#include "app/machine_memory.h"
#include "app/public_url.h"
#include "app/secret_file.h"
#include "app/version.h"
#include "base/try.h"
#include "net/address_guard.h"
#include "net/local_addresses.h"
#include "net/tls_identity.h"
#include "store/rocksdb/backup.h"

namespace petrel::app {
namespace {

// What hangs in the transport ends at once when it is cancelled; what is left is one commit.
constexpr std::chrono::seconds kLastCommit(10);

// How much longer a stop waits for the node, which ends by itself: a loop that hangs in a system
// call must not keep the process for ever.
constexpr std::chrono::seconds kLastTurn(5);

constexpr std::size_t kBrowseThreads = 4;

// More than this in flight on one shard, which may have all slots, is not noted for a crash.
constexpr std::size_t kNotedPerShard = 16'384;
// Of what may be in flight, this much may wait for the store's thread at once.
constexpr std::size_t kWritingPart = 8;

// Of the store's share: its folders, logs and lists, and what is being written.
constexpr std::size_t kStoreOtherFiles = 28;

// Fewer connections to receivers than this are worth a word.
constexpr std::size_t kOutgoingAmple = 2048;

void warn_of_limit(log::Log& log, std::size_t limit, const net::DescriptorShares& shares) {
  log.tell(log::Kind::ServerWarning, [&] {
    return log::Words{
        fmt::format("this process may open {} files only, its hard limit: that is {} connections "
                    "to receivers at once, and {} of clients",
                    limit, shares.outgoing, shares.accepted),
        {{"hint", "ulimit -Hn, or LimitNOFILE= of a systemd unit, raises it"}}};
  });
}

std::size_t shard_count(const Settings& settings) {
  if (settings.shards > 0) return static_cast<std::size_t>(settings.shards);
  return std::max(1U, std::thread::hardware_concurrency());
}

// No message of a tenant may reach our own API, whatever else is allowed.
Result<net::AddressGuard> make_guard(const Settings& settings,
                                     const std::vector<ListenAddress>& listeners) {
  std::vector<SocketAddress> own;
  for (const auto& [host, port] : listeners) {
    const auto ip = IpAddress::parse(host);
    if (!ip) continue;
    ASSIGN_OR_RETURN(const std::vector<IpAddress> local, net::local_addresses());
    for (const SocketAddress& each : net::dialled_as({*ip, port}, local)) own.push_back(each);
  }
  Result<net::AddressGuard> guard = net::AddressGuard::make(settings.allow_subnets, own);
  if (!guard.ok()) return invalid("allow-subnets", guard.error().detail);
  return guard;
}

std::unique_ptr<api::RateLimit> make_rate_limit(const Settings& settings) {
  if (settings.rate_limit == 0) return nullptr;
  return std::make_unique<api::RateLimit>(settings.rate_limit);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const Settings& settings, const Clock& clock,
                                              SecureRandom& random, StderrLog& log) {
  ASSIGN_OR_RETURN(const MemoryShares memory, divide_memory(settings, machine_memory().bytes));
  keep_heap_small(shard_count(settings));
  const std::size_t limit = raise_descriptor_limit();
  const net::DescriptorShares shares = net::divide_descriptors(limit, shard_count(settings));
  if (shares.outgoing < kOutgoingAmple) warn_of_limit(log, limit, shares);
  std::unique_ptr<Server> server(
      new Server(settings, {clock, random, log}, {limit, shares, memory}));
  TRY(server->open(settings));
  return server;
}

Server::Server(const Settings& settings, const Doors& doors, const Descriptors& descriptors)
    : clock_(doors.clock),
      random_(doors.random),
      log_(doors.log),
      tls_(settings.tls),
      revival_(std::make_shared<Revival>()),
      watch_(std::make_shared<StoreWatch>(log_)),
      metrics_(version_text()),
      rate_limit_(make_rate_limit(settings)),
      descriptor_limit_(descriptors.limit),
      shares_(descriptors.memory),
      memory_(MemoryBudget::make(shares_.in_flight)),
      descriptors_(net::DescriptorBudget::make(descriptors.shares)),
      idle_(std::make_shared<dispatch::IdleConnections>()),
      control_loop_("control", clock_),
      pool_({.name = "browse", .threads = kBrowseThreads}) {
  watch_->count_in(metrics_.registry());
}

Server::~Server() { stop(Duration::zero()); }

Status Server::open(const Settings& settings) {
  for (std::size_t i = 0; i < shard_count(settings); ++i) add_listener();
  watch_log();
  watch_descriptors();
  watch_memory();
  watch_disk(settings);
  watch_process();
  // What can be wrong with the settings, and a port that is taken, are found before anything is
  // made on the disk.
  TRY(bind(settings));
  TRY(bind_metrics(settings));
  TRY(make_transports(settings));
  TRY(open_store(settings));
  TRY(start_node(settings));
  TRY(start_listeners(settings));
  return listen_for_control(settings);
}

Status Server::open_store(const Settings& settings) {
  store::RocksSettings rocks;
  rocks.path = settings.store;
  rocks.cache_bytes = shares_.cache;
  rocks.write_buffer_bytes = shares_.write_buffers;
  // What waits to be written is there twice while it is.
  rocks.queue_bytes_max = std::min(rocks.queue_bytes_max, shares_.in_flight / kWritingPart);
  rocks.retention = model::retention_of({}, settings.retention).longest();
  ASSIGN_OR_RETURN(rocks.vault, open_vault(settings, random_));
  rocks.on_revived = [revival = revival_] {
    const std::lock_guard lock(revival->mutex);
    if (revival->tell) revival->tell();
  };
  rocks.accepts_loss = settings.accepts_data_loss;
  rocks.open_files_max = static_cast<int>(descriptors_->shares().store - kStoreOtherFiles);
  rocks.listeners = watch_->listeners();
  rocks.on_commit = watch_->commit_listener();
  ASSIGN_OR_RETURN(store_, store::RocksStore::open(rocks, clock_));
  store::clear_staging(settings.store);
  // Asked only if it matters: whether there may be tokens for this store.
  bool is_used = false;
  if (!find_jwt_secret(settings).ok()) {
    ASSIGN_OR_RETURN(const auto applications, store_->all_applications());
    is_used = !applications.empty();
  }
  ASSIGN_OR_RETURN(jwt_secret_, jwt_secret(settings, is_used, random_));
  return Done{};
}

void Server::add_listener() {
  const std::size_t shard = listeners_.size();
  const std::string name = fmt::format("shard-{}", shard);
  shard_loops_.push_back(std::make_unique<net::AsioLoop>(name, clock_));
  const auto relieve = [this, shard](std::function<void(bool is_freed)> done) {
    transports_[shard]->relieve(std::move(done));
  };
  listeners_.push_back(
      std::make_unique<Listener>(Listener::Parts{.loop = *shard_loops_.back(),
                                                 .clock = clock_,
                                                 .beats = beats_,
                                                 .beat = beats_.add(name, clock_.mono()),
                                                 .relieve = relieve,
                                                 .remarks = [this] { return remarks(); }}));
}

Status Server::bind(const Settings& settings) {
  net::HttpServerSettings http;
  http.descriptors = descriptors_;
  http.memory = memory_;
  http.host = settings.listen.host;
  http.port = settings.listen.port;
  http.limits.body_bytes_max = settings.payload_bytes_max;
  http.trusted_proxies = settings.trusted_proxies;
  if (!tls_.key.empty()) {
    ASSIGN_OR_RETURN(http.identity, net::TlsIdentity::load(tls_));
  }
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    Status bound = Done{};
    const auto bind_one = [&] { bound = listeners_[i]->bind(http); };
    // Once alone, so that another server on this address is noticed instead of joined.
    if (i == 0 && http.port != 0) shard_loops_[i]->run_and_wait(bind_one);
    if (!bound.ok()) return bound;
    http.shares_port = true;
    shard_loops_[i]->run_and_wait(bind_one);
    if (!bound.ok()) return bound;
    http.port = port();
  }
  return Done{};
}

Status Server::make_transports(const Settings& settings) {
  std::vector<ListenAddress> own = {{settings.listen.host, port()}};
  if (metrics_listener_) own.push_back({settings.metrics_listen->host, metrics_listener_->port()});
  ASSIGN_OR_RETURN(net::AddressGuard guard, make_guard(settings, own));
  dispatch::HttpTransportSettings transport;
  transport.guard = std::move(guard);
  transport.proxy = settings.proxy;
  transport.ca_file = settings.ca_file;
  transport.resolver.name_servers = settings.nameservers;
  transport.user_agent = std::string("Petrel/") + std::string(kVersion);
  transport.descriptors = descriptors_;
  transport.idle = idle_;
  transport.memory = memory_;
  // The other half is free for attempts at once, without a word between loops.
  transport.pool.idle_max = std::min(transport.pool.idle_max,
                                     descriptors_->shares().outgoing / 2 / shard_loops_.size() + 1);
  for (const auto& loop : shard_loops_) {
    Status status = Done{};
    loop->run_and_wait([&] {
      auto made = dispatch::HttpTransport::make(loop->context(), clock_, transport);
      if (!made.ok()) {
        status = made.error();
      } else {
        transports_.push_back(*std::move(made));
      }
    });
    if (!status.ok()) return status;
  }
  return Done{};
}

Status Server::start_node(const Settings& settings) {
  node::NodeLoops loops{.control = control_loop_, .shards = {}};
  for (std::size_t i = 0; i < shard_loops_.size(); ++i) {
    loops.shards.push_back({.loop = *shard_loops_[i], .transport = *transports_[i]});
  }
  node::NodeSettings node;
  node.lanes = {.retry_policy = settings.retry_policy, .timeout = settings.timeout};
  node.retention = settings.retention;
  node.last_commit = kLastCommit;
  node.memory = memory_;
  node.core.slots = engine::slot_count(descriptors_->shares().outgoing, shares_.max);
  node.version = kVersion;
  node.endpoints_shown = static_cast<std::size_t>(settings.metrics_endpoints);
  open_note(settings, shard_loops_.size() *
                          std::min(kNotedPerShard, static_cast<std::size_t>(node.core.slots)));
  ASSIGN_OR_RETURN(node_, node::Node::start({.clock = clock_,
                                             .random = random_,
                                             .store = *store_,
                                             .browse = *store_,
                                             .catalogue = catalogue_,
                                             .pool = pool_,
                                             .metrics = metrics_,
                                             .note = *note_,
                                             .log = log_},
                                            std::move(loops), node));
  watch_node(settings);
  tell_of_suspects();
  const std::lock_guard lock(revival_->mutex);
  revival_->tell = [this] { node_->store_returned(); };
  return Done{};
}

Status Server::start_listeners(const Settings& settings) {
  // Our own listener, which may be elsewhere tomorrow, is left to the transport's guard.
  ASSIGN_OR_RETURN(const net::AddressGuard receivers,
                   net::AddressGuard::make(settings.allow_subnets, {}));
  const std::string url = public_url(settings, port());
  if (metrics_listener_) control_loop_.run_and_wait([this] { metrics_listener_->start(); });
  // None of them could turn visibly while the store was opened, which may take its time.
  for (std::size_t i = 0; i < listeners_.size(); ++i) beats_.beat(i, clock_.mono());
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    shard_loops_[i]->run_and_wait([&] {
      listeners_[i]->start(node_->services(i), *store_,
                           {.auth = api::Auth(jwt_secret_),
                            .retry_policy = settings.retry_policy,
                            .retention = settings.retention,
                            .may_accept = [this] { return disk_watch_->may_accept(); },
                            .rate_limit = rate_limit_.get(),
                            .metrics = metrics_gate(settings),
                            .public_url = url,
                            .guard = receivers});
    });
  }
  return Done{};
}

Status Server::listen_for_control(const Settings& settings) {
  backups_ = std::make_unique<BackupDesk>([this](const std::string& to) {
    return to.empty() ? store_->stage() : store_->checkpoint(to);
  });
  const std::size_t beat = beats_.add("control", clock_.mono());
  Status controlled = Done{};
  control_loop_.run_and_wait([&] {
    control_pulse_ = std::make_unique<Pulse>(Pulse::Parts{
        .loop = control_loop_, .clock = clock_, .beats = beats_, .beat = beat, .log = log_});
    control_ = std::make_unique<ControlSocket>(
        control_loop_.context(), [this, url = own_url(settings, port())](
                                     const std::string& line, const ControlSocket::Answer& answer) {
          if (asks_for_access(line)) {
            return answer(grant_access(line, url, api::Auth(jwt_secret_), clock_.wall()));
          }
          control(line, answer);
        });
    controlled = control_->listen(ControlSocket::path_in(settings.store));
  });
  return controlled;
}

void Server::control(const std::string& line, const ControlSocket::Answer& answer) {
  constexpr std::string_view kBackup = "backup ";
  const bool is_stage = line == "stage";
  if (!is_stage && !line.starts_with(kBackup)) {
    return answer(invalid("", "this server knows the commands access, stage and backup only"));
  }
  const std::string to = is_stage ? "" : line.substr(kBackup.size());
  log_backup_begun(log_, to);
  backups_->begin(to, [this, answer, to](const Result<std::string>& done) {
    log_backup_ended(log_, to, done);
    control_loop_.post([answer, done] { answer(done); });
  });
}

std::uint16_t Server::port() const { return listeners_.front()->port(); }

Status Server::reload_tls() {
  if (tls_.key.empty()) return invalid("", "there is no tls-cert to reload");
  ASSIGN_OR_RETURN(const std::shared_ptr<net::TlsIdentity> identity, net::TlsIdentity::load(tls_));
  for (const auto& listener : listeners_) listener->set_identity(identity);
  if (metrics_listener_) metrics_listener_->set_identity(identity);
  return Done{};
}

void Server::stop(Duration grace) {
  if (std::exchange(is_stopped_, true)) return;
  {
    const std::lock_guard lock(revival_->mutex);
    revival_->tell = {};
  }
  control_loop_.run_and_wait([this] { control_.reset(); });
  backups_.reset();  // Waits for one that is under way.
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    shard_loops_[i]->run_and_wait([&] { listeners_[i]->stop(); });
  }
  if (node_) {
    const auto drained = std::make_shared<std::promise<void>>();
    node_->drain(grace, [drained] { drained->set_value(); });
    drained->get_future().wait_for(grace + kLastCommit + kLastTurn);
  }
  if (store_) store_->close();
  watch_->stop_counting();
  // What was asked of the store gets its answer while those who asked are still there.
  pool_.finish();
  control_loop_.run_and_wait([this] { control_pulse_.reset(); });
  // A request that arrives whole only now would find half of the server gone.
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    shard_loops_[i]->run_and_wait([&] { listeners_[i].reset(); });
  }
  control_loop_.run_and_wait([this] {
    log_watch_.reset();
    descriptor_watch_.reset();
    memory_watch_.reset();
    slot_watch_.reset();
    process_watch_.reset();
    metrics_listener_.reset();
    queue_watch_.reset();  // After the pool, which counts for it.
    disk_watch_.reset();   // Likewise.
  });
  control_loop_.stop();
  for (const auto& loop : shard_loops_) loop->stop();
  node_.reset();
  transports_.clear();
}

}  // namespace petrel::app
