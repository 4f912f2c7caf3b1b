// Router finds the route of a request in a table.
//
//   {"GET", "/api/v1/app/{app_id}/msg/{msg_id}", Scope::Application, …}
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

namespace petrel::api {

class Call;
using CallPtr = std::shared_ptr<Call>;

// Who may call a route.
enum class Scope {
  Open,          // Anybody, without a token.
  Application,   // The organisation, or the application that the path names.
  Organisation,  // The organisation alone.

  // The organisation alone, also where there is no application yet of the name in the path.
  NewApplication,
};

struct Route {
  std::string_view method;
  std::string_view pattern;
  Scope scope;
  std::function<void(const CallPtr&)> serve;
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
