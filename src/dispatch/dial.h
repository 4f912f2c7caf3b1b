// Dial makes a new connection to a receiver: name → addresses → guard → connect → proxy → TLS.
//
// The addresses are tried in turn; all but the last get a share of the time that is left, so that
// one dead address does not use it all up. The guard is asked for each address before it is
// dialled, and again for the one that was reached. A failed TLS handshake is final: another address
// would only hide it.
//
// A socket takes a descriptor, which may have to be found first: see ConnectionPlaces. If there is
// none, or the system has none, that is a fault of ours.
//
// It keeps no deadline of its own: the caller cancels it.
//
// Internal to the dispatch room.
//
// Thread: confined to the loop's thread.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"
#include "base/url.h"
#include "dispatch/connection.h"
#include "dispatch/connection_places.h"
#include "dispatch/failure.h"
#include "dispatch/proxy.h"
#include "dispatch/tls_contexts.h"
#include "model/attempt.h"
#include "net/address_guard.h"
#include "net/resolver.h"

namespace petrel::dispatch {

// What all dials of a transport share. Outlives them, or they are cancelled before it goes.
struct DialTools {
  boost::asio::io_context& loop;
  const Clock& clock;
  net::AddressGuard guard;
  std::optional<Proxy> proxy;
  std::unique_ptr<net::Resolver> resolver;
  TlsContexts tls;
  std::unique_ptr<ConnectionPlaces> places;
};

// Where to, with which TLS, and what the connection may be shared by.
struct Destination {
  Url url;
  TlsMaterial tls;
  std::string pool_key;
};

class Dial : public std::enable_shared_from_this<Dial> {
 public:
  // The connection, or why there is none; and how long each phase took.
  struct Outcome {
    std::unique_ptr<Connection> connection;
    std::optional<Failure> failure;
    model::Timings timings;
  };
  using Done = std::function<void(Outcome)>;

  // Answers exactly once, from the loop, unless it is cancelled before.
  static std::shared_ptr<Dial> start(DialTools& tools, Destination to, MonoTime deadline,
                                     Done done);

  Dial(DialTools& tools, Destination to, MonoTime deadline, Done done);

  // Nothing is heard of it afterwards. Legal twice.
  void cancel();

  // What it is waiting for, for the words of a timeout: "no connection".
  std::string_view waits_for() const;

  // The name that our resolver is being asked for, the receiver's or the proxy's. Empty if none is.
  std::string_view resolves() const;

  // Whether it waits for another loop to close an idle connection, as no descriptor is left.
  bool lacks_descriptor() const { return stage_ == Stage::Waiting; }

  // So far.
  model::Timings timings() const;

 private:
  enum class Stage {
    Resolving,
    ResolvingProxy,
    Waiting,
    Connecting,
    Tunnelling,
    ShakingHands,
    Over
  };

  void resolve();
  void on_resolved(const net::Resolution& resolution);
  void approve(const std::vector<IpAddress>& addresses);
  void resolve_proxy();
  void on_proxy_resolved(const net::Resolution& resolution);
  void find_place();
  void connect();
  void arm_budget();
  void on_connected(const boost::system::error_code& error);
  void on_connect_failed(const Failure& failure);
  void on_shortage(const Failure& failure);
  std::string objection_to_peer();  // Empty if there is none.
  void begin_tunnel();
  void send_to_proxy();
  void on_proxy_input();
  void begin_tls();
  void shake_hands();
  void wait(Connection::Io io);
  void resume();
  void try_next(const Failure& failure);
  std::unique_ptr<Connection> with_place();
  void enter(Stage stage);
  void fail(Failure failure);
  void finish(Outcome outcome);

  DialTools& tools_;
  Destination to_;
  MonoTime deadline_;
  Done done_;
  Stage stage_ = Stage::Resolving;
  MonoTime stage_since_{};
  model::Timings timings_;
  boost::asio::steady_timer budget_;
  std::vector<IpAddress> targets_;  // That the guard approved.
  std::size_t target_ = 0;
  std::vector<IpAddress> proxies_;
  std::size_t proxy_ = 0;
  std::optional<ProxyHandshake> tunnel_;
  std::string output_;          // For the proxy.
  net::DescriptorPlace place_;  // For whichever connection is being tried.
  int relieved_ = 0;            // How often an idle connection was closed for this one.
  std::unique_ptr<Connection> connection_;
  std::uint64_t era_ = 0;  // Counts connections: what ends late for an older one is passed over.
};

}  // namespace petrel::dispatch
