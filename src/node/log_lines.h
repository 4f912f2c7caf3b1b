// How what happens in a node reads in the log: one line for each change of state.
//
// Each function writes at most a line, and makes nothing if there is nobody to read it. Receivers
// are named by their origin alone: the path of a URL may be a secret.
//
// Thread: any.

#pragma once

#include <optional>

#include "base/result.h"
#include "engine/lane_health.h"
#include "engine/lane_state.h"
#include "log/log.h"
#include "model/attempt.h"
#include "model/settlement.h"
#include "model/suspect.h"
#include "model/task.h"
#include "notice/notice.h"

namespace petrel::node {

// Whether the lane is looked at for the first time in this process.
enum class LaneIs : std::uint8_t { Known, New };

// How its circuit was when it was last looked at, and how it is. Empty is closed.
void log_circuit(log::Log& log, const engine::LaneConfig& lane,
                 const std::optional<engine::OpenCircuit>& before,
                 const std::optional<engine::OpenCircuit>& after, LaneIs is);

// It is on disk: the attempt, and what became of the delivery.
void log_settlement(log::Log& log, const model::Settlement& settlement);

// What is stored of it is damaged.
void log_refused(log::Log& log, const model::DeliveryKey& delivery, const Error& error);

// An attempt that was none: by a fault of ours, or since its receiver's address is refused.
void log_fault(log::Log& log, const model::DeliveryKey& delivery,
               const model::AttemptResult& result);
void log_blocked(log::Log& log, const model::DeliveryKey& delivery,
                 const model::AttemptResult& result);

void log_change(log::Log& log, const notice::EndpointChange& change);

void log_task_begun(log::Log& log, const model::Task& task);

// A person has written it: it pauses, goes on or is cancelled.
void log_task_edited(log::Log& log, const model::Task& task);

// It finished or failed by itself.
void log_task_ended(log::Log& log, const model::Task& task);

// A delivery that was held after crashes goes on.
void log_released(log::Log& log, const model::Suspect& suspect);

}  // namespace petrel::node
