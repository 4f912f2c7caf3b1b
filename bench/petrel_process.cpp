#include "petrel_process.h"

#include <array>
#include <csignal>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "client.h"

namespace petrel::bench {
namespace {

constexpr int kLineDeadlineMs = 120'000;

struct Child {
  pid_t pid;
  Descriptor output;
};

Child spawn(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw_errno("pipe2");
  Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw_errno("fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(write_end.get(), STDOUT_FILENO);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  return {pid, std::move(read_end)};
}

std::string line_of(int file) {
  std::string line;
  char byte = 0;
  pollfd readable{file, POLLIN, 0};
  while (::poll(&readable, 1, kLineDeadlineMs) == 1 && ::read(file, &byte, 1) == 1) {
    if (byte == '\n') return line;
    line += byte;
  }
  throw std::runtime_error(fmt::format("petrel said \"{}\" and no more", line));
}

void wait_for_success(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("petrel ended with status {:#x}", status));
  }
}

double status_mib(pid_t pid, std::string_view name) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    return static_cast<double>(std::stoll(line.substr(name.size() + 1))) / 1024;
  }
  return 0;
}

std::string id_in(const std::string& json) {
  constexpr std::string_view kKey = "\"id\":\"";
  const std::size_t at = json.find(kKey);
  if (at == std::string::npos) throw std::runtime_error("no id in " + json);
  const std::size_t from = at + kKey.size();
  return json.substr(from, json.find('"', from) - from);
}

}  // namespace

PetrelProcess::PetrelProcess(const std::string& binary, const std::string& store_folder,
                             std::string token, const std::vector<std::string>& more_arguments)
    : token_(std::move(token)) {
  std::vector<std::string> words = {binary,    "serve",      "--listen",        "127.0.0.1:0",
                                    "--store", store_folder, "--allow-subnets", "127.0.0.0/8"};
  words.insert(words.end(), more_arguments.begin(), more_arguments.end());
  Child server = spawn(std::move(words));
  pid_ = server.pid;
  output_ = std::move(server.output);
  const std::string line = line_of(output_.get());
  const std::size_t colon = line.rfind(':');
  if (!line.starts_with("petrel listens on ") || colon == std::string::npos) {
    throw std::runtime_error("petrel said: " + line);
  }
  port_ = static_cast<std::uint16_t>(std::stoi(line.substr(colon + 1)));

  if (!token_.empty()) return;
  const Child maker = spawn({binary, "token", "create", "--store", store_folder});
  token_ = line_of(maker.output.get());
  wait_for_success(maker.pid);
}

PetrelProcess::~PetrelProcess() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void PetrelProcess::stop() {
  ::kill(pid_, SIGTERM);
  wait_for_success(std::exchange(pid_, -1));
}

double PetrelProcess::cpu_seconds() const {
  clockid_t clock{};
  timespec spent{};
  if (::clock_getcpuclockid(pid_, &clock) != 0) throw std::runtime_error("petrel has ended");
  if (::clock_gettime(clock, &spent) != 0) throw_errno("clock_gettime");
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

double PetrelProcess::rss_mib() const { return status_mib(pid_, "VmRSS:"); }

double PetrelProcess::rss_mib_max() const { return status_mib(pid_, "VmHWM:"); }

std::string PetrelProcess::call(std::string_view method, std::string_view path,
                                std::string_view body) const {
  return Client(port_, token_).call(method, path, body);
}

std::string PetrelProcess::create_application(std::string_view name) const {
  return id_in(call("POST", "/api/v1/app", fmt::format(R"({{"name":"{}"}})", name)));
}

void PetrelProcess::create_endpoint(std::string_view application, std::string_view json) const {
  call("POST", fmt::format("/api/v1/app/{}/endpoint", application), json);
}

}  // namespace petrel::bench
