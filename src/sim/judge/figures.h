// Figures are the numbers of the contract, each with the section of delivery.md that it is from.
// Nothing here is taken from the code that is judged.

#pragma once

#include <chrono>

#include "base/time.h"

namespace petrel::sim::judge::figures {

// "Retry policy".
inline constexpr Duration kBaseDelay = std::chrono::seconds(30);
inline constexpr double kMultiplier = 2;
inline constexpr Duration kMaxDelay = std::chrono::hours(24);
inline constexpr int kMaxAttempts = 10;
inline constexpr Duration kGiveUpAfter = std::chrono::hours(96);
inline constexpr Duration kRetryAfterCap = std::chrono::hours(24);
inline constexpr int kThrottledStretch = 2;   // 429 without a header doubles the nominal delay.
inline constexpr int kAmbiguousAttempts = 3;  // 404, and a name that does not exist.

// "The lane: protecting the destination".
inline constexpr int kMaxInFlight = 10;
inline constexpr int kAdaptiveFirst = 10;
inline constexpr int kAuthorityCap = 32;
inline constexpr int kSlotParts = 4;  // "Between endpoints": e < (S/2 − E) ÷ 4.
inline constexpr Duration kTimeout = std::chrono::seconds(15);
inline constexpr int kOpenAfter = 20;
inline constexpr Duration kStreakGrace = std::chrono::seconds(1);
inline constexpr Duration kOpenWindow = std::chrono::seconds(60);
inline constexpr int kOpenWindowAttempts = 40;
inline constexpr int kOpenWindowPercent = 50;
inline constexpr int kOpenExhausted = 10;
inline constexpr Duration kOpenExhaustedWindow = std::chrono::hours(24);
inline constexpr Duration kOpenTime = std::chrono::seconds(15);
inline constexpr Duration kOpenTimeMax = std::chrono::minutes(10);
inline constexpr int kOpenPart = 8;            // An eighth of the time since the first opening …
inline constexpr int kOpenJitterPercent = 25;  // … · U(1, 1.25).
inline constexpr Duration kRampStep = std::chrono::seconds(5);
inline constexpr int kRampPercent = 10;
inline constexpr int kRampStayPercent = 50;  // From here on it repeats for as long as it takes.
inline constexpr int kRampRepeats = 3;
inline constexpr int kRampInFlight = 1;
inline constexpr int kRampDivisor = 10;
inline constexpr double kRampRateMin = 1;
inline constexpr int kPauseAfter = 100;
inline constexpr Duration kBeforeOutage = std::chrono::seconds(60);
inline constexpr int kReleaseFailures = 5;

// "Exactly: Breaker": the window is counted in whole seconds (docs/api.md).
inline constexpr Duration kWindowGrain = std::chrono::seconds(1);

// "Exactly: Ramp": the former rate is over the 60 s before the opening, at least 1 s.
inline constexpr Duration kFormerWindow = std::chrono::seconds(60);
inline constexpr Duration kFormerMin = std::chrono::seconds(1);

// "Exactly: Rate".
inline constexpr Duration kBucketBurst = std::chrono::milliseconds(10);

// Ids sort by time in steps of this (base/ksuid.h).
inline constexpr Duration kIdGrain = std::chrono::milliseconds(4);

// "Exactly: DNS": after a fault of ours a second, doubling to a minute if it is our resolver's.
inline constexpr Duration kFaultWait = std::chrono::seconds(1);
inline constexpr Duration kFaultWaitMax = std::chrono::seconds(60);

// "Replay".
inline constexpr int kReplayRate = 100;
inline constexpr int kReplayCeiling = 10;  // Times the rate.

// "Retention", and docs/operations.md for how late it may be.
inline constexpr Duration kRetention = std::chrono::hours(24 * 90);
inline constexpr Duration kRetentionLate = std::chrono::minutes(30);

// docs/api.md, "Sending again".
inline constexpr Duration kResendNear = std::chrono::seconds(10);

// "The lane": a lane leaves when its hour of history has passed (node.md 2.3).
inline constexpr Duration kLaneRests = std::chrono::hours(1);
inline constexpr Duration kHistoryGrain = std::chrono::minutes(5);  // It is kept in such steps.

}  // namespace petrel::sim::judge::figures
