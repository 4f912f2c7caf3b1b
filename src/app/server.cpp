#include "app/server.h"

#include <algorithm>
#include <future>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "app/public_url.h"
#include "app/secret_file.h"
#include "app/version.h"
#include "base/try.h"
#include "net/address_guard.h"
#include "net/local_addresses.h"
#include "net/tls_identity.h"

namespace petrel::app {
namespace {

// What hangs in the transport ends at once when it is cancelled; what is left is one commit.
constexpr std::chrono::seconds kLastCommit(10);

// How much longer a stop waits for the node, which ends by itself: a loop that hangs in a system
// call must not keep the process for ever.
constexpr std::chrono::seconds kLastTurn(5);

constexpr std::size_t kBrowseThreads = 4;

std::size_t shard_count(const Settings& settings) {
  if (settings.shards > 0) return static_cast<std::size_t>(settings.shards);
  return std::max(1U, std::thread::hardware_concurrency());
}

// No message of a tenant may reach our own API, whatever else is allowed.
Result<net::AddressGuard> make_guard(const Settings& settings, std::uint16_t port) {
  std::vector<SocketAddress> own;
  if (const auto ip = IpAddress::parse(settings.listen.host)) {
    ASSIGN_OR_RETURN(const std::vector<IpAddress> local, net::local_addresses());
    own = net::dialled_as({*ip, port}, local);
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
                                              SecureRandom& random) {
  store::RocksSettings rocks;
  rocks.path = settings.store;
  rocks.cache_bytes = settings.block_cache_mib << 20U;
  rocks.write_buffer_bytes = settings.write_buffer_mib << 20U;
  rocks.retention = settings.retention;
  ASSIGN_OR_RETURN(rocks.vault, open_vault(settings, random));
  const auto revival = std::make_shared<Revival>();
  rocks.on_revived = [revival] {
    const std::lock_guard lock(revival->mutex);
    if (revival->tell) revival->tell();
  };
  rocks.accepts_loss = settings.accepts_data_loss;
  const auto watch = std::make_shared<StoreWatch>();
  rocks.listeners = watch->listeners();
  ASSIGN_OR_RETURN(std::unique_ptr<store::RocksStore> store, store::RocksStore::open(rocks, clock));
  // Asked only if it matters: whether there may be tokens for this store.
  bool is_used = false;
  if (!find_jwt_secret(settings).ok()) {
    ASSIGN_OR_RETURN(const auto applications, store->all_applications());
    is_used = !applications.empty();
  }
  ASSIGN_OR_RETURN(std::string secret, jwt_secret(settings, is_used, random));

  std::unique_ptr<Server> server(
      new Server(settings, clock, random, std::move(store), std::move(secret)));
  server->revival_ = revival;
  server->watch_ = watch;
  watch->count_in(server->metrics_.registry());
  TRY(server->open(settings));
  return server;
}

Server::Server(const Settings& settings, const Clock& clock, SecureRandom& random,
               std::unique_ptr<store::RocksStore> store, std::string jwt_secret)
    : clock_(clock),
      random_(random),
      jwt_secret_(std::move(jwt_secret)),
      tls_(settings.tls),
      store_(std::move(store)),
      metrics_(kVersion),
      rate_limit_(make_rate_limit(settings)),
      control_loop_("control", clock),
      pool_({.name = "browse", .threads = kBrowseThreads}) {}

Server::~Server() { stop(Duration::zero()); }

Status Server::open(const Settings& settings) {
  for (std::size_t i = 0; i < shard_count(settings); ++i) {
    const std::string name = fmt::format("shard-{}", i);
    shard_loops_.push_back(std::make_unique<net::AsioLoop>(name, clock_));
    listeners_.push_back(
        std::make_unique<Listener>(Listener::Parts{.loop = *shard_loops_.back(),
                                                   .clock = clock_,
                                                   .beats = beats_,
                                                   .beat = beats_.add(name, clock_.mono()),
                                                   .store = *store_}));
  }
  TRY(bind(settings));
  TRY(make_transports(settings));
  TRY(start_node(settings));
  start_listeners(settings);
  return listen_for_control(settings.store);
}

Status Server::bind(const Settings& settings) {
  net::HttpServerSettings http;
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
  ASSIGN_OR_RETURN(net::AddressGuard guard, make_guard(settings, port()));
  dispatch::HttpTransportSettings transport;
  transport.guard = std::move(guard);
  transport.proxy = settings.proxy;
  transport.ca_file = settings.ca_file;
  transport.resolver.name_servers = settings.nameservers;
  transport.user_agent = std::string("Petrel/") + std::string(kVersion);
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
  node.last_commit = kLastCommit;
  ASSIGN_OR_RETURN(node_, node::Node::start({.clock = clock_,
                                             .random = random_,
                                             .store = *store_,
                                             .browse = *store_,
                                             .catalogue = catalogue_,
                                             .pool = pool_,
                                             .metrics = metrics_},
                                            std::move(loops), node));
  const std::lock_guard lock(revival_->mutex);
  revival_->tell = [this] { node_->store_returned(); };
  return Done{};
}

void Server::start_listeners(const Settings& settings) {
  const std::string url = public_url(settings, port());
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    shard_loops_[i]->run_and_wait([&] {
      listeners_[i]->start(node_->services(i), {.auth = api::Auth(jwt_secret_),
                                                .retry_policy = settings.retry_policy,
                                                .rate_limit = rate_limit_.get(),
                                                .public_url = url});
    });
  }
}

Status Server::listen_for_control(const std::string& store) {
  backups_ = std::make_unique<BackupDesk>(
      [this](const std::string& to) { return store_->checkpoint(to); });
  const std::size_t beat = beats_.add("control", clock_.mono());
  Status controlled = Done{};
  control_loop_.run_and_wait([&] {
    control_pulse_ = std::make_unique<Pulse>(control_loop_, clock_, beats_, beat);
    control_ = std::make_unique<ControlSocket>(
        control_loop_.context(), [this](const std::string& line, ControlSocket::Answer answer) {
          control(line, std::move(answer));
        });
    controlled = control_->listen(ControlSocket::path_in(store));
  });
  return controlled;
}

void Server::control(const std::string& line, ControlSocket::Answer answer) {
  constexpr std::string_view kBackup = "backup ";
  if (!line.starts_with(kBackup)) {
    return answer(invalid("", "this server knows the command backup only"));
  }
  backups_->begin(line.substr(kBackup.size()), [this, answer](const Result<std::string>& done) {
    control_loop_.post([answer, done] { answer(done); });
  });
}

std::uint16_t Server::port() const { return listeners_.front()->port(); }

Status Server::reload_tls() {
  if (tls_.key.empty()) return invalid("", "there is no tls-cert to reload");
  ASSIGN_OR_RETURN(const std::shared_ptr<net::TlsIdentity> identity, net::TlsIdentity::load(tls_));
  for (const auto& listener : listeners_) listener->set_identity(identity);
  return Done{};
}

void Server::stop(Duration grace) {
  if (std::exchange(is_stopped_, true)) return;
  if (revival_) {
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
  store_->close();
  if (watch_) watch_->stop_counting();
  // What was asked of the store gets its answer while those who asked are still there.
  pool_.finish();
  control_loop_.run_and_wait([this] { control_pulse_.reset(); });
  // A request that arrives whole only now would find half of the server gone.
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    shard_loops_[i]->run_and_wait([&] { listeners_[i].reset(); });
  }
  control_loop_.stop();
  for (const auto& loop : shard_loops_) loop->stop();
  node_.reset();
  transports_.clear();
}

}  // namespace petrel::app
