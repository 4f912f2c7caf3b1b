#include "app/import/import_target.h"

#include <fmt/format.h>

#include "base/try.h"
#include "base/url.h"

namespace petrel::app {
namespace {

constexpr int kPerPage = 250;

}  // namespace

std::string plain_url(const std::string& url) {
  const Result<Url> parsed = Url::parse(url);
  return parsed.ok() ? parsed->text() : url;
}

Result<std::string> shown_secret(ApiClient& api, const std::string& application,
                                 const std::string& endpoint) {
  ASSIGN_OR_RETURN(
      const ApiAnswer answer,
      api.get(fmt::format("/app/{}/endpoint/{}/secret", escaped(application), escaped(endpoint))));
  return text_at(answer.json, "key");
}

Status ImportTarget::read() {
  if (is_read_) return Done{};
  TRY(for_each_page(api_, fmt::format("/app/{}/endpoint", escaped(application_)), kPerPage,
                    [&](const ApiAnswer& page) -> Result<bool> {
                      for (const JsonValue& each : list_at(page.json, "data")) {
                        present_.push_back({.id = text_at(each, "id"),
                                            .uid = text_at(each, "uid"),
                                            .url = plain_url(text_at(each, "url"))});
                      }
                      return true;
                    }));
  is_read_ = true;
  return Done{};
}

Result<std::string> ImportTarget::secret_of(Present& present) {
  if (!present.secret) {
    ASSIGN_OR_RETURN(present.secret, shown_secret(api_, application_, present.id));
  }
  return *present.secret;
}

Result<std::optional<std::string>> ImportTarget::find(const RawObject& record,
                                                      const std::string& secret) {
  TRY(read());
  const std::string uid = record.text("uid");
  const std::string url = plain_url(record.text("url"));
  for (Present& present : present_) {
    if (present.is_claimed || present.uid != uid) continue;
    if (uid.empty()) {
      if (present.url != url || secret.empty()) continue;
      ASSIGN_OR_RETURN(const std::string known, secret_of(present));
      if (known != secret) continue;
    }
    present.is_claimed = true;
    return std::optional(present.id);
  }
  return std::optional<std::string>();
}

}  // namespace petrel::app
