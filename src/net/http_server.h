// HttpServer speaks HTTP/1.1 with producers, clients and browsers: it listens, reads whole
// requests, hands them to the application and writes the answers.
//
// Requests of one connection are answered in the order in which they came, also when they are sent
// without waiting (pipelining). A request that is malformed, too large or too slow is answered with
// an error and its connection is closed: what follows it cannot be trusted.
//
// It runs on an event loop that its owner turns, and it never blocks it.
//
// Thread: confined to the loop's thread.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/ip_address.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/time.h"
#include "net/http_head.h"
#include "net/http_message.h"

namespace boost::asio {
class io_context;
}

namespace petrel::net {

class DescriptorBudget;
class TlsIdentity;

struct HttpServerSettings {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8071;  // 0 lets the system choose one.

  // Several servers, each on a loop of its own, listen on the same port; the system spreads the
  // connections over them.
  bool shares_port = false;

  // Null: plain HTTP.
  std::shared_ptr<TlsIdentity> identity;

  HttpLimits limits;

  // Proxies whose word on whom a request is from is taken. See forwarded.h.
  std::vector<Subnet> trusted_proxies;

  // Beyond it clients are told to come back.
  std::size_t connections_max = 10'000;

  // What all servers together may accept. Null: no bound but connections_max.
  std::shared_ptr<DescriptorBudget> descriptors;

  // Where connections, requests that are not answered and answers that are not read are counted.
  // What has no room there is answered with 503. Null: no bound.
  std::shared_ptr<MemoryBudget> memory;

  // A client that dawdles must not hold a connection for good.
  Duration header_time_max = std::chrono::seconds(10);  // Also from connecting to the first byte.
  Duration body_time_max = std::chrono::seconds(30);
  Duration write_time_max = std::chrono::seconds(30);  // For the client to read its answer.
  Duration idle_time_max = std::chrono::seconds(75);   // Between two requests.
  Duration linger_time_max = std::chrono::seconds(2);  // For the client to see that we closed.
};

// Answers one request, exactly once, at any later time on the loop's thread. Dropping it unanswered
// closes the connection.
using Responder = std::function<void(HttpResponse)>;

using RequestHandler = std::function<void(HttpRequest, Responder)>;

// An error of the HTTP layer itself (400, 408, 413, 414, 417, 431, 503, 505), told in the
// application's words.
using ErrorPage = std::function<HttpResponse(int status, std::string_view detail)>;

// The system has no descriptor for another connection: has one freed elsewhere in the process, and
// says on the loop's thread, perhaps later, whether it was.
using Relieve = std::function<void(std::function<void(bool is_freed)>)>;

// Whose request this is, asked when its body turns out to be large. The body is not there yet.
using AccountOf = std::function<MemoryAccountPtr(const HttpRequest&)>;

class HttpServer {
 public:
  struct Callbacks {
    RequestHandler handle;
    ErrorPage error_page;
    AccountOf account_of = nullptr;  // May be left out: nobody's in particular.
    Relieve relieve = nullptr;       // May be left out.
  };

  HttpServer(boost::asio::io_context& loop, const Clock& clock, HttpServerSettings settings,
             Callbacks callbacks);

  // Closes all connections. No request is handed over afterwards, not even one that was being read.
  //
  // REQUIRES: it does not happen within `handle`.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Takes the address. Invalid if it makes no sense, Unavailable if it is taken or not ours to use.
  Status bind();

  // Begins to accept connections.
  //
  // REQUIRES: bind() went well.
  void start();

  // For connections from now on; those that are there keep theirs.
  //
  // REQUIRES: the settings had an identity.
  void set_identity(std::shared_ptr<TlsIdentity> identity);

  // Stops accepting; connections end after the request that they are at. Legal twice and before
  // start().
  void stop();

  // The port it listens on, which matters when the system chose it. 0 before bind().
  std::uint16_t port() const;

  std::size_t connections() const;

  // What its connections hold of requests and answers.
  std::size_t bytes_held() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;  // Shared with the operations that are under way on the loop.
};

}  // namespace petrel::net
