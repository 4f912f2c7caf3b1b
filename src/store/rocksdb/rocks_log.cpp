#include "store/rocksdb/rocks_log.h"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/rfc3339.h"

namespace petrel::store {
namespace {

class RocksLog final : public rocksdb::Logger {
 public:
  RocksLog(const RocksLogSettings& settings, const Clock& clock)
      : Logger(rocksdb::InfoLogLevel::WARN_LEVEL),
        path_(std::filesystem::path(settings.folder) / "LOG"),
        bytes_max_(settings.bytes_max),
        clock_(clock) {}

  using Logger::Logv;

  // A line is one write at the end of the file, so lines of several threads do not mix.
  void Logv(const char* format, va_list arguments) override {
    std::array<char, kLineBytesMax> text;
    std::vsnprintf(text.data(), text.size(), format, arguments);
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(path_, ignored);
    if (!ignored && size > bytes_max_) {
      std::filesystem::rename(path_, std::filesystem::path(path_).concat(".old"), ignored);
    }
    std::ofstream(path_, std::ios::app) << to_rfc3339(clock_.wall()) + ' ' + text.data() + '\n';
  }

  // All settings, at every start.
  void LogHeader(const char* /*format*/, va_list /*arguments*/) override {}

 private:
  static constexpr std::size_t kLineBytesMax = 4096;

  const std::filesystem::path path_;
  const std::uintmax_t bytes_max_;
  const Clock& clock_;
};

}  // namespace

std::shared_ptr<rocksdb::Logger> make_rocks_log(const RocksLogSettings& settings,
                                                const Clock& clock) {
  return std::make_shared<RocksLog>(settings, clock);
}

}  // namespace petrel::store
