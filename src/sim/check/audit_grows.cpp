#include <fmt/format.h>

#include "sim/check/checkers.h"

namespace petrel::sim::check {
namespace {

class AuditGrows final : public Checker {
 public:
  using Checker::Checker;

  void recorded(const Track& track, const model::Settlement& settlement) override {
    if (!settlement.attempt) return;
    const model::Attempt& attempt = *settlement.attempt;
    if (attempt.ended_at < attempt.started_at) {
      accuse(Property::AuditGrows, "an attempt ended before it started", &track);
    }
    if (!track.last_recorded) return;
    const model::Attempt& last = *track.last_recorded;
    if (attempt.id <= last.id) {
      accuse(Property::AuditGrows, fmt::format("{} follows {}", attempt.id.text(), last.id.text()),
             &track);
    } else if (attempt.started_at <= last.started_at || attempt.ended_at <= last.ended_at ||
               attempt.started_at < last.ended_at) {
      accuse(Property::AuditGrows, "an attempt is recorded before the end of the one before",
             &track);
    } else if (attempt.number != last.number + 1) {
      accuse(Property::AuditGrows,
             fmt::format("attempt {} follows attempt {}", attempt.number, last.number), &track);
    }
  }
};

}  // namespace

std::unique_ptr<Checker> audit_grows(Court& court) { return std::make_unique<AuditGrows>(court); }

}  // namespace petrel::sim::check
