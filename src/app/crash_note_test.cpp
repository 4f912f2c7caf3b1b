#include "app/crash_note.h"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/random.h"

namespace petrel::app {
namespace {

class CrashNoteTest : public testing::Test {
 protected:
  CrashNoteTest() {
    std::string pattern = testing::TempDir() + "crash-note-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~CrashNoteTest() override {
    ::chmod(folder_.c_str(), 0700);
    std::filesystem::remove_all(folder_);
  }

  model::DeliveryKey key() {
    return {EndpointId(Ksuid::make(WallTime(), random_)),
            MessageId(Ksuid::make(WallTime(), random_))};
  }

  std::unique_ptr<CrashNote> open(const std::string& version = "0.1.0") {
    return CrashNote::open({.folder = folder_, .places = 4, .version = version}, random_);
  }

  std::vector<model::DeliveryKey> marked() {
    std::vector<model::DeliveryKey> keys;
    for (const engine::CrashMark& mark : open()->uncounted()) keys.push_back(mark.delivery);
    return keys;
  }

  // As a server would be when it ends: the first and the last of its four places are taken.
  std::unique_ptr<CrashNote> busy(const std::string& version = "0.1.0") {
    auto note = open(version);
    note->catch_crashes();
    note->began(0, first_);
    note->began(1, second_);
    note->began(3, third_);
    note->ended(1);
    return note;
  }

  // In a process of its own.
  template <typename End>
  void crash(int signal, End end) {
    EXPECT_EXIT(
        {
          const auto note = busy();
          end();
          std::_Exit(0);
        },
        testing::KilledBySignal(signal), "");
  }

  SeededSecureRandom random_{3};
  std::string folder_;
  const model::DeliveryKey first_ = key();
  const model::DeliveryKey second_ = key();
  const model::DeliveryKey third_ = key();
};

int overflow(int depth) {
  std::array<volatile char, 4096> much{};
  much[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow(depth + 1) + much[0];
}

TEST_F(CrashNoteTest, SaysWhatWasInFlightWhenAProcessCrashed) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    crash(signal, [signal] { std::raise(signal); });
    const auto note = open();
    EXPECT_EQ(note->last_signal(), signal);
    ASSERT_EQ(note->uncounted().size(), 2U);
    EXPECT_EQ(note->uncounted()[0].delivery, first_);
    EXPECT_EQ(note->uncounted()[1].delivery, third_);
    EXPECT_EQ(note->uncounted()[0].version, "0.1.0");
    EXPECT_EQ(note->uncounted()[0].life, note->uncounted()[1].life);
    EXPECT_EQ(note->problem(), "");
    note->counted();
  }
}

TEST_F(CrashNoteTest, NoticesTheWaysInWhichProgramsCrash) {
  crash(SIGABRT, [] { std::abort(); });
  EXPECT_EQ(marked().size(), 2U);
  open()->counted();
  crash(SIGABRT, [] { std::terminate(); });
  EXPECT_EQ(marked().size(), 2U);
  open()->counted();
  crash(SIGSEGV, [] { *static_cast<volatile int*>(nullptr) = 1; });
  EXPECT_EQ(marked().size(), 2U);
  open()->counted();
  crash(SIGSEGV, [] { std::exit(overflow(1)); });
  EXPECT_EQ(marked().size(), 2U);
  open()->counted();
  crash(SIGABRT, [] { std::thread([] { std::abort(); }).join(); });
  EXPECT_EQ(marked().size(), 2U);
}

TEST_F(CrashNoteTest, AKillIsNoCrash) {
  for (const int signal : {SIGKILL, SIGTERM}) {
    crash(signal, [signal] { std::raise(signal); });
    EXPECT_TRUE(marked().empty());
  }
}

TEST_F(CrashNoteTest, AnEndInOrderIsNoCrash) {
  busy().reset();
  EXPECT_TRUE(marked().empty());
  // Nobody is caught any more.
  EXPECT_EXIT(
      {
        busy().reset();
        std::abort();
      },
      testing::KilledBySignal(SIGABRT), "");
  EXPECT_TRUE(marked().empty());
}

TEST_F(CrashNoteTest, TellsOfACrashUntilItIsCounted) {
  crash(SIGABRT, [] { std::abort(); });
  const std::uint64_t first = open()->uncounted().at(0).life;
  // The next ones die as well before they get to it, by a kill and by a crash of their own.
  crash(SIGKILL, [] { std::raise(SIGKILL); });
  crash(SIGABRT, [] { std::abort(); });
  const auto note = open();
  ASSERT_EQ(note->uncounted().size(), 4U);
  EXPECT_EQ(note->uncounted()[0].life, first);
  EXPECT_NE(note->uncounted()[2].life, first);
  note->counted();
  EXPECT_TRUE(note->uncounted().empty());
  EXPECT_TRUE(marked().empty());
}

TEST_F(CrashNoteTest, AFileThatIsDamagedStopsNobody) {
  crash(SIGABRT, [] { std::abort(); });
  std::ifstream in(CrashNote::path_in(folder_), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  const auto with = [&](const std::string& bytes) {
    std::ofstream(CrashNote::path_in(folder_), std::ios::binary) << bytes;
    const auto note = open();
    EXPECT_EQ(note->problem(), "");
    EXPECT_LE(note->uncounted().size(), 4U);
    return note->uncounted().size();
  };
  EXPECT_EQ(with(whole), 2U);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(with(whole.substr(0, size)), 0U);
  EXPECT_EQ(with(whole + "x"), 0U);
  Random random(5);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    with(damaged);
  }
}

TEST_F(CrashNoteTest, AFolderThatTakesNoFileStopsNobody) {
  std::filesystem::create_directory(CrashNote::path_in(folder_) + ".new");
  const auto note = busy();
  EXPECT_NE(note->problem(), "");
  note->ended(0);
  // Crashes are not caught then, but by whoever did before.
  EXPECT_EXIT(std::abort(), testing::KilledBySignal(SIGABRT), "");
}

TEST_F(CrashNoteTest, AFileThatIsCutShortWhileItIsUsedStopsNobody) {
  EXPECT_EXIT(
      {
        const auto note = busy();
        std::filesystem::resize_file(CrashNote::path_in(folder_), 0);
        for (std::size_t place = 0; place < note->places(); ++place) {
          note->began(place, first_);
          note->ended(place);
        }
        note->counted();
        std::_Exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(CrashNoteTest, APlaceThatThereIsNotIsPassedOver) {
  const auto note = open();
  note->began(4, first_);
  note->ended(1'000'000);
}

}  // namespace
}  // namespace petrel::app
