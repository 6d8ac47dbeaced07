#include "local/agent/log_routes.h"

#include <charconv>
#include <filesystem>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/crypto.h>

#include "base/async.h"
#include "local/names.h"

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

// A log that is read piece by piece, on the pool: what was put aside first, then what is written now. Rotation while it
// is read: the open file is read to its end, then the one that has come in its place.
class OpenLog {
 public:
  explicit OpenLog(const std::string& folder) : folder_(folder) {
    open("/log.1");
    if (fd_ < 0) open("/log");
  }
  ~OpenLog() { close(); }
  OpenLog(const OpenLog&) = delete;
  OpenLog& operator=(const OpenLog&) = delete;

  // Also when the pod has been removed meanwhile.
  [[nodiscard]] bool is_ended() const {
    return std::filesystem::exists(folder_ + "/exit.json") || !std::filesystem::exists(folder_);
  }
  void skip_to_tail(std::int64_t lines) {
    if (fd_ < 0) return;
    const int older = std::exchange(fd_, -1);
    open("/log");
    if (fd_ < 0 || same_file(older, fd_)) {
      close();
      fd_ = older;
    } else if (const auto here = count_lines(fd_); here >= lines) {
      ::close(older);
    } else {
      close();
      fd_ = older;
      lines -= here;
    }
    offset_ = static_cast<off_t>(tail_offset(fd_, lines));
  }
  std::string next() {
    if (fd_ < 0) open("/log");
    std::string piece = read();
    if (!piece.empty() || fd_ < 0) return piece;
    const int newest = ::open((folder_ + "/log").c_str(), O_RDONLY | O_CLOEXEC);
    if (newest < 0 || same_file(newest, fd_)) {
      if (newest >= 0) ::close(newest);
      return piece;
    }
    piece = read();  // what was written between the last look and the rotation
    const int next = following(newest);
    close();
    fd_ = next;
    return piece.empty() ? read() : piece;
  }

 private:
  void open(const char* name) {
    fd_ = ::open((folder_ + name).c_str(), O_RDONLY | O_CLOEXEC);
    offset_ = 0;
  }
  // The file that comes behind the open one, which is not `newest`, or `newest` where nothing lies between. Of one of
  // which two came since, there is no name left.
  [[nodiscard]] int following(int newest) const {
    const int older = ::open((folder_ + "/log.1").c_str(), O_RDONLY | O_CLOEXEC);
    if (older >= 0 && !same_file(older, fd_)) {
      ::close(newest);
      return older;
    }
    if (older >= 0) ::close(older);
    return newest;
  }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
    offset_ = 0;
  }
  std::string read() {
    std::string piece(kPiece, '\0');
    const auto size = fd_ < 0 ? 0 : ::pread(fd_, piece.data(), piece.size(), offset_);
    piece.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    offset_ += static_cast<off_t>(piece.size());
    return piece;
  }
  static bool same_file(int a, int b) {
    struct stat one{};
    struct stat other{};
    return ::fstat(a, &one) == 0 && ::fstat(b, &other) == 0 && one.st_ino == other.st_ino && one.st_dev == other.st_dev;
  }

  std::string folder_;
  int fd_ = -1;
  off_t offset_ = 0;
};

Task<void> stream_log(std::string folder, PodLogQuery query, Clock& clock, asio::thread_pool& pool,
                      http::Writer& writer) {
  OpenLog log(folder);
  PodLogFilter filter(query);
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

bool may_ask(const http::Request& request, const std::string& token) {
  if (token.empty()) return true;
  const std::string wanted = "Bearer " + token;
  const auto shown = request.headers.find("Authorization").value_or("");
  return shown.size() == wanted.size() && CRYPTO_memcmp(shown.data(), wanted.data(), wanted.size()) == 0;
}

// The router has decoded the path's parts: one may hold slashes and dots.
Status check_place(const http::Params& place) {
  for (const auto& [field, rule] : {std::pair{"ns", &dns_label_faults}, std::pair{"pod", &dns_subdomain_faults},
                                    std::pair{"container", &dns_label_faults}}) {
    const std::string text(place.get(field));
    if (const Faults faults = rule(text); !faults.empty()) {
      return fail(ErrorCode::kInvalidArgument, "\"" + text + "\" is no name: " + faults.front());
    }
  }
  return {};
}

http::Response refusal(const Error& error) {
  const int status = error.code == ErrorCode::kNotFound ? 404 : 400;
  return http::Response::text(error.message + "\n", status);
}

}  // namespace

Result<PodLogQuery> parse_log_query(const http::Params& query, WallTime now) {
  PodLogQuery out;
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

void add_log_routes(http::Router& router, FindLog find, std::string token, Clock& clock, asio::thread_pool& pool) {
  router.add("GET", "/healthz",
             [](const http::Request&) -> Task<http::Response> { co_return http::Response::text("ok"); });
  auto logs = [find = std::move(find), token = std::move(token), &clock,
               &pool](const http::Request& request) -> Task<http::Response> {
    if (!may_ask(request, token)) co_return http::Response::text("Unauthorized: the node's log token is needed\n", 401);
    if (const Status named = check_place(request.params); !named) co_return refusal(named.error());
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
