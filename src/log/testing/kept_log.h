// KeptLog keeps every line that it is told of, for tests.
//
// Thread: confined.

#pragma once

#include <string>
#include <vector>

#include "log/log.h"
#include "log/text_form.h"

namespace petrel::log {

class KeptLog final : public Log {
 public:
  explicit KeptLog(Level least = Level::Info) : Log(least) {}

  // "warn  circuit.opened: …  endpointId=ep_…" for each, without its time.
  std::vector<std::string> lines;
  std::vector<Kind> kinds;

 private:
  bool admits(Kind) override { return true; }

  void write(Kind kind, Words words) override {
    constexpr std::size_t kTime = sizeof("2026-03-09T14:05:06.250000Z");
    std::string text = to_text({WallTime{}, kind, std::move(words)}, Paint::None).substr(kTime);
    text.pop_back();
    lines.push_back(std::move(text));
    kinds.push_back(kind);
  }
};

}  // namespace petrel::log
