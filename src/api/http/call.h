// Call is one request on its way to its answer, and ApiContext is what the calls of one loop share.
//
// A route's function answers at once, or keeps the call and answers later. What has to be read from
// the store is read on another thread:
//
//   call->browse([…](store::Browse& browse) -> Result<net::HttpResponse> { … });
//   call->read<model::Message>([…](store::Browse& browse) { … }, [call](model::Message) { … });
//
// Thread: confined to one loop's thread, but for what browse() and read() ask of the store, which
// must touch nothing of the context.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/auth.h"
#include "api/http/metrics_gate.h"
#include "api/http/query.h"
#include "api/http/rate_limit.h"
#include "api/http/request_counts.h"
#include "api/http/router.h"
#include "api/http/server_health.h"
#include "api/json/message.h"
#include "base/function.h"
#include "base/json.h"
#include "base/ksuid.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "model/retention.h"
#include "net/address_guard.h"
#include "net/http_message.h"
#include "net/http_server.h"
#include "node/services.h"
#include "policy/retry_policy.h"
#include "store/catalogue.h"

namespace petrel::api {

// What is the Api's own.
struct ApiSettings {
  Auth auth;

  // The server's: where neither endpoint nor application has one.
  policy::RetryPolicy retry_policy;
  model::RetentionSettings retention = {};  // Likewise.

  // Whether messages are taken now; if not, a sentence for their producer. On any thread.
  Function<Status()> may_accept = {};

  RateLimit* rate_limit = nullptr;  // Null: none. Outlives the Api.
  AskHealth ask_health = {};
  LateLoops late_loops = {};
  MetricsGate metrics = {};     // Who may read them here.
  std::string public_url = {};  // Where people find the dashboard, without a slash at the end.

  // Which addresses a URL may name; names are judged once they are resolved. None: all of them.
  std::optional<net::AddressGuard> guard = {};
};

struct ApiContext {
  // Reads that are under way for one loop. Beyond it callers are told to come back: a slow disk
  // must not pile up requests without end.
  static constexpr std::size_t kBrowsingMax = 256;

  // REQUIRES: the texts of the routes live as long as the program.
  ApiContext(const node::Services& the_services, ApiSettings the_settings,
             const std::vector<Route>& routes)
      : services(the_services),
        settings(std::move(the_settings)),
        counts(services.metrics.api_requests(), routes),
        maker(services.random) {}

  const node::Services services;
  ApiSettings settings;
  RequestCounts counts;
  KsuidMaker maker;
  MessageReader message_reader;
  std::size_t browsing = 0;
};

class Call : public std::enable_shared_from_this<Call> {
 public:
  // `the_place` is what its answer is counted as.
  Call(std::shared_ptr<ApiContext> the_context, RequestCounts::Place the_place,
       net::HttpRequest the_request, net::Responder respond);

  // Exactly one of these, exactly once.
  void answer(net::HttpResponse response);
  void answer(const Error& error);  // One of ours is in the log, too.
  void answer(Result<net::HttpResponse> result);
  void browse(std::function<Result<net::HttpResponse>(store::Browse&)> ask);

  // Goes on here with what was read; an error is the answer.
  template <typename T>
  void read(std::function<Result<T>(store::Browse&)> ask, std::function<void(T)> then) {
    on_browse_thread([self = shared_from_this(), ask = std::move(ask), then = std::move(then)] {
      const node::Services& services = self->services();
      services.loop.post([self, then, result = ask(services.browse)]() mutable {
        --self->context->browsing;
        if (!result.ok()) return self->answer(result.error());
        then(*std::move(result));
      });
    });
  }

  // The body as JSON. Errors are at "body".
  Result<JsonValue> json() const;

  // For what keeps it until its turn has come: a body may be large, and is not copied.
  Result<std::shared_ptr<const JsonValue>> kept_json() const;

  // Has the store make these changes, and answers 204 once they are durable.
  void change(std::vector<store::Change> changes);

  // REQUIRES: the route has a parameter of this name.
  const std::string& parameter(std::string_view name) const;

  // The endpoint that the path names, of the application that it names.
  Result<store::EndpointPtr> endpoint() const;

  // An endpoint of the path's application by id or uid, or a deleted one by its id: what is left of
  // its deliveries can still be looked at and discarded. Null if there is none.
  store::EndpointPtr endpoint_even_deleted(std::string_view id_or_uid) const;

  const node::Services& services() const { return context->services; }

  // Whose memory it is that large answers to this caller take up.
  MemoryAccountPtr account() const;

  std::shared_ptr<ApiContext>
      context;  // Shared with the other calls: a late answer finds it still there.
  const RequestCounts::Place place;
  net::HttpRequest request;
  Query query;
  PathParameters parameters;
  Caller caller;

  // The one that the path names. Null only if the path names none, or if the route may make it.
  store::ApplicationPtr application;

 private:
  bool has_room_for_page() const;
  void on_browse_thread(Function<void()> work);
  std::string request_id() const;

  // What went wrong is in the log, by an id that the caller gets too.
  void fail(const Error& error, net::HttpResponse response);

  net::Responder respond_;
};

// Whose memory a caller takes up: the application's that it is about, or its own, or the
// organisation's.
MemoryAccountPtr account_of(MemoryBudget& memory, const Caller& caller,
                            const model::Application* application);

Error no_such_endpoint();

net::HttpResponse json_response(int status, std::string body);

// The body that `write(json)` writes.
template <typename Write>
net::HttpResponse json_body(int status, Write write) {
  JsonWriter json;
  write(json);
  return json_response(status, json.take());
}

// A route's function for what is answered at once.
Serve sync_route(Result<net::HttpResponse> (*serve)(Call&));

}  // namespace petrel::api
