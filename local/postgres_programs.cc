#include "local/postgres_programs.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

namespace det::local {
namespace {

namespace fs = std::filesystem;

bool holds_server(const std::string& folder) {
  std::error_code error;
  return fs::exists(folder + "/postgres", error) && fs::exists(folder + "/initdb", error);
}

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// As Debian lays them out: ROOT/15/bin.
std::vector<PostgresPrograms> versions_below(const std::string& root) {
  std::vector<PostgresPrograms> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root, error)) {
    const int major = leading_number(entry.path().filename().string());
    const std::string folder = entry.path().string() + "/bin";
    if (major > 0 && holds_server(folder)) found.push_back({major, folder});
  }
  std::ranges::sort(found, std::ranges::greater{}, &PostgresPrograms::major);
  return found;
}

// "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)"; 0 when it does not say. `folder` is one of our own constants,
// so that the shell finds nothing in it.
int major_of(const std::string& folder) {
  const std::string command = folder + "/postgres --version 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  std::string said(200, '\0');
  if (pipe) said.resize(std::fread(said.data(), 1, said.size(), pipe.get()));
  const auto name = said.find(") ");
  return name == std::string::npos ? 0 : leading_number(std::string_view(said).substr(name + 2));
}

std::string listed(const std::vector<PostgresPrograms>& found) {
  std::string text;
  for (const auto& programs : found) {
    text += (text.empty() ? "" : ", ") + std::to_string(programs.major) + " (" + programs.folder + ")";
  }
  return text;
}

}  // namespace

std::vector<PostgresPrograms> find_postgres(const std::string& prefix) {
  std::vector<PostgresPrograms> found;
  if (!prefix.empty()) found = versions_below(prefix + "/lib/postgresql");
  if (prefix != "/usr") std::ranges::copy(versions_below("/usr/lib/postgresql"), std::back_inserter(found));
  for (const char* folder : {"/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"}) {
    if (!holds_server(folder)) continue;
    if (const int major = major_of(folder); major > 0) found.push_back({major, folder});
  }
  return found;
}

Result<PostgresPrograms> choose_postgres(const std::vector<PostgresPrograms>& found, const std::string& data) {
  if (found.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "PostgreSQL's server is not installed; on Debian: apt-get install postgresql");
  }
  std::error_code error;
  if (!fs::exists(data, error) || fs::is_empty(data, error)) return found.front();
  std::ifstream file(data + "/PG_VERSION");
  std::string written;
  const int major = file >> written ? leading_number(written) : 0;
  if (major == 0) {
    return fail(ErrorCode::kFailedPrecondition,
                data +
                    " holds something, but no PG_VERSION that says which PostgreSQL wrote it. Nothing was changed: " +
                    "bring a whole copy of it back, or move it away and start with an empty database");
  }
  const auto match = std::ranges::find(found, major, &PostgresPrograms::major);
  if (match != found.end()) return *match;
  const std::string version = std::to_string(major);
  return fail(ErrorCode::kFailedPrecondition,
              data + " was written by PostgreSQL " + version + ", and this machine has " + listed(found) +
                  ", which cannot read it. Nothing was changed. Install PostgreSQL " + version +
                  " beside it (on Debian: apt-get install postgresql-" + version +
                  ") and start again; or, with both installed, take the data across by pg_upgrade: "
                  "docs/local-mode.md, \"Another PostgreSQL\"");
}

}  // namespace det::local
