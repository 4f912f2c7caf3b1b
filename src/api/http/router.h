// Router finds the route of a request in a table.
//
//   GET /api/v1/app/acme/msg/msg_2gV…  ─▶  "/api/v1/app/{app_id}/msg/{msg_id}", app_id = acme, …
//
// How a route is described becomes the OpenAPI document (openapi.h); one without it fails the
// tests.
//
// Trailing slashes do not count; older client libraries send them. A segment in braces takes any
// text but an empty one, percent-decoded; a segment that is spelled out wins over it. HEAD goes
// where GET goes.
//
// Thread: any. Does not change once it is made.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/http/access.h"
#include "base/result.h"

namespace petrel::api {

class Call;
using CallPtr = std::shared_ptr<Call>;

// What a route does: it answers the call, at once or later. An error that it returns is the
// answer.
using Serve = std::function<Status(const CallPtr&)>;

// What a request carries and what a good response is like. Names of schemas and of query parameters
// are those of embedded/openapi_components.json.
struct Shape {
  std::string_view query = {};     // The parameters it takes: "limit iterator with_content".
  std::string_view request = {};   // The schema of the body. Empty: none.
  int status = 200;                // Of the good response.
  std::string_view response = {};  // The schema of its body. Empty: none, or no JSON.
  std::string_view media = "application/json";
};

// How a route is described to people and to generators of clients.
struct Operation {
  std::string_view id = {};       // "v1.message.create", as the client libraries name it.
  std::string_view summary = {};  // One line, without a full stop.
  std::string_view tag = {};      // The noun that it belongs to.
  Shape shape = {};
};

struct Route {
  std::string_view method;
  std::string_view pattern;
  Access access;
  Serve serve;
  Operation about = {};
};

// The values of the segments in braces, by name.
using PathParameters = std::vector<std::pair<std::string_view, std::string>>;

struct RouteMatch {
  const Route* route = nullptr;  // Null if there is none.
  PathParameters parameters;
  std::string allow;  // The methods that this path has, if it was the method that did not fit.
};

// Without the query and without slashes at the end.
std::string_view path_of(std::string_view target);

class Router {
 public:
  explicit Router(std::vector<Route> routes);

  // REQUIRES: path as path_of() gives it.
  RouteMatch match(std::string_view method, std::string_view path) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  struct Entry {
    std::vector<std::string_view> segments;
    std::size_t route;
  };

  std::vector<Route> routes_;
  std::vector<std::vector<Entry>> by_length_;  // By the number of segments.
};

}  // namespace petrel::api
