#include "api/logs/log_stream.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "api/views.h"
#include "api/wakeups.h"
#include "base/log.h"
#include "wire/error.h"
#include "wire/log_record.h"

namespace det::api {

namespace {

// Notifications can be lost with the connection that brings them: look anyway now and then.
constexpr std::chrono::seconds kLookAgain{10};
constexpr std::chrono::seconds kPauseWhileAway{1};
constexpr std::size_t kPiece = 128 << 10;  // of text that is sent at once: still in the cache, and no more is held

// Whether the task still may log. Errors other than "away" end a stream.
Task<Result<bool>> is_over(ApiServices& services, LoggedTask task) {
  if (task.trial) {
    auto row = co_await services.stores.trials.find(*task.trial);
    DET_CO_TRY(row);
    co_return !*row || model::is_terminal((*row)->state);
  }
  auto row = co_await services.stores.tasks.find(task.id);
  DET_CO_TRY(row);
  co_return !*row || model::is_terminal((*row)->state);
}

// Who tells that its state changed.
std::string state_key(const LoggedTask& task) {
  return task.trial ? Wakeups::trial_key(task.trial->value) : Wakeups::task_key(task.id);
}

// Calls `scan`, with `after` first, until the trial is over and everything was scanned; once when not following. `scan`
// returns the id after which to go on, or nothing when the client has gone.
using Scan = std::function<Task<Result<std::optional<std::int64_t>>>(std::int64_t after)>;

Task<Status> scan_until_over(ApiServices& services, LoggedTask task, bool follow, std::int64_t after, Scan scan) {
  Wakeups::Watch watch(services.wakeups, {Wakeups::log_key(task.number), state_key(task)});
  for (;;) {
    const auto seen = watch.version();
    // Before the scan: what was logged until the end is then in it.
    auto over = co_await is_over(services, task);
    Result<std::optional<std::int64_t>> scanned = co_await scan(after);
    const bool is_away = (!over && over.error().code == ErrorCode::kUnavailable) ||
                         (!scanned && scanned.error().code == ErrorCode::kUnavailable);
    if (scanned && !*scanned) co_return Status();
    if (scanned) after = **scanned;
    if (is_away && follow) {
      co_await services.clock.sleep_for(kPauseWhileAway);
      continue;
    }
    DET_CO_TRY(over);
    DET_CO_TRY(scanned);
    if (!follow || *over) co_return Status();
    co_await watch.wait(seen, kLookAgain);
  }
}

// Lines of one request, frame by frame.
class LinesStream {
 public:
  LinesStream(ApiServices& services, LoggedTask task, LogRequest request, LineForm form, http::Writer& writer)
      : services_(services),
        task_(std::move(task)),
        request_(std::move(request)),
        form_(std::move(form)),
        writer_(writer) {}

  Task<Status> run() {
    Scan scan = [this](std::int64_t after) { return scan_after(after); };
    co_return co_await scan_until_over(services_, task_, request_.follow, request_.query.after_id, std::move(scan));
  }

 private:
  Task<Result<std::optional<std::int64_t>>> scan_after(std::int64_t after) {
    store::LogQuery query = request_.query;
    // The database may have gone in the middle of a scan, behind lines that were sent.
    query.after_id = std::max(after, sent_);
    store::LineSink sink = [this](std::vector<store::NumberedLine> lines) { return take(std::move(lines)); };
    auto last = co_await services_.stores.logs.scan(std::move(query), std::move(sink));
    DET_CO_TRY(last);
    if (is_gone_) co_return std::nullopt;
    co_return *last;
  }

  Task<bool> take(std::vector<store::NumberedLine> lines) {
    std::string frames;
    for (const store::NumberedLine& line : lines) {
      if (frames.empty()) frames.reserve(kPiece + kPiece / 4);
      form_(frames, line);
      if (frames.size() < kPiece) continue;
      std::string piece = std::exchange(frames, {});
      is_gone_ = !co_await writer_.write(std::move(piece));
      if (is_gone_) co_return false;
    }
    is_gone_ = !co_await writer_.write(std::move(frames));
    if (!lines.empty() && request_.follow) sent_ = lines.back().id;
    co_return !is_gone_;
  }

  ApiServices& services_;
  LoggedTask task_;
  LogRequest request_;
  LineForm form_;
  http::Writer& writer_;
  std::int64_t sent_ = 0;  // the last line, where it follows
  bool is_gone_ = false;
};

// The distinct values of a log's fields.
struct SeenFields {
  std::set<std::string, std::less<>> agents, allocations, containers, sources, stdtypes;
  std::set<int> ranks;
  bool changed = true;

  void add(const store::NumberedLine& line) {
    const wire::LogRecord record = to_wire(line);
    const auto put = [this](auto& set, const auto& value) {
      if (set.find(value) != set.end()) return;
      set.emplace(value);
      changed = true;
    };
    if (!record.agent_id.empty()) put(agents, record.agent_id);
    if (!record.allocation_id.empty()) put(allocations, record.allocation_id);
    if (!record.container_id.empty()) put(containers, record.container_id);
    if (!record.source.empty()) put(sources, record.source);
    if (!record.stdtype.empty()) put(stdtypes, record.stdtype);
    if (record.rank) put(ranks, *record.rank);
  }
  [[nodiscard]] wire::Json json() const {
    return {{"agentIds", agents}, {"allocationIds", allocations}, {"containerIds", containers},
            {"rankIds", ranks},   {"sources", sources},           {"stdtypes", stdtypes}};
  }
};

// Sends the values whenever there are more of them.
class FieldsStream {
 public:
  FieldsStream(ApiServices& services, LoggedTask task, bool follow, http::Writer& writer)
      : services_(services), task_(std::move(task)), follow_(follow), writer_(writer) {}

  Task<Status> run() {
    Scan scan = [this](std::int64_t after) { return scan_after(after); };
    co_return co_await scan_until_over(services_, task_, follow_, 0, std::move(scan));
  }

 private:
  Task<Result<std::optional<std::int64_t>>> scan_after(std::int64_t after) {
    store::LogQuery query;
    query.task_id = task_.id;
    query.after_id = after;
    store::LineSink sink = [this](std::vector<store::NumberedLine> lines) { return take(std::move(lines)); };
    auto last = co_await services_.stores.logs.scan(std::move(query), std::move(sink));
    DET_CO_TRY(last);
    if (std::exchange(fields_.changed, false) && !co_await writer_.write(wire::frame(fields_.json()))) {
      co_return std::nullopt;
    }
    co_return *last;
  }

  Task<bool> take(std::vector<store::NumberedLine> lines) {
    for (const store::NumberedLine& line : lines) fields_.add(line);
    co_return true;
  }

  ApiServices& services_;
  LoggedTask task_;
  bool follow_;
  http::Writer& writer_;
  SeenFields fields_;
};

// An error after the headers can only be the last line.
template <typename Stream, typename... Args>
Task<void> run_stream(http::Writer& writer, Args... args) {
  Stream stream(std::move(args)..., writer);
  const Status done = co_await stream.run();
  if (!done) co_await writer.write(wire::dump(wire::stream_error(done.error())) + "\n");
}

http::Response stream_response(http::StreamBody body) {
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.stream = std::move(body);
  return response;
}

}  // namespace

http::Response log_response(ApiServices& services, LoggedTask task, LogRequest request, LineForm form) {
  return stream_response(
      [&services, task = std::move(task), request = std::move(request), form = std::move(form)](http::Writer& writer) {
        return run_stream<LinesStream>(writer, std::ref(services), task, request, form);
      });
}

http::Response log_fields_response(ApiServices& services, LoggedTask task, bool follow) {
  return stream_response([&services, task = std::move(task), follow](http::Writer& writer) {
    return run_stream<FieldsStream>(writer, std::ref(services), task, follow);
  });
}

}  // namespace det::api
