#include "store/rocksdb/commit_mark.h"

#include <algorithm>

#include "store/testing/scratch_store.h"

namespace petrel::store {
namespace {

namespace fs = std::filesystem;

class CommitMarkFile : public ScratchStoreTest {
 protected:
  fs::path mark() const { return fs::path(settings_.path) / CommitMark::kFileName; }

  void cut_last_log() {
    std::vector<fs::path> logs;
    for (const auto& entry : fs::directory_iterator(settings_.path)) {
      if (entry.path().extension() == ".log") logs.push_back(entry.path());
    }
    const fs::path last = *std::max_element(logs.begin(), logs.end());
    fs::resize_file(last, fs::file_size(last) / 2);
  }
};

TEST_F(CommitMarkFile, IsNotMadeByALook) {
  fill(*open(), 1);
  fs::remove(mark());

  EXPECT_TRUE(findings().empty());

  EXPECT_FALSE(fs::exists(mark()));
}

// A disk that is mounted for reading would not let it be opened otherwise.
TEST_F(CommitMarkFile, IsOpenedOnlyForReadingByALook) {
  fs::create_directories(folder_);
  CommitMark(folder_.string(), "id", CommitMark::Use::Write).note(1);

  CommitMark(folder_.string(), "id", CommitMark::Use::Look).note(2);

  EXPECT_EQ(CommitMark(folder_.string(), "id", CommitMark::Use::Look).found(), Sequence{1});
}

TEST_F(CommitMarkFile, IsReadByALook) {
  fill(*open(), 10);
  cut_last_log();

  const std::vector<std::string> found = findings();

  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].starts_with("the last log")) << found[0];
}

TEST_F(CommitMarkFile, ThatCannotBeOpenedIsTold) {
  fill(*open(), 1);
  fs::remove(mark());
  fs::create_directory(mark());  // Root opens everything else.

  const auto store = open();

  fill(*store, 1);  // It goes on without.
  const StoreCondition condition = store->condition();
  ASSERT_EQ(condition.damage.size(), 1U);
  EXPECT_EQ(condition.damage[0].name, "COMMITTED");
  EXPECT_NE(condition.damage[0].what.find("Is a directory"), std::string::npos)
      << condition.damage[0].what;
}

}  // namespace
}  // namespace petrel::store
