// WebClient sends one HTTP request after another and gives back what was answered: libcurl, with
// the limits that a command wants.
//
// Each request has a deadline and its answer a largest size; redirects are not followed, since a
// token must not travel to where a server points. Connections are kept for the next request.
//
// Thread: confined.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/client/interrupt.h"
#include "base/result.h"
#include "base/time.h"

namespace petrel::app {

struct WebRequest {
  std::string method;
  std::string url;
  std::vector<std::string> headers;  // "name: value"
  std::string body;
};

struct WebAnswer {
  int status = 0;
  std::string body;
  std::optional<Duration> retry_after = {};
};

struct WebSettings {
  Duration timeout = std::chrono::seconds(30);
  std::size_t body_bytes_max = std::size_t{32} << 20U;
  // Off for a server that is known to be this machine's own, whose certificate has another name;
  // it is never asked through a proxy either.
  bool is_own_machine = false;
};

class WebClient {
 public:
  // REQUIRES: `interrupt` outlives it.
  WebClient(const WebSettings& settings, const Interrupt& interrupt);
  ~WebClient();
  WebClient(const WebClient&) = delete;
  WebClient& operator=(const WebClient&) = delete;

  // Whatever the status is. Unavailable, in words that say why, if there is no whole answer;
  // Corrupt if that is because it is too large.
  Result<WebAnswer> ask(const WebRequest& request);

 private:
  struct Handle;

  const WebSettings settings_;
  const Interrupt& interrupt_;
  std::unique_ptr<Handle> handle_;
};

}  // namespace petrel::app
