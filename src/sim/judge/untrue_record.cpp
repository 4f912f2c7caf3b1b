#include <fmt/format.h>

#include "sim/judge/accusers.h"
#include "sim/judge/questions.h"
#include "sim/judge/verdict.h"

namespace petrel::sim::judge {
namespace {

class UntrueRecord final : public Accuser {
 public:
  using Accuser::Accuser;

  void requested(const Request& request) override {
    if (scene().track(request.delivery()) != nullptr) return;
    accuse(Rule::UntrueRecord, request.delivery(), "a request for a delivery that is not on disk");
  }

  void on_disk(const Track*, const OnDisk& record, const Request* request) override {
    const DeliveryName name{record.endpoint, record.message};
    if (record.attempt) {
      if (request == nullptr) {
        return accuse(Rule::UntrueRecord, name, "an attempt on record that no request fits");
      }
      check_pair(name, *record.attempt, *request);
    }
    if (record.by != By::Lane) return;
    if (record.state == "delivered") {
      if (request != nullptr && is_success_by_some(scene(), *request)) return;
      accuse(Rule::UntrueRecord, name, "delivered, but no success was seen");
    } else if (request != nullptr && is_success_by_all(scene(), *request)) {
      accuse(Rule::UntrueRecord, name,
             fmt::format("a success is on record, and the delivery is {}", record.state));
    }
  }

  void rested(const Dump&) override {
    for (const auto& [number, request] : scene().requests()) {
      const bool is_ours = !request.reply || is_our_fault(request.reply->kind);
      if (request.is_recorded || is_ours || request.sent.life != scene().life()) continue;
      const Track* const track = scene().track(request.delivery());
      // What a person ended meanwhile needs no record of what came after.
      if (track != nullptr && !track->is_live() && track->on_disk.by != By::Lane) continue;
      accuse(Rule::UntrueRecord, request.delivery(), "a request that ended is not on record");
    }
  }

 private:
  void check_pair(const DeliveryName& name, const RecordedAttempt& attempt,
                  const Request& request) {
    if (is_our_fault(attempt.kind)) {
      accuse(Rule::UntrueRecord, name, "a fault of ours is on record as an attempt");
    }
    if (attempt.url != request.sent.url) {
      accuse(Rule::UntrueRecord, name,
             fmt::format("the record names {}, the request went to {}", attempt.url,
                         request.sent.url));
    }
    const std::string recorded = outcome(attempt.kind, attempt.status);
    const std::string seen = outcome(request.reply->kind, request.reply->status);
    if (recorded != seen) {
      accuse(Rule::UntrueRecord, name,
             fmt::format("the record says {}, the node was told {}", recorded, seen));
    }
    const Duration off = attempt.ended_at - request.replied.wall;
    // A record that had to follow the one before it ends when it began, at the earliest.
    const bool was_moved = attempt.started_at != request.sent.signed_at;
    if (was_moved || scene().clocks().was_set_since(request.begun.mono) ||
        (off <= settings().lateness && -off <= settings().lateness))
      return;
    accuse(Rule::UntrueRecord, name,
           fmt::format("the record's end is off by {} ms", whole_milliseconds(off)));
  }

  static std::string outcome(Reply kind, int status) {
    const std::string word = word_of(kind, status);
    if (!word.empty()) return word;
    return kind == Reply::Blocked ? "blocked" : "a fault of ours";
  }
};

}  // namespace

std::unique_ptr<Accuser> untrue_record(Bench bench) {
  return std::make_unique<UntrueRecord>(bench);
}

}  // namespace petrel::sim::judge
