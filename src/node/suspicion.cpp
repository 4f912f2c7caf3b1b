#include "node/suspicion.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "base/rfc3339.h"

namespace petrel::node {
namespace {

// Whether an attempt of it has ended since the crash, or nothing is to be sent any more.
bool is_over(const model::Suspect& known, const std::optional<model::Delivery>& delivery) {
  return !delivery || !delivery->is_live() || delivery->attempts_total != known.attempts_total;
}

std::array<int, 3> numbers_of(std::string_view version) {
  std::array<int, 3> numbers{};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int& number : numbers) {
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return numbers;
    at = next;
    if (at == end || *at != '.') return numbers;
    ++at;
  }
  return numbers;
}

model::Suspect counted(std::optional<model::Suspect> known, const engine::CrashMark& mark,
                       const model::Delivery& delivery, const Starting& starting) {
  model::Suspect suspect = std::move(known).value_or(
      model::Suspect{.delivery = delivery.key, .application = delivery.application});
  ++suspect.crashes;
  suspect.life = mark.life;
  suspect.version = mark.version;
  suspect.crashed_at = starting.now;
  suspect.attempts_total = delivery.attempts_total;
  if (suspect.crashes >= kCrashesToHold && !suspect.held) {
    suspect.held = model::Suspect::Held{.since = starting.now,
                                        .since_unpaused = starting.now - starting.paused};
  }
  return suspect;
}

}  // namespace

SuspectVerdict judge_at_start(const SuspectFacts& facts, const Starting& starting) {
  std::optional<model::Suspect> suspect = facts.known;
  if (suspect && is_over(*suspect, facts.delivery)) suspect.reset();
  const bool is_live = facts.delivery && facts.delivery->is_live();
  // One that was written before the note was cleared is counted already.
  const bool is_new = facts.mark && is_live && (!suspect || suspect->life != facts.mark->life);
  if (is_new) suspect = counted(std::move(suspect), *facts.mark, *facts.delivery, starting);
  if (!suspect || !suspect->held || !is_newer(starting.version, suspect->version)) {
    return {std::move(suspect), std::nullopt};
  }
  auto release = longer_to_give_up(*suspect, *facts.delivery, starting);
  return {released(*std::move(suspect), starting.version), std::move(release)};
}

model::Suspect released(model::Suspect suspect, std::string_view version) {
  suspect.held.reset();
  suspect.crashes = kCrashesToHold - 1;
  suspect.version = version;
  return suspect;
}

std::optional<model::Settlement> longer_to_give_up(const model::Suspect& suspect,
                                                   const model::Delivery& delivery,
                                                   const Starting& starting) {
  if (!suspect.held || !delivery.is_live() || !delivery.progress.give_up_at) return std::nullopt;
  const Duration held = starting.now - starting.paused - suspect.held->since_unpaused;
  model::Settlement settlement = model::settlement_from(delivery);
  *settlement.delivery.progress.give_up_at += std::max(held, Duration::zero());
  return settlement;
}

engine::SuspectList::Entry entry_for(const model::Suspect& suspect) {
  using engine::Suspicion;
  if (suspect.held) {
    return {Suspicion::Barred,
            fmt::format("it was in flight at {} crashes of the server in a row, and is held since "
                        "{} until a person releases it or a newer version of Petrel starts",
                        suspect.crashes, to_rfc3339(suspect.held->since))};
  }
  if (suspect.crashes >= kCrashesToGoAlone) {
    return {Suspicion::Alone,
            fmt::format("it was in flight at {} crashes of the server in a row; such deliveries "
                        "are sent one at a time, and it waits for its turn",
                        suspect.crashes)};
  }
  return {Suspicion::Watched, {}};
}

bool is_newer(std::string_view one, std::string_view other) {
  return numbers_of(one) > numbers_of(other);
}

}  // namespace petrel::node
