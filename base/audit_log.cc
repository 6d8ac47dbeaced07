#include "base/audit_log.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/log.h"

namespace det {
namespace {

constexpr std::size_t kLongestText = 300;
constexpr std::chrono::minutes kWindow{1};

void put(nlohmann::ordered_json& line, const char* key, const std::string& text) {
  if (!text.empty()) line[key] = text.substr(0, kLongestText);
}

// The process's own outputs are links, which are not followed otherwise.
int open_target(const std::string& file) {
  constexpr std::array<std::pair<std::string_view, int>, 4> kOutputs = {{{"/dev/stdout", STDOUT_FILENO},
                                                                         {"/proc/self/fd/1", STDOUT_FILENO},
                                                                         {"/dev/stderr", STDERR_FILENO},
                                                                         {"/proc/self/fd/2", STDERR_FILENO}}};
  for (const auto& [name, output] : kOutputs) {
    if (file == name) return ::fcntl(output, F_DUPFD_CLOEXEC, 0);
  }
  return ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

}  // namespace

std::string audit_line(const AuditEvent& event) {
  nlohmann::ordered_json line;
  put(line, "audit", event.action);
  line["time"] = format_rfc3339_micros(event.at);
  put(line, "user", event.user);
  put(line, "token", event.token);
  put(line, "object", event.object);
  put(line, "from", event.from);
  put(line, "forwarded", event.forwarded);
  if (event.status != 0) line["status"] = event.status;
  put(line, "reason", event.reason);
  // Beyond ASCII as \u escapes: a terminal that shows the file obeys nobody's control sequences, C1 ones included.
  return line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

AuditLog::~AuditLog() {
  if (file_ >= 0) ::close(file_);
}

Status AuditLog::open(const std::string& file) {
  is_open_ = true;
  if (file.empty()) return {};
  file_ = open_target(file);
  if (file_ < 0) {
    is_open_ = false;
    return fail(ErrorCode::kUnavailable, "audit.file: cannot open " + file + ": " + std::strerror(errno));
  }
  return {};
}

void AuditLog::record(AuditEvent event) {
  if (!is_open_) return;
  sweep();
  if (event.status >= 400 && !counts(event.from)) return;
  event.at = clock_.wall_now();
  write(event);
}

void AuditLog::write(const AuditEvent& event) {
  const std::string line = audit_line(event) + "\n";
  // One call, so that lines of several processes stay whole.
  const auto written = ::write(file_ >= 0 ? file_ : STDERR_FILENO, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()) && file_ >= 0) {
    const Logger log("audit");
    log.error("an event was not written", {{"action", event.action}, {"reason", std::strerror(errno)}});
  }
  if (listener_) listener_(event);
}

bool AuditLog::counts(const std::string& from) {
  const bool has_room = refusals_.contains(from) || refusals_.size() < kAddresses;
  Refusals& refusals = refusals_[has_room ? from : std::string()];
  if (refusals.count == 0) refusals.since = clock_.steady_now();
  return ++refusals.count <= kRefusalsPerMinute;
}

void AuditLog::sweep() {
  const SteadyTime now = clock_.steady_now();
  if (now - swept_ < kWindow) return;
  swept_ = now;
  for (auto it = refusals_.begin(); it != refusals_.end();) {
    if (now - it->second.since < kWindow) {
      ++it;
      continue;
    }
    if (const int more = it->second.count - kRefusalsPerMinute; more > 0) {
      write({.at = clock_.wall_now(),
             .action = "suppressed",
             .user = {},
             .token = {},
             .object = {},
             .from = it->first.empty() ? "many addresses" : it->first,
             .forwarded = {},
             .status = 0,
             .reason = std::to_string(more) + " more refusals"});
    }
    it = refusals_.erase(it);
  }
}

}  // namespace det
