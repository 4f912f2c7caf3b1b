#include "rocks_disk.h"

#include <atomic>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/check.h"
#include "vault/vault.h"

namespace petrel::sim {
namespace {

std::filesystem::path make_folder() {
  static std::atomic<int> number = 0;
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("petrel-sim-{}-{}", getpid(), ++number);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

std::shared_ptr<const vault::Vault> vault_of_all() {
  static const auto kVault = std::make_shared<const vault::Vault>(
      std::vector<std::string>{"the secret of the simulation"});
  return kVault;
}

// Writes and syncs of a few commits.
constexpr int kCutWithin = 12;

}  // namespace

RocksDisk::RocksDisk(const DiskParts& parts)
    : parts_(parts),
      dice_(parts.seed ^ 0x726f636b73U),
      losses_(dice_.seed()),
      clock_(parts.clock),
      folder_(make_folder()),
      env_(store::env_on(platters_)),
      // So small that files are written and merged all the time, or so large that they never are.
      write_buffer_bytes_(std::size_t{1} << static_cast<unsigned>(16 + 3 * dice_.between(0, 3))) {
  open();
}

RocksDisk::~RocksDisk() {
  rocks_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

store::RocksSettings RocksDisk::settings() const {
  store::RocksSettings made;
  made.path = (folder_ / "store").string();
  made.vault = vault_of_all();
  made.env = env_.get();
  made.write_buffer_bytes = write_buffer_bytes_;
  // A mutant has its catalogue all the same: without it there is nothing to simulate.
  made.is_sync = parts_.mutant != Mutant::NeverSyncs || !has_opened_;
  return made;
}

void RocksDisk::open() {
  clock_.look();
  store::RocksSettings made = settings();
  auto opened = store::RocksStore::open(made, clock_);
  if (!opened.ok()) {
    // The mutant's loss is for the judge to see.
    if (parts_.mutant != Mutant::NeverSyncs) {
      complaints_.push_back("the store does not open: " + opened.error().text());
    }
    made.accepts_loss = true;
    opened = store::RocksStore::open(made, clock_);
  }
  if (!opened.ok()) fmt::print(stderr, "the store does not open: {}\n", opened.error().text());
  CHECK(opened.ok());
  rocks_ = *std::move(opened);
  if (has_opened_) {
    parts_.faults.add(Fault::StoreReopened);
    store_->use(*rocks_);
  } else {
    store_ = std::make_unique<BlockingStore>(*rocks_, clock_);
  }
  has_opened_ = true;
}

void RocksDisk::cut_power() {
  parts_.faults.add(Fault::PowerCut);
  platters_->restart(losses_);
}

void RocksDisk::reopen() {
  rocks_.reset();
  if (dice_.chance(0.3)) cut_power();
  open();
}

void RocksDisk::begin_crash() {
  platters_->cut_after(static_cast<std::uint64_t>(dice_.between(1, kCutWithin)));
}

void RocksDisk::end_crash() {
  platters_->cut_after(0);  // It is over now, wherever it was.
  rocks_.reset();
  if (dice_.chance(0.5)) {
    cut_power();
  } else {
    platters_->settle_down();
    platters_->restart(losses_);
  }
  open();
}

}  // namespace petrel::sim
