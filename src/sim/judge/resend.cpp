#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/duration_text.h"
#include "sim/judge/accusers.h"
#include "sim/judge/questions.h"

namespace petrel::sim::judge {
namespace {

class Resend final : public Accuser {
 public:
  using Accuser::Accuser;

  void asked(const Asked& asked) override {
    if (asked.act != Act::Resend) return;
    const Track* const track = scene().track({asked.endpoint, asked.message});
    Wish wish{.at = now(), .was_tried = track != nullptr && !track->requests.empty()};
    wish.was_live = track != nullptr && track->is_live();
    wishes_.emplace(asked.number, wish);
  }

  void told(const Told& told, const Asked& asked) override {
    const auto wish = wishes_.find(told.number);
    if (wish == wishes_.end() || told.status / 100 != 2) return;
    const DeliveryName name{asked.endpoint, asked.message};
    const bool is_gone = !catalogue().must_exist(name.endpoint, now()) ||
                         scene().may_be_expunged(name.message) ||
                         scene().is_payload_gone(name.message) || scene().is_dropped(name);
    if (!is_gone) check(name, wish->second);
  }

 private:
  struct Wish {
    MonoTime at;
    bool was_tried = false;
    bool was_live = false;
  };

  void check(const DeliveryName& name, const Wish& wish) {
    const Track* const track = scene().track(name);
    if (track == nullptr) {
      return accuse(Rule::NotResent, name, "a resend was answered, and there is no delivery");
    }
    // What began or ended since it was asked for is what it asked for: a 2xx in flight ends it.
    const bool has_moved =
        std::any_of(track->requests.begin(), track->requests.end(), [&](const Request* each) {
          return each->is_in_flight() || each->begun.mono >= wish.at ||
                 (each->reply && each->replied.mono >= wish.at);
        });
    if (has_moved) return;
    if (!track->is_live()) {
      return accuse(Rule::NotResent, name,
                    fmt::format("a resend was answered, and it is {}", track->on_disk.state));
    }
    // One that was never tried is left alone.
    if (wish.was_live && !wish.was_tried) return;
    const Duration left = track->on_disk.due_at - scene().now().wall;
    if (scene().clocks().was_set_since(wish.at)) return;
    const Duration near = wish.was_live ? figures::kResendNear : Duration::zero();
    if (left <= near) return;
    accuse(Rule::NotResent, name,
           fmt::format("a resend was answered, and it is due in {}", to_words(left)));
  }

  std::map<std::uint64_t, Wish> wishes_;
};

}  // namespace

std::unique_ptr<Accuser> resend(Bench bench) { return std::make_unique<Resend>(bench); }

}  // namespace petrel::sim::judge
