#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/questions.h"

namespace petrel::sim::judge {
namespace {

// What people forbade: paused, deleted, scheduled for later, expunged.
class Forbidden final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    const EndpointId endpoint = request.sent.endpoint;
    if (!catalogue().may_exist(endpoint, now())) {
      accuse(Rule::Deleted, request.delivery(), "sent to an endpoint that was deleted");
    } else if (!catalogue().may_send(endpoint, now())) {
      accuse(Rule::Paused, request.delivery(), "sent to an endpoint that is paused or disabled");
    }
    if (scene().must_be_expunged(request.sent.message)) {
      accuse(Rule::Expunged, request.delivery(), "sent although its payload was expunged");
    }
    check_bytes(request);
    check_scheduled(request);
  }

  void rested(const Dump&) override {
    for (const auto& [name, track] : scene().tracks()) {
      if (!track.is_live()) continue;
      if (!catalogue().may_exist(name.endpoint, now())) {
        accuse(Rule::Deleted, name, "its endpoint was deleted, and it is not cancelled");
      } else if (scene().must_be_expunged(name.message)) {
        accuse(Rule::Expunged, name, "its payload was expunged, and it is not cancelled");
      }
    }
  }

 private:
  // The bytes are the same on every attempt.
  void check_bytes(const Request& request) {
    const auto [first, is_new] = bytes_.try_emplace(request.sent.message, request.sent.body_hash);
    if (is_new || first->second == request.sent.body_hash) return;
    accuse(Rule::UntrueRecord, request.delivery(), "other bytes than the first time");
  }

  void check_scheduled(const Request& request) {
    const Track* const track = scene().track(request.delivery());
    const Post* const post = scene().post_of(request.sent.message);
    // Sending it again means now.
    const bool is_resent =
        was_asked_since(scene(), Act::Resend, request.delivery(), MonoTime::min());
    if (track == nullptr || is_resent) return;
    const auto scheduled = deliver_at(scene(), *track);
    if (!scheduled) return;
    const MonoTime since = post != nullptr ? post->at.mono : track->budget_since.mono;
    if (now() >= scene().clocks().earliest(*scheduled, since)) return;
    accuse(Rule::Scheduled, request.delivery(), "sent before its deliverAt");
  }

  std::map<MessageId, std::string> bytes_;  // Their hashes.
};

}  // namespace

std::unique_ptr<Accuser> forbidden(Bench bench) { return std::make_unique<Forbidden>(bench); }

}  // namespace petrel::sim::judge
