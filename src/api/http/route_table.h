// RouteTable lists the routes of one noun.
//
//   RouteTable table("Endpoint");
//   table.add("GET", kAll, {Capability::ViewBase, sync_route(list)},
//             {"v1.endpoint.list", "List endpoints"},
//             {.query = "limit iterator order", .response = "ListResponse_EndpointOut_"});
//   return table.take();
//
// Thread: confined.

#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "api/http/router.h"

namespace petrel::api {

class RouteTable {
 public:
  // Who may call a route, and what it does then.
  struct Gate {
    Access access;
    Serve serve;
  };

  // As in Operation.
  struct Name {
    std::string_view id;
    std::string_view summary;
    std::string_view tag = {};  // Empty: the table's.
  };

  // `tag`: the noun.
  explicit RouteTable(std::string_view tag) : tag_(tag) {}

  // REQUIRES: all texts outlive the routes.
  void add(std::string_view method, std::string_view pattern, Gate gate, const Name& name,
           const Shape& shape = {}) {
    routes_.push_back(
        {method, pattern, gate.access, std::move(gate.serve),
         Operation{name.id, name.summary, name.tag.empty() ? tag_ : name.tag, shape}});
  }

  std::vector<Route> take() { return std::move(routes_); }

 private:
  std::string_view tag_;
  std::vector<Route> routes_;
};

}  // namespace petrel::api
