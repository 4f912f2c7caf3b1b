#include <fmt/format.h>

#include "sim/judge/accusers.h"

namespace petrel::sim::judge {
namespace {

// Ids, numbers and times of the attempts of one delivery only grow.
class Audit final : public Accuser {
 public:
  using Accuser::Accuser;

  void on_disk(const Track* before, const OnDisk& record, const Request*) override {
    if (before == nullptr || !record.attempt) return;
    const int expected = before->recorded + 1;
    if (record.attempt->number != expected) {
      accuse(Rule::Audit, before->name,
             fmt::format("attempt {} is on record as number {}", expected, record.attempt->number));
    }
    if (record.attempt->ended_at < record.attempt->started_at && !scene().clocks().was_set()) {
      accuse(Rule::Audit, before->name, "an attempt ended before it started");
    }
    if (!before->last_id || scene().clocks().was_set()) return;
    if (*before->last_id < record.attempt->id) return;
    accuse(Rule::Audit, before->name, "the id of an attempt sorts before that of the last one");
  }
};

}  // namespace

std::unique_ptr<Accuser> audit(Bench bench) { return std::make_unique<Audit>(bench); }

}  // namespace petrel::sim::judge
