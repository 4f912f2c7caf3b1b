// Every verb of the embedded store, opening one and bringing one up to date, on a disk that does to
// them whatever disks do. Nothing that was answered is lost without a word, nothing that was not is
// there by half, nothing aborts, and whoever asks meanwhile is told the truth or that it is not to
// be had.

#include <array>
#include <functional>

#include <gtest/gtest.h>

#include "faulty_disk.h"
#include "scene.h"
#include "store/bytes.h"
#include "store/rocksdb/database.h"

namespace petrel::store {
namespace {

namespace fs = std::filesystem;

// Those that happen while it runs; power cuts bring the others.
constexpr std::array kFaults = {DiskFault::WriteFailsOnce,
                                DiskFault::WritesFail,
                                DiskFault::ReadFailsOnce,
                                DiskFault::ReadsFail,
                                DiskFault::BitFlip,
                                DiskFault::FailedSync,
                                DiskFault::Full};

// A fault of a disk, and where it happens.
struct Trouble {
  DiskFault fault = DiskFault::WritesFail;
  std::uint64_t nth = 1;

  std::string text() const {
    return "fault " + std::to_string(static_cast<int>(fault)) + " at " + std::to_string(nth);
  }
};

class DiskFaultsTest : public testing::Test {
 protected:
  DiskFaultsTest() : disk_(std::make_shared<FaultyDisk>()), env_(env_on(disk_)) {
    const auto store = open_rocks(settings("filled"), clock_);
    scene_.fill(*store);
    before_ = scene_.read(*store);
  }

  RocksSettings settings(std::string_view name) const {
    RocksSettings made;
    made.path = folder_.at(name);
    made.vault = test_vault();
    made.env = env_.get();
    made.retry_pause = std::chrono::milliseconds(1);
    made.write_buffer_bytes = std::size_t{1} << 20U;
    made.retention = std::chrono::years(100);  // The clock is real, the records' times are not.
    return made;
  }

  // A fresh copy of what was filled, on the disk.
  void copy() const {
    disk_->settle_down();
    fs::remove_all(folder_.at("store"));
    fs::copy(folder_.at("filled"), folder_.at("store"), fs::copy_options::recursive);
  }

  // Waits until the store takes writes again by itself.
  static bool revives(RocksStore& store) {
    for (int i = 0; i < 2000; ++i) {
      const auto condition =
          wait_for<StoreCondition>([&](auto done) { store.prove(std::move(done)); });
      if (condition.takes_writes) return true;
      std::promise<void>().get_future().wait_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  static void expect_sentence(const Error& error, const std::string& where) {
    EXPECT_TRUE(error.kind == ErrorKind::Unavailable || error.kind == ErrorKind::Corrupt)
        << where << ": " << to_string(error.kind) << " " << error.text();
    EXPECT_GE(error.detail.size(), 10U) << where;
  }

  // Whoever asks while the disk is faulty gets the truth or an error, and is told of damage.
  void expect_truth(RocksStore& store, const Readings& after, const std::string& where) const {
    for (const auto& [name, answer] : scene_.read(store)) {
      if (!answer.ok()) {
        expect_sentence(answer.error(), where + ", " + name);
      } else if (*answer != *before_.at(name) && *answer != *after.at(name)) {
        EXPECT_GT(store.condition().damage_total, 0U) << where << ": " << name << " is " << *answer;
      }
    }
  }

  // Whether the store is as `after` says; it has to be that, or as it was, in all that it is asked.
  bool is_after(RocksStore& store, const Readings& after, const std::string& where) const {
    std::string unlike_before;
    std::string unlike_after;
    for (const auto& [name, answer] : scene_.read(store)) {
      if (!answer.ok()) {
        ADD_FAILURE() << where << ": " << name << ": " << answer.error().text();
        return true;
      }
      if (*answer != *before_.at(name)) unlike_before = name + " is " + *answer;
      if (*answer != *after.at(name)) unlike_after = name + " is " + *answer;
    }
    EXPECT_TRUE(unlike_before.empty() || unlike_after.empty())
        << where << ", by half: " << unlike_before << "; " << unlike_after;
    return unlike_after.empty();
  }

  // What the verb makes of the scene on a disk that is well.
  Readings outcome_of(const Verb& verb) const {
    copy();
    const auto store = open_rocks(settings("store"), clock_);
    EXPECT_TRUE(verb.act(*store).ok()) << verb.name;
    return scene_.read(*store);
  }

  // A log whose end has holes may look damaged. Then the store says so, and goes on when told to.
  std::unique_ptr<RocksStore> open_after_cut(const std::string& where) {
    auto opened = RocksStore::open(settings("store"), clock_);
    if (opened.ok()) return *std::move(opened);
    expect_sentence(opened.error(), where);
    RocksSettings with_leave = settings("store");
    with_leave.accepts_loss = true;
    return open_rocks(with_leave, clock_);
  }

  SystemClock clock_;
  ScratchFolder folder_;
  Scene scene_;
  Readings before_;
  std::shared_ptr<FaultyDisk> disk_;
  std::unique_ptr<rocksdb::Env> env_;
  Random random_{3};
};

class VerbFaultsTest : public DiskFaultsTest, public testing::WithParamInterface<std::size_t> {
 protected:
  VerbFaultsTest() { random_ = Random(GetParam()); }

  // Loses the power, by `cut`, in the midst of the verb.
  void cut_amid(const std::string& how, const std::function<void()>& cut) {
    const std::string where = verb_.name + ", " + how;
    copy();
    auto store = open_rocks(settings("store"), clock_);
    ASSERT_TRUE(store && scene_.touch(*store).ok()) << where;
    cut();
    const Status answer = verb_.act(*store);
    if (!answer.ok()) expect_sentence(answer.error(), where);
    store.reset();
    disk_->restart(random_);
    store = open_after_cut(where);
    ASSERT_TRUE(store) << where;
    EXPECT_TRUE(is_after(*store, after_, where) || !answer.ok()) << where << ": it was answered";
  }

  Verb verb_ = scene_.verbs().at(GetParam());
  Readings after_ = outcome_of(verb_);
};

TEST_P(VerbFaultsTest, AFaultUnderARunningStoreLosesNothing) {
  for (const DiskFault fault : kFaults) {
    const bool is_at_once = fault == DiskFault::FailedSync || fault == DiskFault::Full;
    for (const std::uint64_t nth : {std::size_t{1}, 2 + GetParam() % 5}) {
      if (is_at_once && nth > 1) continue;
      const std::string where = verb_.name + ", " + Trouble{fault, nth}.text();
      copy();
      auto store = open_rocks(settings("store"), clock_);
      ASSERT_TRUE(store && scene_.touch(*store).ok()) << where;  // So its log is there to stay.
      disk_->arm(fault, nth);
      const Status answer = verb_.act(*store);
      if (!answer.ok()) expect_sentence(answer.error(), where);
      expect_truth(*store, after_, where);
      disk_->heal();

      ASSERT_TRUE(revives(*store)) << where << ": " << store->condition().why_not;
      const bool is_there = is_after(*store, after_, where);
      EXPECT_TRUE(is_there || !answer.ok()) << where << ": it was answered";
      store.reset();
      store = open_rocks(settings("store"), clock_);
      ASSERT_TRUE(store) << where;
      EXPECT_EQ(is_after(*store, after_, where + ", opened again"), is_there) << where;
    }
  }
}

TEST_P(VerbFaultsTest, APowerCutAmidItLosesNothing) {
  disk_->reorder();
  for (std::uint64_t nth = 1; nth <= 3; ++nth) {
    cut_amid("power cut at " + std::to_string(nth), [&] { disk_->cut_after(nth); });
  }
}

// Four times, as there are four things that a disk makes of an unsynced log.
TEST_P(VerbFaultsTest, APowerCutBeforeItsSyncLosesNothing) {
  disk_->reorder();
  for (int i = 0; i < 4; ++i) {
    cut_amid("power cut at the sync, loss " + std::to_string(i), [&] { disk_->cut_at_log_sync(); });
  }
}

std::string name_of_verb(const testing::TestParamInfo<std::size_t>& info) {
  return Scene().verbs().at(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(Verb, VerbFaultsTest, testing::Range<std::size_t>(0, 23), name_of_verb);

TEST_F(DiskFaultsTest, NoVerbIsLeftOut) { EXPECT_EQ(scene_.verbs().size(), 23U); }

class OpeningFaultsTest : public DiskFaultsTest, public testing::WithParamInterface<DiskFault> {
 protected:
  // What an older Petrel would have left: the tallies are to be counted when it is opened.
  void make_older() const {
    const auto database = Database::open(settings("filled"), clock_);
    ASSERT_TRUE(database.ok());
    std::string value;
    ByteWriter(value).number(1);
    rocksdb::DB& db = (*database)->db();
    ASSERT_TRUE(db.Put({}, (*database)->family(Family::Meta), "format", value).ok());
    rocksdb::ColumnFamilyHandle* tallies = (*database)->family(Family::Tally);
    ASSERT_TRUE(db.DeleteRange({}, tallies, std::string(1, '\0'), std::string(80, '\xFF')).ok());
  }

  void open_in_trouble(const Trouble& trouble) {
    copy();
    disk_->arm(trouble.fault, trouble.nth);
    auto opened = RocksStore::open(settings("store"), clock_);
    if (opened.ok()) {
      expect_truth(**opened, before_, trouble.text());
      opened->reset();
    } else {
      EXPECT_GE(opened.error().detail.size(), 10U) << trouble.text();
    }
    disk_->heal();
    const auto store = open_rocks(settings("store"), clock_);
    ASSERT_TRUE(store) << trouble.text();
    is_after(*store, before_, trouble.text());
  }

  void cut_while_opening(std::uint64_t nth) {
    cut_while_opening("power cut at " + std::to_string(nth), [&] { disk_->cut_after(nth); });
  }

  void cut_while_opening(const std::string& where, const std::function<void()>& cut) {
    copy();
    cut();
    { const auto opened = RocksStore::open(settings("store"), clock_); }
    disk_->restart(random_);
    const auto store = open_after_cut(where);
    ASSERT_TRUE(store) << where;
    is_after(*store, before_, where);
  }
};

constexpr std::array<std::uint64_t, 7> kPlaces = {1, 3, 7, 16, 35, 80, 180};

TEST_P(OpeningFaultsTest, OpeningLosesNothing) {
  for (const std::uint64_t nth : kPlaces) open_in_trouble({GetParam(), nth});
}

TEST_P(OpeningFaultsTest, BringingItUpToDateLosesNothing) {
  make_older();
  for (const std::uint64_t nth : kPlaces) open_in_trouble({GetParam(), nth});
}

TEST_F(OpeningFaultsTest, APowerCutWhileItOpensLosesNothing) {
  disk_->reorder();
  const std::uint64_t idle = disk_->operations();
  cut_while_opening(10'000);
  const std::uint64_t last = disk_->operations() - idle;
  RecordProperty("writes", static_cast<int>(last));
  for (std::uint64_t nth = 1; nth <= last; nth += 2) cut_while_opening(nth);
  make_older();
  for (std::uint64_t nth = 2; nth <= last; nth += 8) cut_while_opening(nth);
}

// Between a rename and the sync of its folder lies a single operation, and of the changes that were
// not synced any number is lost: so it is tried until the rename was.
TEST_F(OpeningFaultsTest, ARenameThatIsLostWhileItOpensLosesNothing) {
  const std::uint64_t before = FaultyDisk::reached(DiskFault::LostRename);
  for (int i = 0; i < 60 && FaultyDisk::reached(DiskFault::LostRename) < before + 3; ++i) {
    cut_while_opening("power cut after a rename", [&] { disk_->cut_after_rename(); });
  }
  EXPECT_GE(FaultyDisk::reached(DiskFault::LostRename), before + 3);
}

INSTANTIATE_TEST_SUITE_P(Fault, OpeningFaultsTest, testing::ValuesIn(kFaults));

// A fault that is listed and never happens is not tested, whatever the names of the tests say.
class EveryFaultHappens final : public testing::Environment {
 public:
  void TearDown() override {
    const testing::UnitTest& suite = *testing::UnitTest::GetInstance();
    if (suite.test_to_run_count() != suite.total_test_count()) return;  // Some were left out.
    for (std::size_t i = 0; i < kDiskFaults; ++i) {
      EXPECT_GT(FaultyDisk::reached(static_cast<DiskFault>(i)), 0U) << "fault " << i;
    }
  }
};

const testing::Environment* const kEveryFaultHappens =
    testing::AddGlobalTestEnvironment(new EveryFaultHappens);  // Owned by GoogleTest.

}  // namespace
}  // namespace petrel::store
