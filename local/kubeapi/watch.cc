// Reader::watch: one stream of changes of a collection. It reads the collection's history from its position, so that
// nothing is missed between two looks; a reader that falls behind the history is told 410 and lists again.

#include <algorithm>
#include <optional>
#include <utility>

#include "base/json_get.h"
#include "base/race.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/reader.h"
#include "local/kubeapi/responses.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr std::chrono::minutes kDefaultTimeout{30};
constexpr std::size_t kPiece = std::size_t{256} << 10U;

struct WatchPlan {
  TypeRef type;
  std::string ns;
  Selection selection;
  AnswerForm form;
  std::optional<std::uint64_t> from;  // nothing: begin with what there is
  bool sends_initial_end = false;     // mark the end of what there is by a bookmark
  bool wants_bookmarks = false;
  std::chrono::nanoseconds timeout = kDefaultTimeout;
};

class WatchStream {
 public:
  WatchStream(Clock& clock, const ObjectStore& store, std::shared_ptr<Collection> collection, WatchPlan plan)
      : clock_(clock), store_(store), collection_(std::move(collection)), plan_(std::move(plan)) {}

  [[nodiscard]] Collection& collection() { return *collection_; }

  // What there is, when the client begins without a version.
  std::string begin() {
    if (plan_.from) {
      position_ = *plan_.from;
      return {};
    }
    position_ = store_.version();
    std::string lines;
    for (const ObjectRef& object : store_.list(plan_.type->collection(), plan_.ns)) {
      if (plan_.selection.matches(object->value)) lines += line("ADDED", object);
    }
    if (plan_.sends_initial_end) lines += bookmark(true);
    return lines;
  }

  // Changes since the position, about one piece of them. Sets `ended` with the last line when the history is too short.
  std::string next(bool& ended) {
    if (position_ < collection_->oldest) {
      ended = true;
      return "{\"type\":\"ERROR\",\"object\":" + dump(too_old(position_, collection_->oldest).status()) + "}\n";
    }
    const auto& events = collection_->events;
    auto at = std::ranges::upper_bound(events, position_, {}, [](const Change& c) { return c.now->version; });
    std::string lines;
    for (; at != events.end() && lines.size() < kPiece; ++at) {
      position_ = at->now->version;
      if (plan_.ns.empty() || at->place.ns == plan_.ns) lines += line_of(*at);
    }
    return lines;
  }

  // Everything up to the store's version has been sent.
  std::string bookmark(bool ends_initial) {
    position_ = std::max(position_, store_.version());
    json meta = {{"resourceVersion", std::to_string(position_)}, {"creationTimestamp", nullptr}};
    if (ends_initial) meta["annotations"] = {{"k8s.io/initial-events-end", "true"}};
    json object = {{"kind", plan_.type->kind}, {"apiVersion", plan_.type->api_version()}, {"metadata", meta}};
    if (plan_.form.is_table) {
      object = render_table(*plan_.type, {}, std::move(meta), plan_.form.row_object, false, clock_.wall_now());
    }
    return "{\"type\":\"BOOKMARK\",\"object\":" + dump(object) + "}\n";
  }

 private:
  // With a selector, an object that begins to match is new to this client, and one that ceases to is gone.
  std::string line_of(const Change& change) {
    const bool matched = change.before != nullptr && plan_.selection.matches(change.before->value);
    const bool matches = change.type != Change::Type::kDeleted && plan_.selection.matches(change.now->value);
    if (matches) return line(matched ? "MODIFIED" : "ADDED", change.now);
    if (!matched) return {};
    if (change.type == Change::Type::kDeleted) return line("DELETED", change.now);
    // The client knows the state before; its version must be the one of the change.
    json last = change.before->value;
    last["metadata"]["resourceVersion"] = std::to_string(change.now->version);
    return line("DELETED", make_stored(std::move(last), change.now->version, change.now->created));
  }

  std::string line(const char* type, const ObjectRef& object) {
    std::string text = std::string("{\"type\":\"") + type + "\",\"object\":";
    if (plan_.form.is_table) {
      json meta = {{"resourceVersion", std::to_string(object->version)}};
      text += dump(render_table(*plan_.type, {object}, std::move(meta), plan_.form.row_object, !has_headers_,
                                clock_.wall_now()));
      has_headers_ = true;
    } else {
      text += object->text;
    }
    return text + "}\n";
  }

  Clock& clock_;
  const ObjectStore& store_;
  std::shared_ptr<Collection> collection_;
  WatchPlan plan_;
  std::uint64_t position_ = 0;
  bool has_headers_ = false;
};

ApiResult<WatchPlan> plan_of(const ApiRequest& request, const http::Request& http) {
  WatchPlan plan{.type = request.type, .ns = request.ns, .form = parse_form(http)};
  auto selection = parse_selection(http, *request.type);
  DET_TRY(selection);
  plan.selection = std::move(*selection);
  const auto seconds = parse_number(http, "timeoutSeconds");
  DET_TRY(seconds);
  if (seconds->value_or(0) > 0) plan.timeout = std::chrono::seconds(std::min<std::uint64_t>(**seconds, 86'400));
  const auto version = parse_number(http, "resourceVersion");
  DET_TRY(version);
  plan.wants_bookmarks =
      http.query.get("allowWatchBookmarks") == "true" || http.query.get("allowWatchBookmarks") == "1";
  const auto match = http.query.get("resourceVersionMatch");
  const bool initial = http.query.get("sendInitialEvents") == "true";
  const Subject subject{"meta.k8s.io", "listoptions", "ListOptions", ""};
  if (http.query.has("sendInitialEvents") && match != "NotOlderThan") {
    return std::unexpected(invalid(subject, {forbidden_field("resourceVersionMatch",
                                                             "sendInitialEvents requires setting resourceVersionMatch "
                                                             "to NotOlderThan")}));
  }
  if (!http.query.has("sendInitialEvents") && !match.empty()) {
    return std::unexpected(
        invalid(subject,
                {forbidden_field("resourceVersionMatch",
                                 "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")}));
  }
  if (!initial && version->value_or(0) != 0) plan.from = **version;
  plan.sends_initial_end = initial && plan.wants_bookmarks;
  return plan;
}

}  // namespace

http::Response Reader::watch(const ApiRequest& request, const http::Request& http) {
  auto plan = plan_of(request, http);
  if (!plan) return refuse(plan.error());
  const bool wants_bookmarks = plan->wants_bookmarks;
  const auto timeout = plan->timeout;
  auto stream =
      std::make_shared<WatchStream>(clock_, store_, store_.collection(request.type->collection()), std::move(*plan));
  http::Response response = http::Response::json("");
  response.stream = [this, stream, wants_bookmarks, timeout](http::Writer& writer) -> Task<void> {
    struct Open {
      std::size_t& count;
      ~Open() { --count; }
    };
    const Open open{++open_watches_};
    const std::uint64_t cuts = cuts_;
    const SteadyTime end = clock_.steady_now() + timeout;
    SteadyTime next_bookmark = clock_.steady_now() + options_.bookmark_interval;
    std::string lines = stream->begin();
    bool ended = false;
    for (;;) {
      const auto seen = stream->collection().changed.version();
      if (lines.empty()) lines = stream->next(ended);
      if (!lines.empty()) {
        const bool goes_on = co_await writer.write(std::exchange(lines, {}));
        if (!goes_on || ended) co_return;
        continue;
      }
      const SteadyTime now = clock_.steady_now();
      if (stream->collection().is_closed || cuts_ != cuts || now >= end) co_return;
      if (wants_bookmarks && now >= next_bookmark) {
        next_bookmark = now + options_.bookmark_interval;
        lines = stream->bookmark(false);
        continue;
      }
      const SteadyTime wake = wants_bookmarks ? std::min(end, next_bookmark) : end;
      co_await wait_on_clock(stream->collection().changed, seen, clock_, wake - now);
    }
  };
  return response;
}

void Reader::cut_watches() {
  ++cuts_;
  store_.wake_watchers();
}

}  // namespace det::local::kubeapi
