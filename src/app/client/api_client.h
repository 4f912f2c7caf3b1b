// ApiClient talks to one server's API: it knows its URL, shows its token, and says in plain words
// what went wrong and what helps.
//
//   ApiClient api({.url = "http://127.0.0.1:8071", .token = "…"}, {}, interrupt);
//   ASSIGN_OR_RETURN(const ApiAnswer app, api.get("/app/acme"));
//
// Thread: confined.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/client/patience.h"
#include "app/client/web_client.h"
#include "base/function.h"
#include "base/json.h"
#include "base/result.h"

namespace petrel::app {

// Where a server is, and what it lets us in by.
struct ServerAccess {
  std::string url;  // Without a slash at its end, and without /api/v1.
  std::string token;
  bool is_own_machine = false;  // It was found by its socket in the store's folder.
};

struct ClientSettings {
  Duration timeout = std::chrono::seconds(30);
  Patience patience = {};
  // What a short-lived token is replaced by when it has run out. Empty: nothing.
  Function<Result<ServerAccess>()> renew = {};
};

struct ApiAnswer {
  int status = 0;
  std::string text;
  JsonValue json;  // Null if there is none, as with a 204.
  std::optional<Duration> retry_after = {};

  bool is_good() const { return status >= 200 && status < 300; }
};

// What a status other than 2xx means, for a person: which field was wrong, or what helps.
Error error_of(const ApiAnswer& answer, std::string_view what);

class ApiClient {
 public:
  // REQUIRES: `interrupt` outlives it.
  ApiClient(ServerAccess access, ClientSettings settings, const Interrupt& interrupt);

  // Paths begin behind "/api/v1". Only a 2xx is no error.
  Result<ApiAnswer> get(std::string_view path);
  Result<ApiAnswer> post(std::string_view path, std::string body = {}, std::string key = {});
  Result<ApiAnswer> remove(std::string_view path);

  // Any status; Unavailable if there is no answer, Corrupt if it is too large or no API's. A POST
  // is repeated only if it has an idempotency `key`.
  struct Question {
    std::string method = "GET";
    std::string path = {};
    std::string body = {};
    std::string key = {};
  };
  Result<ApiAnswer> ask(const Question& question);

  const std::string& url() const { return access_.url; }
  const Interrupt& interrupt() const { return interrupt_; }

 private:
  Result<ApiAnswer> ask_once(const Question& question);
  Result<ApiAnswer> must(const Question& question);

  ServerAccess access_;
  ClientSettings settings_;
  const Interrupt& interrupt_;
  WebClient web_;
};

// As a part of a path or a value in a query.
std::string escaped(std::string_view text);

// Asks a list page by page, each with at most `limit` items, and hands each page on until that says
// false. `path` may have a query. Unavailable if the list does not come to an end.
Status for_each_page(ApiClient& api, const std::string& path, int limit,
                     const std::function<Result<bool>(const ApiAnswer& page)>& each);

}  // namespace petrel::app
