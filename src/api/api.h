// Api answers the requests of producers and clients: it finds the route, and turns what the rooms
// below say into statuses and JSON.
//
// Every error has the same shape, {"code": …, "detail": …}, also for unknown routes and methods.
//
// Thread: confined to one loop's thread.

#pragma once

#include <string_view>

#include "net/http_message.h"
#include "net/http_server.h"

namespace petrel::api {

class Api {
 public:
  void handle(const net::HttpRequest& request, const net::Responder& respond) const;

  // An error of the HTTP layer, in our shape.
  static net::HttpResponse error_page(int status, std::string_view detail);
};

}  // namespace petrel::api
