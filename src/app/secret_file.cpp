#include "app/secret_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/text.h"
#include "base/try.h"

namespace petrel::app {
namespace {

constexpr std::size_t kSecretBytes = 32;

std::string path_of(const Settings& settings, std::string_view name) {
  return (std::filesystem::path(settings.store) / name).string();
}

Error cannot(std::string_view what, const std::string& path) {
  return unavailable(fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
}

// Whole and on disk, or not there: a half-written secret would lock all users out.
Status write_secret(const std::string& path, const std::string& secret) {
  const std::string draft = path + ".new";
  // One that a start which was cut short has left behind. A link is removed, not followed.
  ::unlink(draft.c_str());
  const int file =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return cannot("write", draft);
  const ssize_t written = ::write(file, secret.data(), secret.size());
  const bool is_whole = written == static_cast<ssize_t>(secret.size()) && ::fsync(file) == 0;
  if (::close(file) != 0 || !is_whole) return cannot("write", draft);
  if (std::rename(draft.c_str(), path.c_str()) != 0) return cannot("write", path);
  return Done{};
}

// NotFound only if there is no such file: one that cannot be read must never be replaced.
Result<std::string> read_secret(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) {
    return not_found(fmt::format("there is no secret in {}", path));
  }
  if (descriptor < 0) return cannot("read", path);
  ::close(descriptor);
  std::ifstream file(path);
  std::string secret;
  if (file && std::getline(file, secret) && !secret.empty()) return secret;
  return unavailable(fmt::format("{} is empty: put back what was in it", path));
}

Result<std::string> make_secret(const std::string& path, SecureRandom& random) {
  std::array<std::uint8_t, kSecretBytes> bytes{};
  random.fill(bytes);
  const std::string secret = to_base64url(bytes);
  TRY(write_secret(path, secret));
  return secret;
}

bool is_store(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(folder) / "CURRENT", ignored);
}

// Whether others than its owner's group may look into it.
bool is_exposed(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && (found.st_mode & S_IRWXO) != 0;
}

}  // namespace

std::vector<std::string> exposed_files(const Settings& settings) {
  std::vector<std::string> warnings;
  if (is_exposed(settings.store)) {
    warnings.push_back(
        fmt::format("every user of this machine can look into {}, where payloads and secrets are: "
                    "chmod o-rwx it",
                    settings.store));
  }
  for (const std::string_view name : kSecretFiles) {
    const std::string path = path_of(settings, name);
    if (is_exposed(path)) {
      warnings.push_back(
          fmt::format("every user of this machine can open {}: chmod o-rwx it", path));
    }
  }
  return warnings;
}

Result<std::string> find_jwt_secret(const Settings& settings) {
  if (!settings.jwt_secret.empty()) return settings.jwt_secret;
  return read_secret(path_of(settings, kSecretFiles[0]));
}

Result<std::string> jwt_secret(const Settings& settings, bool is_used, SecureRandom& random) {
  Result<std::string> found = find_jwt_secret(settings);
  if (found.ok() || found.error().kind != ErrorKind::NotFound) return found;
  if (is_used && !settings.makes_secret_anew) {
    return not_found(fmt::format(
        "{} is not there, and no token that was handed out is valid without it: put it back (a "
        "backup has it), say what it was with jwt-secret, or start once with --new-jwt-secret",
        path_of(settings, kSecretFiles[0])));
  }
  return make_secret(path_of(settings, kSecretFiles[0]), random);
}

Result<std::shared_ptr<const vault::Vault>> open_vault(const Settings& settings,
                                                       SecureRandom& random) {
  const std::string path = path_of(settings, kSecretFiles[1]);
  std::vector<std::string> secrets = settings.main_secret;
  Result<std::string> kept = read_secret(path);
  if (!kept.ok() && kept.error().kind != ErrorKind::NotFound) return kept.error();
  if (!kept.ok() && secrets.empty() && is_store(settings.store)) {
    return not_found(fmt::format(
        "{} is not there, and what the store has sealed cannot be opened without it: put it back "
        "(a backup has it), or say what it was with main-secret",
        path));
  }
  if (!kept.ok() && secrets.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(settings.store, failed);
    if (failed) {
      return unavailable(fmt::format("cannot make {}: {}", settings.store, failed.message()));
    }
    kept = make_secret(path, random);
    if (!kept.ok()) return kept.error();
  }
  if (kept.ok()) secrets.push_back(*std::move(kept));
  return std::make_shared<const vault::Vault>(secrets);
}

}  // namespace petrel::app
