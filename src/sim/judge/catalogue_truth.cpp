#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/url.h"
#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

std::string spelling_of(const std::string& url) {
  const Result<Url> parsed = Url::parse(url);
  return parsed.ok() ? parsed->text() : url;
}

class CatalogueTruth final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const MonoTime since = request.begun.mono - request.sent.loading - settings().lateness;
    const std::string url = spelling_of(request.sent.url);
    const auto readings = catalogue().between(request.sent.endpoint, since, now());
    const bool is_known = std::any_of(readings.begin(), readings.end(), [&](const Possible* each) {
      return spelling_of(each->settings.url) == url;
    });
    if (readings.empty() || is_known) return;
    accuse(Rule::Catalogue, request.delivery(),
           fmt::format("sent to {}, which its endpoint does not have", request.sent.url));
  }

  void told(const Told& told, const Asked& asked) override {
    if (asked.act != Act::Post || told.status / 100 != 2) return;
    if (!asked.key.empty()) {
      const auto [first, is_new] =
          messages_.try_emplace({asked.application, asked.key}, told.message);
      if (!is_new && first->second != told.message) {
        accuse(Rule::Key, "one idempotency key made two messages: " + asked.key);
      }
    }
    const auto [first, is_new] = keys_.try_emplace(told.message, asked.key);
    if (is_new || (!asked.key.empty() && first->second == asked.key)) return;
    accuse(Rule::Key, "two posts were told of one message: " + told.message.text());
  }

  void rested(const Dump& dump) override {
    const std::multiset<std::string> on_disk(dump.on_disk.begin(), dump.on_disk.end());
    const std::multiset<std::string> shown(dump.shown.begin(), dump.shown.end());
    report(on_disk, shown, "is on disk, and the node does not show it");
    report(shown, on_disk, "is shown by the node, and not on disk");
  }

 private:
  void report(const std::multiset<std::string>& these, const std::multiset<std::string>& those,
              const char* what) {
    std::vector<std::string> more;
    std::set_difference(these.begin(), these.end(), those.begin(), those.end(),
                        std::back_inserter(more));
    for (const std::string& record : more) {
      accuse(Rule::Catalogue, fmt::format("{}: {}", what, record));
    }
  }

  std::map<std::pair<ApplicationId, std::string>, MessageId> messages_;
  std::map<MessageId, std::string> keys_;
};

}  // namespace

std::unique_ptr<Accuser> catalogue_truth(Bench bench) {
  return std::make_unique<CatalogueTruth>(bench);
}

}  // namespace petrel::sim::judge
