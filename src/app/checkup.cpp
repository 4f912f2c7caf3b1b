#include "app/checkup.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <sys/timex.h>

#include <fmt/format.h>
#include <openssl/x509.h>
#include <unistd.h>

#include "app/control_socket.h"
#include "app/environment.h"
#include "app/owners_rights.h"
#include "app/port_probe.h"
#include "app/secret_file.h"
#include "app/store_access.h"
#include "net/address_guard.h"
#include "net/asio_loop.h"
#include "net/resolver.h"
#include "net/tls_identity.h"

namespace petrel::app {
namespace {

namespace fs = std::filesystem;

// How long the disk is measured, however slow it is.
constexpr Duration kDiskPatience = std::chrono::seconds(2);
constexpr std::size_t kSyncs = 32;
constexpr std::size_t kBlockBytes = 4096;

// Reserved so that it can never exist: a name server that says so has answered.
constexpr const char* kNoName = "petrel.invalid";

// Longer than the resolver takes for its own answer.
constexpr std::chrono::seconds kNamePatience(8);

Finding ok(std::string about, std::string what) {
  return {.about = std::move(about), .what = std::move(what), .remedy = {}};
}

Finding bad(Verdict verdict, std::string about, std::string what, std::string remedy) {
  return {std::move(about), verdict, std::move(what), std::move(remedy)};
}

bool is_served(const Settings& settings) {
  const Result<std::string> asked =
      ControlSocket::ask(ControlSocket::path_in(settings.store), "doctor");
  return asked.ok() || asked.error().kind == ErrorKind::Unavailable;
}

Finding check_settings(const Settings& settings) {
  const Result<net::AddressGuard> guard = net::AddressGuard::make(settings.allow_subnets, {});
  if (!guard.ok()) {
    return bad(Verdict::Problem, "settings", "allow-subnets: " + guard.error().detail,
               "correct it, such as 10.1.0.0/16,127.0.0.0/8");
  }
  if (!settings.tls.key.empty()) {
    const auto identity = net::TlsIdentity::load(settings.tls);
    if (!identity.ok()) {
      return bad(Verdict::Problem, "settings", identity.error().text(),
                 "give tls-cert and tls-key files in PEM form that this user can read");
    }
  }
  return ok("settings", "are well-formed");
}

Finding check_secrets(const Settings& settings) {
  const std::vector<std::string> exposed = exposed_files(settings);
  if (!exposed.empty()) {
    return bad(Verdict::Warning, "secrets", exposed.front(), "chmod o-rwx, as it says");
  }
  if (!has_store(settings)) return ok("secrets", "are made with the store, or given");
  const Result<std::string> tokens = find_jwt_secret(settings);
  if (!tokens.ok()) {
    return bad(Verdict::Problem, "secrets", tokens.error().text(),
               "put jwt-secret back (a backup has it), or start once with --new-jwt-secret");
  }
  return ok("secrets", "are there, and closed to other users");
}

Finding check_listener(const Settings& settings, bool is_served) {
  if (is_served) return ok("listener", "a server runs on this store");
  const Status free = probe_port(settings.listen);
  if (free.ok()) return ok("listener", "the port is free");
  return bad(Verdict::Problem, "listener", free.error().text(),
             "end what has the port (ss --listening --tcp --processes names it), or set listen");
}

// The folder itself, or the one above it that is there.
fs::path existing(const std::string& folder) {
  std::error_code ignored;
  fs::path path = fs::absolute(folder, ignored);
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path;
}

Result<Duration> measure_sync(const fs::path& folder, const Clock& clock) {
  std::string name = (folder / ".petrel-doctor-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  if (file < 0) {
    return unavailable(
        fmt::format("cannot write to {}: {}", folder.string(), std::strerror(errno)));
  }
  ::unlink(name.c_str());
  const std::string block(kBlockBytes, 'x');
  std::vector<Duration> syncs;
  const MonoTime begin = clock.mono();
  int failed = 0;
  while (failed == 0 && syncs.size() < kSyncs && clock.mono() - begin < kDiskPatience) {
    const MonoTime before = clock.mono();
    const bool is_good =
        ::write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size()) &&
        ::fdatasync(file) == 0;
    if (!is_good) failed = errno;
    syncs.push_back(clock.mono() - before);
  }
  ::close(file);
  if (failed != 0) {
    return unavailable(
        fmt::format("cannot write to {}: {}", folder.string(), std::strerror(failed)));
  }
  std::nth_element(syncs.begin(), syncs.begin() + syncs.size() / 2, syncs.end());
  return syncs[syncs.size() / 2];
}

Finding check_disk(const Settings& settings, const Clock& clock) {
  const fs::path folder = existing(settings.store);
  const Result<Duration> sync = measure_sync(folder, clock);
  if (!sync.ok()) {
    return bad(Verdict::Problem, "disk", sync.error().text(),
               "run this as the user of the server, and let that one write there");
  }
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  return judge_disk({.sync = *sync,
                     .free_bytes = failed ? 0 : space.available,
                     .total_bytes = failed ? 0 : space.capacity});
}

Finding check_store(const Settings& settings, const Clock& clock, bool is_served) {
  if (is_served) return ok("store", "a server has it open");
  if (!has_store(settings)) return ok("store", "is made on the first start");
  const OwnersRights rights(settings.store);
  const auto store = open_existing(settings, clock);
  if (store.ok()) return ok("store", "opens; `petrel inspect --verify` reads all of it");
  return bad(Verdict::Problem, "store", store.error().text(),
             "docs/operations.md, \"A damaged store\" and \"When something is wrong\"");
}

Finding check_names(const Settings& settings, const Clock& clock) {
  // Outlived by what hangs in the loop, should it not answer in time.
  const auto answer = std::make_shared<std::promise<net::ResolutionPtr>>();
  net::AsioLoop loop("doctor", clock);
  std::unique_ptr<net::Resolver> resolver;
  Status made = Done{};
  loop.run_and_wait([&] {
    auto result =
        net::Resolver::make(loop.context(), clock, {.name_servers = settings.nameservers});
    if (!result.ok()) {
      made = result.error();
      return;
    }
    resolver = *std::move(result);
    resolver->resolve(kNoName,
                      [answer](const net::ResolutionPtr& found) { answer->set_value(found); });
  });
  if (!made.ok()) {
    return bad(Verdict::Problem, "dns", made.error().text(), "correct nameservers");
  }
  auto future = answer->get_future();
  const bool is_answered = future.wait_for(kNamePatience) == std::future_status::ready;
  const net::ResolutionPtr found = is_answered ? future.get() : nullptr;
  loop.run_and_wait([&] { resolver.reset(); });
  if (found && (found->kind == net::Resolution::Kind::NoSuchName ||
                found->kind == net::Resolution::Kind::Found)) {
    return ok("dns", "the name servers answer");
  }
  return bad(Verdict::Problem, "dns",
             found ? "the name servers do not answer: " + std::string(found->why)
                   : "the name servers do not answer",
             "mend /etc/resolv.conf, or set nameservers: no name can be delivered to");
}

Finding check_certificates(const Settings& settings) {
  std::error_code ignored;
  if (!settings.ca_file.empty()) {
    if (::access(settings.ca_file.c_str(), R_OK) == 0) return ok("trust", settings.ca_file);
    return bad(Verdict::Problem, "trust", settings.ca_file + " cannot be read", "correct ca-file");
  }
  const std::string file =
      environment_variable(X509_get_default_cert_file_env()).value_or(X509_get_default_cert_file());
  const std::string folder = X509_get_default_cert_dir();
  if (fs::exists(file, ignored)) return ok("trust", file);
  if (fs::exists(folder, ignored) && !fs::is_empty(folder, ignored)) return ok("trust", folder);
  return bad(Verdict::Problem, "trust", "the system trusts no certificates",
             "install ca-certificates, or set ca-file: nothing can be delivered to https://");
}

bool is_clock_synchronised() {
  timex state{};
  const int said = ::adjtimex(&state);
  return said != TIME_ERROR && (static_cast<unsigned>(state.status) & STA_UNSYNC) == 0;
}

Finding check_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return ok("files", "how many is not known");
  return judge_files(limit.rlim_max);
}

}  // namespace

std::vector<Finding> check_up(const Settings& settings, const Clock& clock) {
  const bool served = is_served(settings);
  return {check_settings(settings),
          check_secrets(settings),
          check_listener(settings, served),
          check_disk(settings, clock),
          check_store(settings, clock, served),
          check_names(settings, clock),
          check_certificates(settings),
          judge_clock(clock.wall(), is_clock_synchronised()),
          check_files()};
}

}  // namespace petrel::app
