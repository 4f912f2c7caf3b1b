// Dashboard serves the pages for people: one page for every address that is not the API's, and the
// files that it loads.
//
//   /assets/main-3F2A….js      the file, to be kept for ever: its name changes with its contents
//   /, /app/acme, …            the page, to be asked for again each time (ETag)
//   /api, /docs, /metrics, …   not its own
//
// Nothing but the server's own files runs in the page, and it may be shown in no frame: the policy
// in its headers says so. A server that was built without the dashboard says that instead.
//
// Thread: any. Does not change once it is made.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/embedded/web_assets.h"
#include "net/http_message.h"

namespace petrel::api {

class Dashboard {
 public:
  // `public_url`: where people find the server, without a slash at the end. Of it only the path
  // counts: a server may be reached under several names.
  // REQUIRES: assets outlive it.
  Dashboard(const WebAssets& assets, std::string_view public_url);

  // The response to a request for a path that is no route. Empty if the path is not its own.
  std::optional<net::HttpResponse> answer(const net::HttpRequest& request,
                                          std::string_view path) const;

 private:
  net::HttpResponse page(const net::HttpRequest& request) const;
  net::HttpResponse file(const net::HttpRequest& request, const WebFile& file) const;

  const WebAssets& assets_;
  std::string page_;
  std::string tag_;
};

}  // namespace petrel::api
