// Kind is what a line of the log is about. It has a name that operators look for, a level, and a
// bound on how many lines of it are written within one span of time: what a thousand endpoints do
// at once must not bury the rest.
//
//   circuit.opened   delivery.dead   server.listening
//
// docs/operations.md lists all of them.
//
// Thread: any.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "log/level.h"

namespace petrel::log {

enum class Kind : std::uint8_t {
  ServerStarting,
  ServerSetting,
  ServerListening,
  ServerWarning,
  ServerCrashed,
  ServerStopping,
  ServerStopped,
  ServerFailed,
  ServerLoop,
  ServerDescriptors,
  ServerMemory,
  ServerDisk,
  TlsReloaded,
  TlsKept,
  StoreDamaged,
  StoreAway,
  StoreBack,
  BackupBegun,
  BackupDone,
  BackupFailed,
  CircuitOpened,
  CircuitRestored,
  CircuitHalfOpen,
  CircuitProbeFailed,
  CircuitClosed,
  EndpointCreated,
  EndpointChanged,
  EndpointPaused,
  EndpointResumed,
  EndpointDisabled,
  EndpointEnabled,
  EndpointDeleted,
  DeliveryDead,
  DeliveryDamaged,
  DeliverySuspected,
  DeliveryReleased,
  AttemptEnded,
  AttemptFault,
  ReceiverBlocked,
  TaskBegun,
  TaskPaused,
  TaskResumed,
  TaskCancelled,
  TaskFinished,
  TaskFailed,
  RequestFailed,
  LogLeftOut,
  LogDropped,
};

struct KindSpec {
  Kind kind;
  std::string_view name;
  Level level;
  std::uint32_t lines_max;  // Within one span; 0: all of them.
};

// Enough to see who is concerned; how many there are besides is said.
inline constexpr std::uint32_t kSome = 20;
inline constexpr std::uint32_t kAll = 0;

// In the order of Kind.
inline constexpr std::array kKinds = {
    KindSpec{Kind::ServerStarting, "server.starting", Level::Info, kAll},
    KindSpec{Kind::ServerSetting, "server.setting", Level::Info, kAll},
    KindSpec{Kind::ServerListening, "server.listening", Level::Info, kAll},
    KindSpec{Kind::ServerWarning, "server.warning", Level::Warn, kAll},
    KindSpec{Kind::ServerCrashed, "server.crashed", Level::Error, kAll},
    KindSpec{Kind::ServerStopping, "server.stopping", Level::Info, kAll},
    KindSpec{Kind::ServerStopped, "server.stopped", Level::Info, kAll},
    KindSpec{Kind::ServerFailed, "server.failed", Level::Error, kAll},
    KindSpec{Kind::ServerLoop, "server.loop", Level::Warn, kSome},
    KindSpec{Kind::ServerDescriptors, "server.descriptors", Level::Warn, kSome},
    KindSpec{Kind::ServerMemory, "server.memory", Level::Warn, kSome},
    KindSpec{Kind::ServerDisk, "server.disk", Level::Warn, kSome},
    KindSpec{Kind::TlsReloaded, "tls.reloaded", Level::Info, kSome},
    KindSpec{Kind::TlsKept, "tls.kept", Level::Error, kSome},
    KindSpec{Kind::StoreDamaged, "store.damaged", Level::Error, kSome},
    KindSpec{Kind::StoreAway, "store.away", Level::Error, kSome},
    KindSpec{Kind::StoreBack, "store.back", Level::Info, kSome},
    KindSpec{Kind::BackupBegun, "backup.begun", Level::Info, kSome},
    KindSpec{Kind::BackupDone, "backup.done", Level::Info, kSome},
    KindSpec{Kind::BackupFailed, "backup.failed", Level::Error, kSome},
    KindSpec{Kind::CircuitOpened, "circuit.opened", Level::Warn, kSome},
    KindSpec{Kind::CircuitRestored, "circuit.restored", Level::Info, kSome},
    KindSpec{Kind::CircuitHalfOpen, "circuit.half_open", Level::Info, kSome},
    KindSpec{Kind::CircuitProbeFailed, "circuit.probe_failed", Level::Info, kSome},
    KindSpec{Kind::CircuitClosed, "circuit.closed", Level::Info, kSome},
    KindSpec{Kind::EndpointCreated, "endpoint.created", Level::Info, kSome},
    KindSpec{Kind::EndpointChanged, "endpoint.changed", Level::Info, kSome},
    KindSpec{Kind::EndpointPaused, "endpoint.paused", Level::Warn, kSome},
    KindSpec{Kind::EndpointResumed, "endpoint.resumed", Level::Info, kSome},
    KindSpec{Kind::EndpointDisabled, "endpoint.disabled", Level::Warn, kSome},
    KindSpec{Kind::EndpointEnabled, "endpoint.enabled", Level::Info, kSome},
    KindSpec{Kind::EndpointDeleted, "endpoint.deleted", Level::Info, kSome},
    KindSpec{Kind::DeliveryDead, "delivery.dead", Level::Warn, kSome},
    KindSpec{Kind::DeliveryDamaged, "delivery.damaged", Level::Error, kSome},
    KindSpec{Kind::DeliverySuspected, "delivery.suspected", Level::Warn, kAll},
    KindSpec{Kind::DeliveryReleased, "delivery.released", Level::Info, kSome},
    KindSpec{Kind::AttemptEnded, "attempt.ended", Level::Debug, kAll},
    KindSpec{Kind::AttemptFault, "attempt.fault", Level::Warn, kSome},
    KindSpec{Kind::ReceiverBlocked, "receiver.blocked", Level::Warn, kSome},
    KindSpec{Kind::TaskBegun, "task.begun", Level::Info, kSome},
    KindSpec{Kind::TaskPaused, "task.paused", Level::Info, kSome},
    KindSpec{Kind::TaskResumed, "task.resumed", Level::Info, kSome},
    KindSpec{Kind::TaskCancelled, "task.cancelled", Level::Info, kSome},
    KindSpec{Kind::TaskFinished, "task.finished", Level::Info, kSome},
    KindSpec{Kind::TaskFailed, "task.failed", Level::Warn, kSome},
    KindSpec{Kind::RequestFailed, "request.failed", Level::Error, kSome},
    KindSpec{Kind::LogLeftOut, "log.left_out", Level::Warn, kAll},
    KindSpec{Kind::LogDropped, "log.dropped", Level::Warn, kAll},
};

constexpr const KindSpec& spec_of(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

constexpr Level level_of(Kind kind) { return spec_of(kind).level; }

constexpr std::string_view name_of(Kind kind) { return spec_of(kind).name; }

}  // namespace petrel::log
