// The files and folders of a FaultyDisk: each asks the disk before it does something.
//
// Thread: as rocksdb has it.

#pragma once

#include <memory>
#include <string>
#include <utility>

#include <rocksdb/file_system.h>

#include "faulty_disk.h"

namespace petrel::store {

std::unique_ptr<rocksdb::FSWritableFile> faulty(std::unique_ptr<rocksdb::FSWritableFile> file,
                                                FaultyDisk& disk, std::string path);
std::unique_ptr<rocksdb::FSSequentialFile> faulty(std::unique_ptr<rocksdb::FSSequentialFile> file,
                                                  FaultyDisk& disk);
std::unique_ptr<rocksdb::FSRandomAccessFile> faulty(
    std::unique_ptr<rocksdb::FSRandomAccessFile> file, FaultyDisk& disk);
std::unique_ptr<rocksdb::FSDirectory> faulty(std::unique_ptr<rocksdb::FSDirectory> folder,
                                             FaultyDisk& disk, std::string path);

}  // namespace petrel::store
