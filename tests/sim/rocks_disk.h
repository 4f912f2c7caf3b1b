// RocksDisk is the real store of the product under a simulated node: a RocksStore in a folder of
// its own, on a disk whose power can be cut.
//
// A process that dies leaves what it has written; with a power cut only what was synced is sure to
// stay. Both strike in the midst of what was under way. Every process opens the folder anew.
//
// Thread: confined.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <rocksdb/env.h>

#include "base/random.h"
#include "blocking_store.h"
#include "faulty_disk.h"
#include "sim/dice.h"
#include "sim/disk.h"

namespace petrel::sim {

class RocksDisk final : public Disk {
 public:
  explicit RocksDisk(const DiskParts& parts);
  RocksDisk(const RocksDisk&) = delete;
  RocksDisk& operator=(const RocksDisk&) = delete;
  ~RocksDisk() override;

  store::Store& store() override { return *store_; }
  store::Browse& browse() override { return *store_; }

  void reopen() override;
  void begin_crash() override;
  void end_crash() override;

  std::vector<std::string> complaints() const override { return complaints_; }

 private:
  store::RocksSettings settings() const;
  void open();
  void cut_power();

  DiskParts parts_;
  Dice dice_;
  Random losses_;
  SharedClock clock_;
  std::filesystem::path folder_;
  std::shared_ptr<store::FaultyDisk> platters_ = std::make_shared<store::FaultyDisk>();
  std::unique_ptr<rocksdb::Env> env_;
  std::size_t write_buffer_bytes_;
  std::unique_ptr<store::RocksStore> rocks_;
  std::unique_ptr<BlockingStore> store_;
  std::vector<std::string> complaints_;
  bool has_opened_ = false;
};

}  // namespace petrel::sim
