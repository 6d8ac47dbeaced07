// The watches of FakeApiServer.

#include <algorithm>
#include <utility>

#include "base/race.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/selectors.h"

namespace det::test {
namespace {

using nlohmann::json;

std::string query_value(const std::map<std::string, std::string>& query, const std::string& name) {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

std::string line(const char* type, const json& object) {
  return json{{"type", type}, {"object", object}}.dump() + "\n";
}

std::string bookmark_line(std::uint64_t version, bool initial_end) {
  json metadata = {{"resourceVersion", std::to_string(version)}};
  if (initial_end) metadata["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  return line("BOOKMARK", {{"metadata", std::move(metadata)}});
}

// What a watch is told of a change, by whether the object matches its selectors before and after.
std::string line_of(const StoredChange& change, bool matched, bool matches) {
  if (matched && matches) return line("MODIFIED", *change.after);
  if (matches) return line("ADDED", *change.after);
  if (!matched) return {};
  json gone = *change.before;
  gone["metadata"]["resourceVersion"] = std::to_string(change.version);
  return line("DELETED", gone);
}

}  // namespace

Task<Result<HttpResponse>> FakeApiServer::stream(HttpRequest request, BodySink sink) {
  Target target = parse(request.url);
  if (!target.query.contains("watch")) co_return co_await send(std::move(request));
  const std::chrono::nanoseconds idle = request.idle_timeout.value_or(std::chrono::hours(24));
  co_return co_await watch(std::move(target), std::move(sink), idle);
}

Task<Result<HttpResponse>> FakeApiServer::watch(Target target, BodySink sink, std::chrono::nanoseconds idle_timeout) {
  struct Open {
    std::size_t& count;
    ~Open() { --count; }
  };
  const Open open{++open_watches_};
  const HttpResponse ended{.status = 200, .headers = {}, .body = {}};
  const auto canceled = [] { return fail(ErrorCode::kCanceled, "the reader ended it"); };
  const auto is_match = [&](const StoredObject& object) {
    return object && matches_labels(*object, query_value(target.query, "labelSelector")) &&
           matches_fields(*object, query_value(target.query, "fieldSelector"));
  };

  const bool initial = query_value(target.query, "sendInitialEvents") == "true";
  const std::string version_text = query_value(target.query, "resourceVersion");
  std::uint64_t version = version_text.empty() ? 0 : std::stoull(version_text);
  if (initial || version == 0) {
    version = store_.version();
    for (const auto& object : store_.all(target.collection, target.ns)) {
      if (is_match(object) && !sink(line("ADDED", *object))) co_return canceled();
    }
    if (initial && !sink(bookmark_line(version, true))) co_return canceled();
  } else if (version < store_.oldest_version()) {
    const auto expired = refusal(410, "Expired", "too old resource version: " + version_text);
    if (!sink(line("ERROR", expired.body))) co_return canceled();
    co_return ended;
  }

  const auto& history = store_.history();
  auto next = static_cast<std::size_t>(std::ranges::upper_bound(history, version, {}, &StoredChange::version) -
                                       history.begin());
  std::uint64_t bookmarks = bookmarks_;
  const std::string timeout = query_value(target.query, "timeoutSeconds");
  const SteadyTime end = clock_.steady_now() + std::chrono::seconds(timeout.empty() ? 1800 : std::stoi(timeout));
  SteadyTime last_byte = clock_.steady_now();
  for (;;) {
    const auto seen = changed_.version();
    for (; next < history.size(); ++next) {
      if (history[next].collection != target.collection) continue;
      const StoredChange change = history[next];  // the reader may write more
      if (!target.ns.empty() && change.ns != target.ns) continue;
      const std::string text = line_of(change, is_match(change.before), is_match(change.after));
      if (!text.empty()) last_byte = clock_.steady_now();
      if (!text.empty() && !sink(text)) co_return canceled();
    }
    if (bookmarks != bookmarks_) {
      bookmarks = bookmarks_;
      last_byte = clock_.steady_now();
      if (!sink(bookmark_line(store_.version(), false))) co_return canceled();
    }
    const SteadyTime now = clock_.steady_now();
    if (now >= end) co_return ended;
    if (now >= last_byte + idle_timeout) co_return fail(ErrorCode::kDeadlineExceeded, "nothing came");
    const auto left = std::min<std::chrono::nanoseconds>(end - now, last_byte + idle_timeout - now);
    co_await wait_on_clock(changed_, seen, clock_, left);
  }
}

}  // namespace det::test
