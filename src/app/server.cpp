#include "app/server.h"

#include <algorithm>
#include <condition_variable>
#include <thread>
#include <utility>

#include "app/public_url.h"
#include "app/secret_file.h"
#include "app/version.h"
#include "net/address_guard.h"
#include "net/local_addresses.h"
#include "net/tls_identity.h"
#include "base/url.h"

namespace petrel::app {
namespace {

// What hangs in the transport ends at once when it is cancelled; what is left is one commit.
constexpr std::chrono::seconds kLastCommit(10);

// Counts down to the moment when all shards have drained.
class Countdown {
 public:
  explicit Countdown(std::size_t count) : count_(count) {}

  void tick() {
    const std::lock_guard lock(mutex_);
    --count_;
    changed_.notify_all();
  }

  bool wait(std::chrono::microseconds patience) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t count_;
};

std::size_t shard_count(const Settings& settings) {
  if (settings.shards > 0) return static_cast<std::size_t>(settings.shards);
  return std::max(1U, std::thread::hardware_concurrency());
}

// No message of a tenant may reach our own API, whatever else is allowed.
Result<net::AddressGuard> make_guard(const Settings& settings, std::uint16_t port) {
  std::vector<SocketAddress> own;
  if (const auto ip = IpAddress::parse(settings.listen.host)) {
    const Result<std::vector<IpAddress>> local = net::local_addresses();
    if (!local.ok()) return local.error();
    own = net::dialled_as({*ip, port}, *local);
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
  auto vault = open_vault(settings, random);
  if (!vault.ok()) return vault.error();
  rocks.vault = *std::move(vault);
  const auto revival = std::make_shared<Revival>();
  rocks.on_revived = [revival] {
    const std::lock_guard lock(revival->mutex);
    if (revival->tell) revival->tell();
  };
  rocks.accepts_loss = settings.accepts_data_loss;
  const auto watch = std::make_shared<StoreWatch>();
  rocks.listeners = watch->listeners();
  Result<std::unique_ptr<store::RocksStore>> store = store::RocksStore::open(rocks, clock);
  if (!store.ok()) return store.error();
  // Asked only if it matters: whether anybody has tokens for this store.
  bool is_used = false;
  if (!find_jwt_secret(settings).ok()) {
    const auto applications = (*store)->all_applications();
    if (!applications.ok()) return applications.error();
    is_used = !applications->empty();
  }
  Result<std::string> secret = jwt_secret(settings, is_used, random);
  if (!secret.ok()) return secret.error();

  std::unique_ptr<Server> server(
      new Server(settings, clock, random, *std::move(store), *std::move(secret)));
  server->revival_ = revival;
  server->watch_ = watch;
  watch->count_in(server->metrics_.registry());
  if (const Status opened = server->open(settings); !opened.ok()) return opened.error();
  return server;
}

Server::Server(const Settings& settings, const Clock& clock, SecureRandom& random,
               std::unique_ptr<store::RocksStore> store, std::string jwt_secret)
    : tls_(settings.tls),
      store_(std::move(store)),
      changes_(*store_, catalogue_, clock),
      metrics_(kVersion),
      rate_limit_(make_rate_limit(settings)),
      task_loop_("tasks", clock),
      browse_loop_("browse", clock),
      shared_{
          .clock = clock,
          .store = *store_,
          .browse = *store_,
          .catalogue = catalogue_,
          .changes = changes_,
          .metrics = metrics_,
          .random = random,
          .jwt_secret = std::move(jwt_secret),
          .rate_limit = rate_limit_.get(),
          .lane_defaults = {.retry_policy = settings.retry_policy, .timeout = settings.timeout},
          .public_url = {},
          .rates = rates_,
          .run_blocking =
              [this](std::function<void()> task) { browse_loop_.post(std::move(task)); },
          .hand_over = [this](std::vector<model::DueDelivery> due) { hand_over(std::move(due)); },
          .nudge =
              [this](EndpointId id) {
                const store::EndpointPtr endpoint = catalogue_.endpoint(id);
                if (endpoint) shard_of(*endpoint).nudge(endpoint);
              },
          .circuits = circuits_,
          .ongoing = ongoing_,
          .beats = beats_,
          .lanes = lane_control(),
          .tasks = task_control(),
          .answered =
              [this](const model::DeliveryKey& delivery, bool is_good) {
                if (tasks_under_way_ == 0) return;
                task_loop_.post([this, delivery, is_good] {
                  if (replayer_) replayer_->answered(delivery, is_good);
                });
              },
          .unsent =
              [this](const model::DeliveryKey& delivery) {
                if (tasks_under_way_ == 0) return;
                task_loop_.post([this, delivery] {
                  if (replayer_) replayer_->unsent(delivery);
                });
              }} {}

node::TaskControl Server::task_control() {
  return {.wake =
              [this](OrganisationId organisation, TaskId id) {
                task_loop_.post([this, organisation, id] {
                  if (replayer_) replayer_->wake(organisation, id);
                });
              },
          .under_way = [this] { return tasks_under_way_.load(); }};
}

node::LaneControl Server::lane_control() {
  return {.health =
              [this](EndpointId id, std::function<void(engine::LaneHealth)> answer) {
                shard_of(*catalogue_.endpoint(id)).health(id, std::move(answer));
              },
          .probe_now = [this](EndpointId id) { shard_of(*catalogue_.endpoint(id)).probe_now(id); },
          .close_circuit =
              [this](EndpointId id) { shard_of(*catalogue_.endpoint(id)).close_circuit(id); },
          .open_circuit = [this](EndpointId id) { return circuits_.find(id); },
          .is_sending = [this](const model::DeliveryKey& key) { return ongoing_.has(key); }};
}

Server::~Server() { stop(Duration::zero()); }

Status Server::open(const Settings& settings) {
  if (Status loaded = catalogue_.load(*store_); !loaded.ok()) return loaded;
  if (Status loaded = changes_.revoked().load(*store_); !loaded.ok()) return loaded;
  if (Status bound = bind_shards(settings); !bound.ok()) return bound;
  const std::size_t beat = beats_.add("tasks", shared_.clock.mono());
  task_loop_.run_and_wait([this, beat] {
    task_pulse_ = std::make_unique<Pulse>(task_loop_, shared_.clock, beats_, beat);
  });

  Result<net::AddressGuard> guard = make_guard(settings, port());
  if (!guard.ok()) return guard.error();
  dispatch::HttpTransportSettings transport;
  transport.guard = *std::move(guard);
  transport.proxy = settings.proxy;
  transport.ca_file = settings.ca_file;
  transport.resolver.name_servers = settings.nameservers;
  transport.user_agent = std::string("Petrel/") + std::string(kVersion);
  engine::CoreSettings core;
  core.slots = std::max(1, core.slots / static_cast<int>(shards_.size()));
  shared_.public_url = public_url(settings, port());
  for (const auto& shard : shards_) {
    if (Status built = shard->build(transport, core); !built.ok()) return built;
  }

  catalogue_.on_endpoint(
      [this](const store::EndpointPtr& endpoint) { shard_of(*endpoint).configure(endpoint); });
  changes_.on_endpoint(
      [this](const notice::EndpointChange& change) { shard_of(*change.after).changed(change); });
  if (Status recalled = recall_lanes(); !recalled.ok()) return recalled;
  if (Status taken_up = take_up(); !taken_up.ok()) return taken_up;
  start_tasks();
  {
    const std::lock_guard lock(revival_->mutex);
    revival_->tell = [this] { take_up_again(); };
  }
  for (const auto& shard : shards_) shard->accept_requests();

  backups_ = std::make_unique<BackupDesk>(
      [this](const std::string& to) { return store_->checkpoint(to); });
  Status controlled = Done{};
  browse_loop_.run_and_wait([&] {
    control_ = std::make_unique<ControlSocket>(
        browse_loop_.context(), [this](const std::string& line, ControlSocket::Answer answer) {
          control(line, std::move(answer));
        });
    controlled = control_->listen(ControlSocket::path_in(settings.store));
  });
  return controlled;
}

void Server::control(const std::string& line, ControlSocket::Answer answer) {
  constexpr std::string_view kBackup = "backup ";
  if (!line.starts_with(kBackup)) {
    return answer(invalid("", "this server knows the command backup only"));
  }
  backups_->begin(line.substr(kBackup.size()), [this, answer](const Result<std::string>& done) {
    browse_loop_.post([answer, done] { answer(done); });
  });
}

Status Server::bind_shards(const Settings& settings) {
  net::HttpServerSettings http;
  http.host = settings.listen.host;
  http.port = settings.listen.port;
  http.limits.body_bytes_max = settings.payload_bytes_max;
  http.trusted_proxies = settings.trusted_proxies;
  if (!tls_.key.empty()) {
    Result<std::shared_ptr<net::TlsIdentity>> identity = net::TlsIdentity::load(tls_);
    if (!identity.ok()) return identity.error();
    http.identity = *std::move(identity);
  }
  for (std::size_t i = 0; i < shard_count(settings); ++i) {
    shards_.push_back(std::make_unique<Shard>(i, shared_));
    // Once alone, so that another server on this address is noticed instead of joined.
    if (i == 0 && http.port != 0) {
      if (Status bound = shards_.back()->bind(http); !bound.ok()) return bound;
    }
    http.shares_port = true;
    if (Status bound = shards_.back()->bind(http); !bound.ok()) return bound;
    http.port = port();
  }
  return Done{};
}

Status Server::recall_lanes() {
  const Result<store::Browse::KeptLanes> kept = store_->kept_lanes();
  if (!kept.ok()) return kept.error();
  for (const auto& [endpoint, bytes] : *kept) {
    const Result<store::KeptLane> lane = store::decode_kept_lane(bytes);
    // One that cannot be read begins anew: it is only the memory of a storm, no event.
    if (lane.ok()) shared_.kept_lanes.emplace(endpoint, *lane);
  }
  return Done{};
}

Status Server::take_up() {
  const Result<std::vector<EndpointId>> live = store_->endpoints_with_live();
  if (!live.ok()) return live.error();
  for (const EndpointId id : *live) {
    const store::EndpointPtr endpoint = catalogue_.endpoint(id);
    if (endpoint) shard_of(*endpoint).nudge(endpoint);
  }
  return Done{};
}

void Server::start_tasks() {
  task_loop_.run_and_wait([this] {
    replayer_ = std::make_unique<replay::Replayer>(replay::TaskRun::Parts{
        .loop = task_loop_,
        .clock = shared_.clock,
        .store = *store_,
        .browse = *store_,
        .run_blocking = shared_.run_blocking,
        .ask =
            [this](EndpointId id, std::function<void(replay::Standing)> answer) {
              ask_standing(id, std::move(answer));
            },
        .endpoint = [this](EndpointId id) { return catalogue_.endpoint(id); },
        .nudge = shared_.nudge,
        .count = [this](std::size_t under_way) { tasks_under_way_ = under_way; },
        .ended = [this](const model::Task& task) { shards_.front()->ended(task); }});
    replayer_->start();
  });
}

void Server::ask_standing(EndpointId id, std::function<void(replay::Standing)> answer) {
  const store::EndpointPtr endpoint = catalogue_.endpoint(id);
  if (!endpoint || endpoint->deleted_at) return answer(replay::Standing::IsGone);
  if (!endpoint->may_send()) return answer(replay::Standing::Waits);
  shard_of(*endpoint).health(id, [answer = std::move(answer)](const engine::LaneHealth& lane) {
    const bool is_closed = lane.circuit.state == lane::CircuitBreaker::State::Closed;
    answer(is_closed ? replay::Standing::Takes : replay::Standing::Waits);
  });
}

// What was answered as Unavailable may have been written all the same: lanes and tasks look again.
void Server::take_up_again() {
  browse_loop_.post([this] {
    // If it cannot be read, the store has failed again, and will say when it is back.
    if (!take_up().ok()) return;
    task_loop_.post([this] {
      if (replayer_) replayer_->start();
    });
  });
}

std::uint16_t Server::port() const { return shards_.front()->port(); }

Shard& Server::shard_of(const model::Endpoint& endpoint) {
  const std::lock_guard lock(places_mutex_);
  const auto found = places_.find(endpoint.id);
  if (found != places_.end()) return *shards_[found->second];
  const Result<Url> url = Url::parse(endpoint.url);
  const std::string authority = url.ok() ? url->origin() : endpoint.url;
  const std::size_t place = std::hash<std::string>()(authority) % shards_.size();
  places_.emplace(endpoint.id, place);
  return *shards_[place];
}

void Server::hand_over(std::vector<model::DueDelivery> due) {
  std::unordered_map<Shard*, std::vector<model::DueDelivery>> by_shard;
  for (model::DueDelivery& one : due) {
    const store::EndpointPtr endpoint = catalogue_.endpoint(one.delivery.key.endpoint);
    if (endpoint) by_shard[&shard_of(*endpoint)].push_back(std::move(one));
  }
  for (auto& [shard, part] : by_shard) shard->accepted(std::move(part));
}

Status Server::reload_tls() {
  if (tls_.key.empty()) return invalid("", "there is no tls-cert to read anew");
  const Result<std::shared_ptr<net::TlsIdentity>> identity = net::TlsIdentity::load(tls_);
  if (!identity.ok()) return identity.error();
  for (const auto& shard : shards_) shard->set_identity(*identity);
  return Done{};
}

void Server::stop(Duration grace) {
  if (std::exchange(is_stopped_, true)) return;
  if (revival_) {
    const std::lock_guard lock(revival_->mutex);
    revival_->tell = {};
  }
  browse_loop_.run_and_wait([this] { control_.reset(); });
  backups_.reset();  // Waits for one that is under way.
  for (const auto& shard : shards_) shard->stop_accepting();
  task_loop_.run_and_wait([this] { replayer_.reset(); });
  if (!shards_.empty()) {
    auto countdown = std::make_shared<Countdown>(shards_.size());
    for (const auto& shard : shards_) shard->drain([countdown] { countdown->tick(); });
    if (!countdown->wait(grace)) {
      for (const auto& shard : shards_) shard->cancel_attempts();
      countdown->wait(kLastCommit);
    }
  }
  for (const auto& shard : shards_) shard->stop_telling();
  store_->close();
  if (watch_) watch_->stop_counting();
  // What was asked of the store gets its answer while those who asked are still there.
  browse_loop_.run_and_wait([] {});
  task_loop_.run_and_wait([this] { task_pulse_.reset(); });
  // A request that arrives whole only now would find half of the server gone.
  for (const auto& shard : shards_) shard->stop_serving();
  browse_loop_.stop();
  task_loop_.stop();
  shards_.clear();
}

}  // namespace petrel::app
