#include "app/heartbeats.h"

#include <utility>

#include <fmt/format.h>

namespace petrel::app {
namespace {

std::string lateness(const std::string& name, Duration quiet) {
  return fmt::format("{} has not turned for {} s", name,
                     std::chrono::floor<std::chrono::seconds>(quiet).count());
}

}  // namespace

std::size_t Heartbeats::add(std::string name, MonoTime now) {
  loops_.emplace_back(std::move(name), now);
  return loops_.size() - 1;
}

void Heartbeats::beat(std::size_t loop, MonoTime now) { loops_[loop].last = now; }

std::vector<std::string> Heartbeats::late(MonoTime now) const {
  std::vector<std::string> sentences;
  for (const Loop& loop : loops_) {
    const Duration quiet = now - loop.last.load();
    if (quiet >= kPatience) sentences.push_back(lateness(loop.name, quiet));
  }
  return sentences;
}

std::vector<std::string> Heartbeats::changes(MonoTime now) {
  std::vector<std::string> sentences;
  const std::lock_guard lock(mutex_);
  for (Loop& loop : loops_) {
    const Duration quiet = now - loop.last.load();
    const bool is_late = quiet >= kPatience;
    if (std::exchange(loop.is_late, is_late) == is_late) continue;
    sentences.push_back(is_late ? lateness(loop.name, quiet) : loop.name + " turns again");
  }
  return sentences;
}

}  // namespace petrel::app
