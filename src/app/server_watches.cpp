// What a server watches itself by: what runs short, and what it crashed over.

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "app/descriptor_limit.h"
#include "app/heap.h"
#include "app/server.h"
#include "app/version.h"

namespace petrel::app {

// What a watch says, as a line of that kind.
Function<void(const std::string&)> Server::teller(log::Kind kind) {
  return
      [this, kind](const std::string& what) { log_.tell(kind, [&] { return log::Words{what}; }); };
}

void Server::warn(const std::string& what, const std::string& hint) {
  log_.tell(log::Kind::ServerWarning, [&] { return log::Words{what, {{"hint", hint}}}; });
}

void Server::watch_log() {
  control_loop_.run_and_wait([this] {
    log_watch_ = std::make_unique<LogWatch>(LogWatch::Parts{
        .loop = control_loop_, .clock = clock_, .registry = metrics_.registry(), .log = log_});
  });
}

void Server::watch_disk(const Settings& settings) {
  control_loop_.run_and_wait([&] {
    disk_watch_ = std::make_unique<DiskWatch>(
        DiskWatch::Parts{.loop = control_loop_,
                         .clock = clock_,
                         .pool = pool_,
                         .registry = metrics_.registry(),
                         .bytes_max = settings.disk_bytes_max,
                         .measure = [folder = settings.store] { return disk_use(folder); },
                         .complain = teller(log::Kind::ServerDisk)});
  });
}

void Server::watch_process() {
  control_loop_.run_and_wait([this] {
    process_watch_ =
        std::make_unique<ProcessWatch>(ProcessWatch::Parts{.loop = control_loop_,
                                                           .clock = clock_,
                                                           .registry = metrics_.registry(),
                                                           .read = system_files(),
                                                           .count_open = open_descriptors,
                                                           .descriptor_limit = descriptor_limit_});
  });
}

void Server::watch_node(const Settings& settings) {
  control_loop_.run_and_wait([&] {
    slot_watch_ = std::make_unique<SlotWatch>(SlotWatch::Parts{.loop = control_loop_,
                                                               .clock = clock_,
                                                               .registry = metrics_.registry(),
                                                               .slots = node_->slots()});
    queue_watch_ = std::make_unique<QueueWatch>(
        QueueWatch::Parts{.loop = control_loop_,
                          .clock = clock_,
                          .pool = pool_,
                          .registry = metrics_.registry(),
                          .browse = *store_,
                          .catalogue = catalogue_,
                          .figures = [this] { return node_->figures(); },
                          .endpoints_shown = static_cast<std::size_t>(settings.metrics_endpoints)});
  });
}

void Server::watch_descriptors() {
  control_loop_.run_and_wait([this] {
    descriptor_watch_ = std::make_unique<DescriptorWatch>(
        DescriptorWatch::Parts{.loop = control_loop_,
                               .clock = clock_,
                               .registry = metrics_.registry(),
                               .budget = *descriptors_,
                               .idle = *idle_,
                               .limit = descriptor_limit_,
                               .count_open = open_descriptors,
                               .complain = teller(log::Kind::ServerDescriptors)});
  });
}

void Server::watch_memory() {
  control_loop_.run_and_wait([this] {
    memory_watch_ = std::make_unique<MemoryWatch>(
        MemoryWatch::Parts{.loop = control_loop_,
                           .clock = clock_,
                           .registry = metrics_.registry(),
                           .budget = *memory_,
                           .resident = resident_bytes,
                           .return_free = [this] { return pool_.run(return_free_memory); },
                           .complain = teller(log::Kind::ServerMemory)});
  });
}

// Before the first attempt, which may be what ends us.
void Server::open_note(const Settings& settings, std::size_t places) {
  note_ = CrashNote::open(
      {.folder = settings.store, .places = places, .version = std::string(kVersion)}, random_);
  note_->catch_crashes();
  if (note_->problem().empty()) return;
  warn("a crash over one delivery will not be noticed: " + note_->problem(),
       "without that it can come again and again");
}

void Server::tell_of_suspects() {
  if (note_->last_signal() != 0) {
    log_.tell(log::Kind::ServerCrashed, [&] {
      return log::Words{fmt::format(
          "the last run crashed (SIG{}); its core dump or journal says where, and that is worth a "
          "report",
          sigabbrev_np(note_->last_signal()))};
    });
  }
  const auto tell = teller(log::Kind::DeliverySuspected);
  const std::vector<std::string>& remarks = node_->quarantine().remarks();
  for (const std::string& remark : remarks) tell(remark);
  const node::Quarantine::Counts counts = node_->quarantine().counts();
  const std::size_t all = counts.suspected + counts.held;
  if (all > remarks.size()) {
    tell(
        fmt::format("and {} more deliveries; GET /api/v1/app/APP/delivery?status=held lists "
                    "those that are held",
                    all - remarks.size()));
  }
}

// Of everything that runs short or is held. On any thread.
std::vector<std::string> Server::remarks() const {
  std::vector<std::string> all = descriptor_watch_->problems();
  for (std::string& each : memory_watch_->problems()) all.push_back(std::move(each));
  for (std::string& each : disk_watch_->problems()) all.push_back(std::move(each));
  if (!node_) return all;  // Not yet.
  const node::Quarantine::Counts counts = node_->quarantine().counts();
  if (counts.held > 0) {
    all.push_back(fmt::format("deliveries held after crashes of the server: {}", counts.held));
  }
  if (counts.suspected > 0) {
    all.push_back(
        fmt::format("deliveries suspected of crashes of the server: {}", counts.suspected));
  }
  return all;
}

}  // namespace petrel::app
