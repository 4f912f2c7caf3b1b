#include "app/client/server_access.h"

#include <cstdio>
#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "app/control_socket.h"
#include "base/text.h"
#include "base/try.h"
#include "base/url.h"

namespace petrel::app {
namespace {

constexpr std::size_t kTokenBytesMax = 8192;
constexpr Duration kSocketPatience = std::chrono::seconds(5);

constexpr std::string_view kHow =
    "name one by --server and --token (or PETREL_URL and PETREL_TOKEN), or give --store, the "
    "folder "
    "of a server on this machine";

Result<std::string> read_all(std::istream& in, std::string_view name, std::size_t bytes_max) {
  std::string text;
  std::string part(std::size_t{64} * 1024, '\0');
  while (in) {
    in.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > bytes_max) return invalid("", fmt::format("{} is too large", name));
  }
  if (in.bad()) return unavailable(fmt::format("cannot read {}", name));
  return text;
}

Result<std::string> token_of(const std::string& words) {
  ASSIGN_OR_RETURN(const std::string text, text_argument(words, kTokenBytesMax));
  std::string token(trim(text));
  while (token.ends_with('\n') || token.ends_with('\r')) token.pop_back();
  // It becomes a line of a header.
  for (const char c : token) {
    if (c <= ' ' || c > '~') return invalid("", "must be one word of plain characters");
  }
  return token;
}

}  // namespace

Result<std::string> text_argument(const std::string& argument, std::size_t bytes_max) {
  if (argument == "-") return read_all(std::cin, "stdin", bytes_max);
  if (!argument.starts_with('@')) return argument;
  const std::string path = argument.substr(1);
  std::ifstream file(path, std::ios::binary);
  if (!file) return invalid("", fmt::format("cannot read the file {}", path));
  return read_all(file, path, bytes_max);
}

Result<std::string> server_url(std::string_view text) {
  ASSIGN_OR_RETURN(const Url url, Url::parse(text));
  if (url.target.find('?') != std::string::npos) return invalid("", "must not have a query");
  std::string base = url.text();
  while (base.ends_with('/')) base.pop_back();
  constexpr std::string_view kApi = "/api/v1";
  if (base.ends_with(kApi)) base.resize(base.size() - kApi.size());
  return base;
}

Result<ServerAccess> access_by_socket(const std::string& store, const std::string& organisation) {
  const std::string line = organisation.empty() ? "access" : "access " + organisation;
  ASSIGN_OR_RETURN(const std::string answer,
                   ControlSocket::ask(ControlSocket::path_in(store), line, kSocketPatience));
  const std::size_t space = answer.find(' ');
  if (space == std::string::npos) return unavailable("the server's answer is not understood");
  return ServerAccess{
      .url = answer.substr(0, space), .token = answer.substr(space + 1), .is_own_machine = true};
}

Result<FoundAccess> find_access(const AccessSources& sources) {
  const AccessWords& flags = sources.flags;
  const AccessWords& variables = sources.environment;
  FoundAccess found;
  std::string server = flags.server;
  std::string origin = "--server";
  if (server.empty()) {
    server = variables.server;
    origin = "PETREL_URL";
  }
  const bool is_from_file = server.empty() && !sources.file.server.empty();
  if (is_from_file) {
    server = sources.file.server;
    origin = "client.server";
  }
  std::string token = flags.token.empty() ? variables.token : flags.token;
  if (token.empty() && (is_from_file || server.empty())) token = sources.file.token;
  if (!token.empty()) {
    ASSIGN_OR_RETURN(found.access.token, under("token", token_of(token)));
  }
  if (server.empty()) {
    Result<ServerAccess> local = access_by_socket(sources.store, sources.organisation);
    if (!local.ok() && local.error().kind == ErrorKind::NotFound) {
      return not_found(fmt::format("no server was named, and none runs on the store {}: {}",
                                   sources.store, kHow));
    }
    if (!local.ok()) return local.error();
    found.is_by_socket = found.access.token.empty();
    if (!found.is_by_socket) local->token = found.access.token;
    found.access = *std::move(local);
    return found;
  }
  ASSIGN_OR_RETURN(found.access.url, under(origin, server_url(server)));
  if (found.access.token.empty()) {
    return invalid("token", fmt::format("is missing for {}: give --token or PETREL_TOKEN; `petrel "
                                        "token create` on the server makes one",
                                        found.access.url));
  }
  return found;
}

}  // namespace petrel::app
