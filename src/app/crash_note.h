// CrashNote is the file `in-flight` in the store's folder. It lists the deliveries that have an
// attempt in flight, and a crash (SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE) is noted in it by the
// signal handler, so that the next process knows what this one died over. A process that is killed,
// or a machine that loses its power, notes nothing.
//
// The file is mapped into memory and never synced: to note an attempt is to copy forty bytes.
//
//   header   magic, form, sizes, the life that writes it, the signal that ended it
//   places   one for each attempt that may be in flight
//   marks    what earlier lives died over, until that is in the store
//
// Whatever is in the file that is left over, it stops no server: what makes no sense is passed
// over. If the file cannot be made the server runs without it, and problem() says so.
//
// Thread: safe, as InFlightNote has it.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/secure_random.h"
#include "engine/in_flight_note.h"

namespace petrel::app {

class CrashNote final : public engine::InFlightNote {
 public:
  struct Settings {
    std::string folder;   // The store's, which is there.
    std::size_t places;   // As many as attempts may be in flight.
    std::string version;  // Of this server, at most kVersionMax bytes.
  };
  static constexpr std::size_t kVersionMax = 31;

  // Beyond it the oldest marks are dropped.
  static constexpr std::size_t kMarksMax = 100'000;

  // Reads what the last process left, and begins a file of its own.
  static std::unique_ptr<CrashNote> open(const Settings& settings, SecureRandom& random);

  static std::string path_in(std::string_view folder);

  // Crashes are noted no more.
  ~CrashNote() override;
  CrashNote(const CrashNote&) = delete;
  CrashNote& operator=(const CrashNote&) = delete;

  // From now on a crash is noted, and then ends the process as if nobody had looked: by the same
  // signal, with the same core. One note at a time can catch them.
  void catch_crashes();

  std::size_t places() const override { return places_; }
  void began(std::size_t place, const model::DeliveryKey& delivery) override;
  void ended(std::size_t place) override;
  std::vector<engine::CrashMark> uncounted() const override;
  void counted() override;

  // The signal that ended the last process, 0 if it did not crash.
  int last_signal() const { return last_signal_; }

  // Why crashes are not noted. Empty if they are.
  const std::string& problem() const { return problem_; }

 private:
  explicit CrashNote(const Settings& settings);

  void read_last();
  int create() const;
  void map();
  void fill(const Settings& settings, std::uint64_t life);

  const std::string path_;
  const std::size_t places_;
  std::vector<engine::CrashMark> marks_;  // What earlier lives died over.
  std::atomic<bool> is_counted_ = false;
  int last_signal_ = 0;
  std::string problem_;
  std::byte* bytes_ = nullptr;
  std::size_t size_ = 0;
  bool is_catching_ = false;
};

}  // namespace petrel::app
