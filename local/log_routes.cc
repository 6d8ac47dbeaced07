#include "local/log_routes.h"

#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "base/async.h"

namespace det::local {
namespace {

constexpr std::size_t kPiece = 128 * 1024;
constexpr std::chrono::milliseconds kFollowInterval{100};

Result<std::optional<std::int64_t>> number(const http::Params& query, const char* name) {
  const auto text = query.find(name);
  if (!text || text->empty()) return std::nullopt;
  std::int64_t value = 0;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  if (read.ec != std::errc() || read.ptr != text->data() + text->size() || value < 0) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(name) + "=" + std::string(*text) + " is not a number; use 0 or more", name);
  }
  return value;
}

// A log file that is read piece by piece, on the pool.
class OpenLog {
 public:
  explicit OpenLog(const std::string& folder)
      : folder_(folder), fd_(::open((folder + "/log").c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenLog() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenLog(const OpenLog&) = delete;
  OpenLog& operator=(const OpenLog&) = delete;

  // Also when the pod has been removed meanwhile.
  [[nodiscard]] bool is_ended() const {
    return std::filesystem::exists(folder_ + "/exit.json") || !std::filesystem::exists(folder_);
  }
  void skip_to_tail(std::int64_t lines) { offset_ = static_cast<off_t>(tail_offset(fd_, lines)); }
  std::string next() {
    if (fd_ < 0) fd_ = ::open((folder_ + "/log").c_str(), O_RDONLY | O_CLOEXEC);
    std::string piece(kPiece, '\0');
    const auto size = fd_ < 0 ? 0 : ::pread(fd_, piece.data(), piece.size(), offset_);
    piece.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    offset_ += static_cast<off_t>(piece.size());
    return piece;
  }

 private:
  std::string folder_;
  int fd_;
  off_t offset_ = 0;
};

Task<void> stream_log(std::string folder, LogQuery query, Clock& clock, asio::thread_pool& pool, http::Writer& writer) {
  OpenLog log(folder);
  LogFilter filter(query);
  if (query.tail_lines) {
    auto skip = [&] {
      log.skip_to_tail(*query.tail_lines);
      return true;
    };
    co_await run_on(pool, skip);
  }
  for (;;) {
    // Asked before the read: what was written before the end is then read for sure.
    auto read = [&] {
      const bool ended = log.is_ended();
      return std::pair(ended, log.next());
    };
    const auto [ended, piece] = co_await run_on(pool, read);
    if (!piece.empty()) {
      const bool goes_on = co_await writer.write(filter.feed(piece));
      if (!goes_on || filter.is_full()) co_return;
      continue;
    }
    if (!query.follow || ended) co_return;
    co_await clock.sleep_for(kFollowInterval);
  }
}

http::Response refusal(const Error& error) {
  const int status = error.code == ErrorCode::kNotFound ? 404 : 400;
  return http::Response::text(error.message + "\n", status);
}

}  // namespace

Result<LogQuery> parse_log_query(const http::Params& query, WallTime now) {
  LogQuery out;
  out.follow = query.get("follow") == "true" || query.get("follow") == "1";
  out.previous = query.get("previous") == "true" || query.get("previous") == "1";
  out.timestamps = query.get("timestamps") == "true" || query.get("timestamps") == "1";
  const auto tail = number(query, "tailLines");
  const auto limit = number(query, "limitBytes");
  const auto since = number(query, "sinceSeconds");
  for (const auto* read : {&tail, &limit, &since}) {
    if (!*read) return std::unexpected(read->error());
  }
  out.tail_lines = *tail;
  out.limit_bytes = *limit;
  constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 3600;
  if (*since) out.since = now - std::chrono::seconds(std::min(**since, kCentury));
  if (const auto time = query.find("sinceTime"); time && !time->empty()) {
    out.since = parse_rfc3339(*time);
    if (!out.since) {
      return fail(ErrorCode::kInvalidArgument, "sinceTime=" + std::string(*time) + " is not an RFC 3339 time",
                  "sinceTime");
    }
  }
  return out;
}

void add_log_routes(http::Router& router, FindLog find, Clock& clock, asio::thread_pool& pool) {
  router.add("GET", "/healthz",
             [](const http::Request&) -> Task<http::Response> { co_return http::Response::text("ok"); });
  auto logs = [find = std::move(find), &clock, &pool](const http::Request& request) -> Task<http::Response> {
    const auto query = parse_log_query(request.query, clock.wall_now());
    if (!query) co_return refusal(query.error());
    const auto folder = find(std::string(request.params.get("ns")), std::string(request.params.get("pod")),
                             std::string(request.params.get("container")), query->previous);
    if (!folder) co_return refusal(folder.error());
    http::Response response = http::Response::text("");
    response.stream = [place = *folder, asked = *query, &clock, &pool](http::Writer& writer) -> Task<void> {
      co_await stream_log(place, asked, clock, pool, writer);
    };
    co_return response;
  };
  router.add("GET", "/containerLogs/{ns}/{pod}/{container}", std::move(logs));
  for (const std::string what : {"exec", "attach", "portForward", "run"}) {
    for (const char* method : {"GET", "POST"}) {
      router.add(method, "/" + what + "/{rest...}", [what](const http::Request&) -> Task<http::Response> {
        co_return http::Response::text(what + " is not supported by this node agent; kubectl logs is\n", 501);
      });
    }
  }
}

}  // namespace det::local
