// Suspicion decides what a crash says about the deliveries that were in flight in it, and what is
// done with them: pure steps, from what was known before to what is known now.
//
//   crashes in a row   1   sent like every other
//                      2   sent alone: no other of these is in flight meanwhile
//                      3   held, until it is released
//
// They are in a row for a delivery if no attempt of it has ended between them. A crash at which it
// was not in flight says nothing about it.
//
// Thread: any.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "engine/in_flight_note.h"
#include "engine/suspect_list.h"
#include "model/delivery.h"
#include "model/settlement.h"
#include "model/suspect.h"

namespace petrel::node {

inline constexpr int kCrashesToGoAlone = 2;
inline constexpr int kCrashesToHold = 3;

// What there is about one delivery when a server starts.
struct SuspectFacts {
  std::optional<model::Suspect> known = std::nullopt;      // From before the last crash.
  std::optional<engine::CrashMark> mark = std::nullopt;    // It was in flight in that.
  std::optional<model::Delivery> delivery = std::nullopt;  // Empty if it is gone.
};

// The server that starts.
struct Starting {
  WallTime now;
  std::string_view version;
  Duration paused{};  // For how long the delivery's endpoint was switched off so far.
};

struct SuspectVerdict {
  std::optional<model::Suspect> suspect = std::nullopt;  // Empty: nothing is against it.

  // It was held, and this server is newer than the one that crashed: it goes on, with the time to
  // give up that it had left.
  std::optional<model::Settlement> release = std::nullopt;
};

SuspectVerdict judge_at_start(const SuspectFacts& facts, const Starting& starting);

// By a person. It goes alone from now on, and is held again at the next crash.
//
// REQUIRES: it is held.
model::Suspect released(model::Suspect suspect, std::string_view version);

// The delivery's time to give up, later by as long as it was held. Empty if it has none.
std::optional<model::Settlement> longer_to_give_up(const model::Suspect& suspect,
                                                   const model::Delivery& delivery,
                                                   const Starting& starting);

// How it is sent by that.
engine::SuspectList::Entry entry_for(const model::Suspect& suspect);

// Whether `one`, a version of Petrel as "1.2.3", comes after the other.
bool is_newer(std::string_view one, std::string_view other);

}  // namespace petrel::node
