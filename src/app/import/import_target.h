// ImportTarget finds out what of an application an earlier import, or a person, has made in the
// target already, so that nothing is made twice.
//
// An endpoint is known by its uid, and one without by its URL and its secret together: two that
// share both are one. Each endpoint of the target stands for one of the source at most.
//
// Thread: confined.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/client/api_client.h"
#include "app/client/json_view.h"
#include "base/result.h"

namespace petrel::app {

class ImportTarget {
 public:
  // REQUIRES: `api` outlives it.
  ImportTarget(ApiClient& api, std::string application)
      : api_(api), application_(std::move(application)) {}

  // The id of the endpoint that is this one of the source. Empty if there is none yet.
  Result<std::optional<std::string>> find(const RawObject& record, const std::string& secret);

 private:
  struct Present {
    std::string id;
    std::string uid;
    std::string url;
    std::optional<std::string> secret = {};  // Once it was asked for.
    bool is_claimed = false;
  };

  Status read();
  Result<std::string> secret_of(Present& present);

  ApiClient& api_;
  const std::string application_;  // Its id in the target.
  bool is_read_ = false;
  std::vector<Present> present_;
};

// The secret of an endpoint as the server shows it.
Result<std::string> shown_secret(ApiClient& api, const std::string& application,
                                 const std::string& endpoint);

// One spelling for all that mean the same.
std::string plain_url(const std::string& url);

}  // namespace petrel::app
