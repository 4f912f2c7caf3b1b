#include "app/crash_note.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <type_traits>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

namespace petrel::app {
namespace {

constexpr std::array<char, 8> kMagic = {'P', 'E', 'T', 'R', 'E', 'L', 'I', 'F'};
constexpr std::uint32_t kForm = 1;
constexpr std::size_t kPlacesMax = 1'000'000;
constexpr std::array<int, 5> kSignals = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE};

using KeyBytes = std::array<std::uint8_t, 2 * Ksuid::kBytes>;
using VersionText = std::array<char, CrashNote::kVersionMax + 1>;

struct Header {
  std::array<char, 8> magic;
  std::uint32_t form;
  std::uint32_t places;
  std::uint64_t life;
  std::uint32_t marks;      // How many there are …
  std::uint32_t uncounted;  // … and 1 while the store does not have them.
  std::uint32_t signal;     // That the life crashed by; 0 while it did not.
  std::uint32_t unused;
  VersionText version;
};

struct Place {
  std::uint32_t is_taken;
  KeyBytes delivery;
};

struct Mark {
  std::uint64_t life;
  KeyBytes delivery;
  VersionText version;
};

static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) % alignof(Mark) == 0);
static_assert(sizeof(Place) == 44 && sizeof(Mark) == 80);

// Marks stand before the places: they need the stricter alignment.
std::size_t size_of(std::size_t marks, std::size_t places) {
  return sizeof(Header) + marks * sizeof(Mark) + places * sizeof(Place);
}

Header& header_at(std::byte* bytes) { return *reinterpret_cast<Header*>(bytes); }

Mark* marks_at(std::byte* bytes) { return reinterpret_cast<Mark*>(bytes + sizeof(Header)); }

Place* places_at(std::byte* bytes, std::size_t marks) {
  return reinterpret_cast<Place*>(bytes + size_of(marks, 0));
}

KeyBytes bytes_of(const model::DeliveryKey& key) {
  KeyBytes bytes{};
  const auto& endpoint = key.endpoint.ksuid().bytes();
  const auto& message = key.message.ksuid().bytes();
  std::copy(message.begin(), message.end(),
            std::copy(endpoint.begin(), endpoint.end(), bytes.begin()));
  return bytes;
}

model::DeliveryKey key_of(const KeyBytes& bytes) {
  Ksuid::Bytes endpoint{};
  Ksuid::Bytes message{};
  std::copy_n(bytes.begin(), Ksuid::kBytes, endpoint.begin());
  std::copy_n(bytes.begin() + Ksuid::kBytes, Ksuid::kBytes, message.begin());
  return {EndpointId(Ksuid(endpoint)), MessageId(Ksuid(message))};
}

VersionText version_text(std::string_view version) {
  VersionText text{};
  std::copy_n(version.begin(), std::min(version.size(), CrashNote::kVersionMax), text.begin());
  return text;
}

std::string version_of(const VersionText& text) {
  return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

// All of the file, as far as one of ours can be long. By reading: a mapping of a file that a disk
// cannot read would end us.
std::vector<std::byte> read_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat about {};
  std::vector<std::byte> bytes;
  const auto longest = static_cast<off_t>(size_of(CrashNote::kMarksMax, kPlacesMax));
  if (::fstat(file, &about) == 0 && about.st_size <= longest) {
    bytes.resize(static_cast<std::size_t>(about.st_size));
  }
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t more = ::read(file, bytes.data() + have, bytes.size() - have);
    if (more <= 0) break;
    have += static_cast<std::size_t>(more);
  }
  ::close(file);
  bytes.resize(have);
  return bytes;
}

bool is_crash_or_none(std::uint32_t signal) {
  return signal == 0 || std::any_of(kSignals.begin(), kSignals.end(), [&](int each) {
           return static_cast<std::uint32_t>(each) == signal;
         });
}

bool makes_sense(std::vector<std::byte>& bytes) {
  if (bytes.size() < sizeof(Header)) return false;
  const Header& header = header_at(bytes.data());
  return header.magic == kMagic && header.form == kForm && header.places <= kPlacesMax &&
         header.marks <= CrashNote::kMarksMax && is_crash_or_none(header.signal) &&
         bytes.size() == size_of(header.marks, header.places);
}

// The one mapping in which crashes are noted, for the handler.
std::atomic<std::byte*> caught_bytes = nullptr;
std::atomic<std::size_t> caught_size = 0;
std::array<struct sigaction, kSignals.size()> former_actions;

// The disk, or whoever cut the file short, has taken away what is mapped: memory takes its place,
// and the server goes on without a note.
bool replace_lost_page(int signal, const siginfo_t& info, std::byte* bytes, std::size_t size) {
  if (signal != SIGBUS || info.si_code <= 0) return false;
  const auto* const at = static_cast<const std::byte*>(info.si_addr);
  if (at < bytes || at >= bytes + size) return false;
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  return ::mmap(bytes, size, PROT_READ | PROT_WRITE, kFlags, -1, 0) != MAP_FAILED;
}

// Only what may be called in a signal handler.
void on_crash(int signal, siginfo_t* info, void* /*context*/) {
  const int saved_errno = errno;
  std::byte* const bytes = caught_bytes;
  if (bytes != nullptr) {
    if (replace_lost_page(signal, *info, bytes, caught_size)) {
      errno = saved_errno;
      return;
    }
    header_at(bytes).signal = static_cast<std::uint32_t>(signal);
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    if (kSignals[i] == signal) ::sigaction(signal, &former_actions[i], nullptr);
  }
  // The same once more, with all that is known of it: it comes when this returns.
  if (::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::gettid(), signal, info) != 0) ::raise(signal);
  errno = saved_errno;
}

// A stack that has overflowed leaves none for the handler: each thread that notes attempts has
// another one, unless somebody else gave it one.
class SignalStack {
 public:
  SignalStack() {
    stack_t present{};
    if (::sigaltstack(nullptr, &present) != 0 || (present.ss_flags & SS_DISABLE) == 0) return;
    void* const memory =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = memory;
    const stack_t own{.ss_sp = memory, .ss_flags = 0, .ss_size = kBytes};
    ::sigaltstack(&own, nullptr);
  }

  ~SignalStack() {
    if (memory_ == nullptr) return;
    const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    ::sigaltstack(&none, nullptr);
    ::munmap(memory_, kBytes);
  }

  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 64 * 1024;
  void* memory_ = nullptr;
};

}  // namespace

std::string CrashNote::path_in(std::string_view folder) {
  return fmt::format("{}/in-flight", folder);
}

CrashNote::CrashNote(const Settings& settings)
    : path_(path_in(settings.folder)), places_(std::min(settings.places, kPlacesMax)) {}

std::unique_ptr<CrashNote> CrashNote::open(const Settings& settings, SecureRandom& random) {
  std::unique_ptr<CrashNote> note(new CrashNote(settings));
  note->read_last();
  std::array<std::uint8_t, 8> drawn{};
  random.fill(drawn);
  std::uint64_t life = 0;
  for (const std::uint8_t byte : drawn) life = life << 8U | byte;
  note->map();
  note->fill(settings, life);
  const std::string made = note->path_ + ".new";
  if (note->problem_.empty() && ::rename(made.c_str(), note->path_.c_str()) != 0) {
    note->problem_ = fmt::format("{} cannot be replaced: {}", note->path_, std::strerror(errno));
  }
  return note;
}

void CrashNote::read_last() {
  std::vector<std::byte> bytes = read_file(path_);
  if (!makes_sense(bytes)) return;
  const Header& header = header_at(bytes.data());
  for (std::size_t i = 0; header.uncounted == 1 && i < header.marks; ++i) {
    const Mark& mark = marks_at(bytes.data())[i];
    marks_.push_back({key_of(mark.delivery), mark.life, version_of(mark.version)});
  }
  last_signal_ = static_cast<int>(header.signal);
  for (std::size_t i = 0; header.signal != 0 && i < header.places; ++i) {
    const Place& place = places_at(bytes.data(), header.marks)[i];
    if (place.is_taken != 1) continue;
    marks_.push_back({key_of(place.delivery), header.life, version_of(header.version)});
  }
  if (marks_.size() > kMarksMax) {
    marks_.erase(marks_.begin(), marks_.end() - static_cast<std::ptrdiff_t>(kMarksMax));
  }
}

// An empty file that has its room on the disk: a page that found none would be noticed only when it
// is written to. Below 0 if there is none.
int CrashNote::create() const {
  const std::string path = path_ + ".new";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return file;
  const int failed = ::posix_fallocate(file, 0, static_cast<off_t>(size_));
  if (failed == 0) return file;
  ::close(file);
  ::unlink(path.c_str());
  errno = failed;
  return -1;
}

void CrashNote::map() {
  size_ = size_of(marks_.size(), places_);
  const int file = create();
  void* memory = MAP_FAILED;
  if (file >= 0) {
    memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
  }
  if (memory == MAP_FAILED) {
    problem_ = fmt::format("{} cannot be made: {}", path_, std::strerror(errno));
  }
  if (file >= 0) ::close(file);
  if (memory == MAP_FAILED) {
    memory = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  bytes_ = memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

void CrashNote::fill(const Settings& settings, std::uint64_t life) {
  if (bytes_ == nullptr) return;
  Header header{};
  header.magic = kMagic;
  header.form = kForm;
  header.places = static_cast<std::uint32_t>(places_);
  header.life = life;
  header.marks = static_cast<std::uint32_t>(marks_.size());
  header.uncounted = 1;
  header.version = version_text(settings.version);
  header_at(bytes_) = header;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const engine::CrashMark& mark = marks_[i];
    marks_at(bytes_)[i] = {mark.life, bytes_of(mark.delivery), version_text(mark.version)};
  }
}

CrashNote::~CrashNote() {
  if (is_catching_) {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], &former_actions[i], nullptr);
    }
    caught_bytes = nullptr;
  }
  if (bytes_ != nullptr) ::munmap(bytes_, size_);
}

void CrashNote::catch_crashes() {
  if (!problem_.empty() || bytes_ == nullptr) return;
  caught_size = size_;
  caught_bytes = bytes_;
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &action, &former_actions[i]);
  }
  is_catching_ = true;
}

void CrashNote::began(std::size_t place, const model::DeliveryKey& delivery) {
  thread_local const SignalStack stack;
  if (bytes_ == nullptr || place >= places_) return;
  Place& taken = places_at(bytes_, marks_.size())[place];
  taken.delivery = bytes_of(delivery);
  std::atomic_ref(taken.is_taken).store(1, std::memory_order_release);
}

void CrashNote::ended(std::size_t place) {
  if (bytes_ == nullptr || place >= places_) return;
  std::atomic_ref(places_at(bytes_, marks_.size())[place].is_taken)
      .store(0, std::memory_order_release);
}

std::vector<engine::CrashMark> CrashNote::uncounted() const {
  if (is_counted_) return {};
  return marks_;
}

// A file that could not be replaced has to go: it would be counted again.
void CrashNote::counted() {
  is_counted_ = true;
  if (bytes_ != nullptr) std::atomic_ref(header_at(bytes_).uncounted).store(0);
  if (!problem_.empty()) ::unlink(path_.c_str());
}

}  // namespace petrel::app
