#include "app/import/import_journal.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <stdlib.h>

namespace petrel::app {
namespace {

namespace fs = std::filesystem;

class ImportJournalTest : public testing::Test {
 protected:
  ImportJournalTest() {
    std::string name = (fs::temp_directory_path() / "petrel-journal-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ImportJournalTest() override { fs::remove_all(folder_); }

  ImportJournal::Place place(const std::string& run = "run1") const {
    return {
        .path = (folder_ / "j.jsonl").string(), .from = "http://a", .to = "http://b", .run = run};
  }

  std::string text() const {
    std::ifstream file(place().path);
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }

  fs::path folder_;
};

TEST_F(ImportJournalTest, RemembersOverProcesses) {
  {
    const auto journal = ImportJournal::open(place());
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE((*journal)->add("endpoint", "ep_1", {.to = "ep_2", .notes = {"a note"}}).ok());
  }

  const auto again = ImportJournal::open(place("run2"));

  ASSERT_TRUE(again.ok());
  const ImportEntry* entry = (*again)->find("endpoint", "ep_1");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->to, "ep_2");
  EXPECT_EQ(entry->notes, std::vector<std::string>{"a note"});
  EXPECT_EQ((*again)->find("application", "ep_1"), nullptr);
  // The keys of what was under way have to be those of the first run.
  EXPECT_EQ((*again)->key_for("endpoint", "ep_3"), "petrel-import-run1-endpoint-ep_3");
}

TEST_F(ImportJournalTest, GoesOnAfterALineThatACrashHasCut) {
  {
    const auto journal = ImportJournal::open(place());
    ASSERT_TRUE((*journal)->add("endpoint", "ep_1", {.to = "ep_2"}).ok());
  }
  std::ofstream(place().path, std::ios::app) << R"({"kind":"endpoint","id":"ep_)";
  {
    const auto journal = ImportJournal::open(place());
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE((*journal)->add("endpoint", "ep_4", {.to = "ep_5"}).ok());
  }

  const auto again = ImportJournal::open(place());

  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)->entries().size(), 2U);
  EXPECT_NE((*again)->find("endpoint", "ep_4"), nullptr);
}

TEST_F(ImportJournalTest, RefusesTheJournalOfAnotherImport) {
  ASSERT_TRUE(ImportJournal::open(place()).ok());
  ImportJournal::Place other = place();
  other.to = "http://c";

  const auto refused = ImportJournal::open(other);

  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().field, "--journal");
}

TEST_F(ImportJournalTest, RefusesAFileThatIsNoJournal) {
  for (const char* content : {"hello\n", "hello", "{}\n", "{\"fro"}) {
    std::ofstream(place().path, std::ios::trunc) << content;

    EXPECT_FALSE(ImportJournal::open(place()).ok()) << content;
    EXPECT_EQ(text(), content);
  }
}

TEST_F(ImportJournalTest, IsOneProcessesAtATime) {
  const auto first = ImportJournal::open(place());
  ASSERT_TRUE(first.ok());

  const auto second = ImportJournal::open(place());

  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::Conflict);
}

TEST_F(ImportJournalTest, IsNotMadeByLooking) {
  const auto looked = ImportJournal::look(place());

  ASSERT_TRUE(looked.ok());
  EXPECT_TRUE((*looked)->entries().empty());
  EXPECT_FALSE(fs::exists(place().path));
}

}  // namespace
}  // namespace petrel::app
