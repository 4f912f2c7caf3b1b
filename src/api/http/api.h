// Api answers the requests of producers and clients: it finds the route, says who is calling, and
// turns what the rooms below say into statuses and JSON.
//
//   route ─▶ token ─▶ scope, capability ─▶ the application in the path ─▶ the route's own function
//   404,405   400,401,429   403              404
//
// Addresses outside the API are the dashboard's (dashboard.h). Every error is JSON, also for
// unknown routes and methods. Browsers may call from any origin: a portal with an application's
// token does. An application that is another tenant's does not exist.
//
// There is one for each loop. It answers on the loop's thread, at once or later, and never waits
// there for the disk.
//
// Thread: confined to one loop's thread. Answers that are still out when it is destroyed go to
// their responders all the same; what it was made of must outlive them.

#pragma once

#include <memory>
#include <string_view>

#include "api/http/call.h"
#include "api/http/dashboard.h"
#include "api/http/router.h"
#include "net/http_message.h"
#include "net/http_server.h"

namespace petrel::api {

class Api {
 public:
  Api(const node::Services& services, ApiSettings settings);
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  void handle(net::HttpRequest request, net::Responder respond);

  // Whose memory a large request takes up: an application's, or the address's that it came from if
  // its token is not good.
  MemoryAccountPtr account_of(const net::HttpRequest& request);

  // An error of the HTTP layer, in our shape; counted among the answers.
  net::HttpResponse refusal(int status, std::string_view detail);

  // The same where nobody counts.
  static net::HttpResponse error_page(int status, std::string_view detail);

 private:
  net::HttpResponse counted(net::HttpResponse response);

  // `allow`: the methods that the path has.
  net::HttpResponse answer_without_route(const net::HttpRequest& request, std::string_view path,
                                         const std::string& allow);

  // Whether the call may go on; if not, it has been answered.
  bool admit(Call& call, const Route& route);

  // Who is calling, by this Authorization header. An error of any kind is a 401.
  Result<Caller> identify(std::string_view authorization);

  // Whether this caller has used up its requests for now; if so, the call has been answered.
  bool is_limited(Call& call, std::string_view who);

  const Router router_;
  std::shared_ptr<ApiContext> context_;  // Shared with the calls that are not answered yet.
  const Dashboard dashboard_;
};

}  // namespace petrel::api
