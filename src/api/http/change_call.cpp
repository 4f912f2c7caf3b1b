#include "api/http/change_call.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/try.h"
#include "intake/idempotency.h"

namespace petrel::api {
namespace {

bool is_good(const net::HttpResponse& response) { return response.status / 100 == 2; }

// Empty if the request has no key, or is of a kind that may be repeated without one.
Result<std::optional<store::KeptAnswer>> kept_answer_of(const Call& call) {
  const std::string_view key = call.request.header("idempotency-key");
  if (key.empty() || call.request.method != "POST") return std::optional<store::KeptAnswer>();
  if (key.size() > intake::kIdempotencyKeyBytesMax) {
    return invalid("header.idempotency-key", "must not be longer than 1024 bytes");
  }
  // A portal does not meet the keys of its organisation.
  std::string what = "POST " + std::string(path_of(call.request.target));
  if (call.caller.application) what += " " + call.caller.application->text();
  const store::IdempotentAnswer asked =
      intake::idempotent_answer({.organisation = call.caller.organisation,
                                 .path = what,
                                 .key = key,
                                 .body = call.request.body},
                                call.context->services.clock.wall());
  return std::optional(store::KeptAnswer{
      .key = asked.key, .body_hash = asked.body_hash, .expires_at = asked.expires_at});
}

class Change : public std::enable_shared_from_this<Change> {
 public:
  Change(CallPtr call, std::function<Plan()> plan, AnswerAgain again)
      : call_(std::move(call)), plan_(std::move(plan)), again_(std::move(again)) {}

  void begin() {
    Result<std::optional<store::KeptAnswer>> kept = kept_answer_of(*call_);
    if (!kept.ok()) return call_->answer(kept.error());
    kept_ = *std::move(kept);
    unless_known([self = shared_from_this()] { self->attempt(self->plan_()); });
  }

 private:
  // Gives the kept answer if there is one; else goes on with `otherwise`.
  void unless_known(std::function<void()> otherwise) {
    if (!kept_) return otherwise();
    using Known = std::optional<store::KnownAnswer>;
    call_->read<Known>(
        [key = kept_->key](store::Browse& browse) { return browse.kept_answer(key); },
        [self = shared_from_this(), otherwise = std::move(otherwise)](const Known& known) {
          if (!known) return otherwise();
          self->call_->answer(self->answer_again(*known));
        });
  }

  Result<net::HttpResponse> answer_again(const store::KnownAnswer& known) const {
    if (known.message || known.body_hash != kept_->body_hash) {
      return conflict("this idempotency key was used before, with another body");
    }
    return again_ ? again_() : json_response(known.status, known.body);
  }

  void attempt(const Plan& plan) {
    const auto response = std::make_shared<net::HttpResponse>();
    call_->services().changes.make(
        plan.turn,
        [decide = plan.decide, kept = kept_, keeps_body = !again_,
         response]() -> Result<store::ChangeSet> {
          ASSIGN_OR_RETURN(ChangeDecision decision, decide());
          *response = std::move(decision.response);
          store::ChangeSet set{.changes = std::move(decision.changes), .answer = kept};
          if (set.answer) {
            set.answer->status = response->status;
            if (keeps_body) set.answer->body = response->body;
          }
          return set;
        },
        [self = shared_from_this(), turn = plan.turn, response](const Status& status) {
          self->call_->services().loop.post([self, turn, response, status] {
            if (status.ok() && is_good(*response)) return self->call_->answer(std::move(*response));
            // Perhaps it failed because the same request, sent twice, was carried out meanwhile.
            self->unless_known([self, turn, response, status] {
              self->fail(turn, status.ok() ? Result(*response) : status.error());
            });
          });
        });
  }

  void fail(const node::Changes::Turn& turn, const Result<net::HttpResponse>& result) {
    const bool is_overtaken = !result.ok() && (result.error().kind == ErrorKind::Conflict ||
                                               result.error().kind == ErrorKind::NotFound);
    if (is_overtaken && !std::exchange(is_second_, true)) {
      const Plan next = plan_();
      if (next.turn != turn) return attempt(next);
    }
    call_->answer(result);
  }

  CallPtr call_;
  std::function<Plan()> plan_;
  AnswerAgain again_;
  std::optional<store::KeptAnswer> kept_;
  bool is_second_ = false;
};

}  // namespace

void change(const CallPtr& call, std::function<Plan()> plan, AnswerAgain again) {
  std::make_shared<Change>(call, std::move(plan), std::move(again))->begin();
}

}  // namespace petrel::api
