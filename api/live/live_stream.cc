// GET /api/v1/live: server-sent events (WHATWG HTML, "Server-sent events") about what changed. The stream carries no
// data: what a page may see it asks for over the other routes.

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/access_check.h"
#include "api/authenticator.h"
#include "api/live/live_hub.h"
#include "api/live/live_topic.h"
#include "api/live/routes.h"
#include "api/tasks/any_task.h"
#include "base/parse_integer.h"
#include "wire/forms.h"

namespace det::api::routes {

namespace {

using model::Permission;

constexpr std::size_t kMostTopics = 64;
constexpr std::chrono::seconds kBetweenSignsOfLife{15};
constexpr std::chrono::seconds kBetweenLooksAtSession{2};
constexpr std::chrono::seconds kBetweenLooksAtRoles{15};

struct Watched {
  WantedTopic wanted;
  LiveTopic topic;
};

Result<std::vector<WantedTopic>> read_topics(const http::Params& query) {
  std::vector<WantedTopic> topics;
  for (const std::string& text : query.all("watch")) {
    auto topic = read_topic(text);
    DET_TRY(topic);
    if (std::ranges::find(topics, *topic) == topics.end()) topics.push_back(std::move(*topic));
  }
  if (topics.empty() || topics.size() > kMostTopics) {
    return fail(ErrorCode::kInvalidArgument,
                "watch: name between one and " + std::to_string(kMostTopics) + " topics, such as watch=experiments",
                "watch");
  }
  return topics;
}

bool may_watch(const Identity& caller, Permission needed, const store::FoundWorkspace& place) {
  return !has_roles(caller) || (place && may(caller, needed, *place));
}

// Whether the caller may look at it. What there is not is refused like what is hidden, where roles hide something.
Task<Result<bool>> sees(ApiServices& services, Identity caller, WantedTopic topic) {
  if (!has_roles(caller)) co_return true;
  switch (topic.kind) {
    case LiveKind::kExperiment: {
      const auto place = co_await services.stores.place_of.experiment({topic.number});
      DET_CO_TRY(place);
      co_return may_watch(caller, Permission::kViewExperimentMetadata, *place);
    }
    case LiveKind::kTrial: {
      const auto place = co_await services.stores.place_of.trial({topic.number});
      DET_CO_TRY(place);
      co_return may_watch(caller, Permission::kViewExperimentMetadata, *place);
    }
    case LiveKind::kLogs: {
      const auto place = co_await services.stores.place_of.task(topic.task_id);
      DET_CO_TRY(place);
      const Permission needed =
          *place && (*place)->is_trial ? Permission::kViewExperimentArtifacts : Permission::kViewNsc;
      co_return *place&& may(caller, needed, (*place)->workspace);
    }
    case LiveKind::kExperiments:
    case LiveKind::kTasks:
    case LiveKind::kQueue:
    case LiveKind::kModels:
    case LiveKind::kWorkspaces:
      break;
  }
  co_return true;
}

struct Choice {
  std::vector<Watched> watched;
  std::vector<std::string> refused;  // as they were named
};

Task<Result<Choice>> choose(ApiServices& services, Identity caller, std::vector<WantedTopic> topics) {
  Choice choice;
  for (WantedTopic& wanted : topics) {
    auto visible = co_await sees(services, caller, wanted);
    DET_CO_TRY(visible);
    LiveTopic topic{.kind = wanted.kind, .number = wanted.number};
    if (*visible && wanted.kind == LiveKind::kLogs) {
      const auto task = co_await find_any_task(services, wanted.task_id);
      if (!task && task.error().code != ErrorCode::kNotFound) co_return std::unexpected(task.error());
      visible = task.has_value();
      if (task) topic.number = task->number();
    }
    if (*visible) {
      choice.watched.push_back({.wanted = std::move(wanted), .topic = topic});
    } else {
      choice.refused.push_back(std::move(wanted.text));
    }
  }
  co_return choice;
}

// Who does not see all of a list is not told which of it changed.
bool sees_all(const Identity& caller, LiveKind kind) {
  if (kind == LiveKind::kExperiments) return !visible(caller, Permission::kViewExperimentMetadata);
  if (kind == LiveKind::kTasks) return !visible(caller, Permission::kViewNsc);
  return true;
}

// The number in "<server>-<number>"; nothing when it is of another start of the server, or of another server.
std::optional<std::uint64_t> number_of(std::string_view event_id, const std::string& server) {
  if (!event_id.starts_with(server + "-")) return std::nullopt;
  const auto number = parse_integer(event_id.substr(server.size() + 1));
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

class LiveStream {
 public:
  LiveStream(ApiServices& services, const http::Request& request, Identity caller, Choice choice,
             std::shared_ptr<LiveHub::Place> place)
      : services_(services),
        request_(request),
        caller_(std::move(caller)),
        choice_(std::move(choice)),
        place_(std::move(place)) {}

  // Until the client goes away or may not look any more.
  Task<void> run(http::Writer& writer) {
    LiveHub& hub = services_.live;
    std::string text = begin();
    looked_at_session_ = looked_at_roles_ = services_.clock.steady_now();
    for (;;) {
      const auto seen = hub.version();
      text += news();
      const SteadyTime now = services_.clock.steady_now();
      if (text.empty() && now - wrote_at_ >= kBetweenSignsOfLife) text = ": alive\n" + id_line() + "\n";
      if (!text.empty()) {
        if (!co_await writer.write(std::exchange(text, {}))) co_return;
        wrote_at_ = services_.clock.steady_now();
      }
      co_await hub.wait(seen, kBetweenLooksAtSession);
      if (!co_await may_go_on(text)) co_return;
    }
  }

 private:
  std::string begin() {
    const LiveHub& hub = services_.live;
    wire::Json hello = {{"server", hub.server()}};
    if (!choice_.refused.empty()) hello["refused"] = choice_.refused;
    std::string text = event("hello", hello);
    const auto before = request_.headers.find("Last-Event-ID");
    if (!before) {
      last_ = hub.last();
      return id_line() + text;
    }
    const auto number = number_of(*before, hub.server());
    // One that is in the future is behind, too.
    last_ = number && place_->was_followed() ? *number : hub.last() + 1;
    return text;
  }

  // What came since it was last asked.
  std::string news() {
    const LiveHub::News found = services_.live.since(last_, place_->topics());
    last_ = found.last;
    if (found.is_behind) {
      wire::Json topics = wire::Json::array();
      for (const Watched& watched : choice_.watched) topics.push_back(watched.wanted.text);
      return id_line() + event("look-again", {{"topics", std::move(topics)}});
    }
    std::string text;
    for (const LiveHub::Change& change : found.changes) {
      for (const Watched& watched : choice_.watched) {
        if (watched.topic != change.topic) continue;
        // The id stands with the last event: who was cut before it gets all of them again.
        if (&change == &found.changes.back()) text += id_line();
        text += event("changed", data_of(watched, change));
      }
    }
    return text;
  }

  wire::Json data_of(const Watched& watched, const LiveHub::Change& change) const {
    wire::Json data = {{"topic", watched.wanted.text}};
    if (change.ids.empty() || !sees_all(caller_, change.topic.kind)) return data;
    wire::Json ids = wire::Json::array();
    for (const std::string& id : change.ids) {
      // Tasks have texts for ids.
      if (change.topic.kind == LiveKind::kTasks) {
        ids.push_back(id);
      } else {
        ids.push_back(std::stoll(id));
      }
    }
    data["ids"] = std::move(ids);
    return data;
  }

  // False when the session has ended. Topics that the caller may not look at any more go, and `text` says so.
  Task<bool> may_go_on(std::string& text) {
    const SteadyTime now = services_.clock.steady_now();
    if (now - looked_at_session_ < kBetweenLooksAtSession) co_return true;
    looked_at_session_ = now;
    auto known = co_await services_.authenticator.identify(request_);
    if (!known || (*known)->user.id != caller_.user.id || (*known)->kind != TokenKind::kLogin) co_return false;
    auto caller = co_await with_grants(services_, std::move(*known));
    // While the database is away nobody loses rights.
    if (!caller) co_return true;
    caller_ = **caller;
    if (!has_roles(caller_) || now - looked_at_roles_ < kBetweenLooksAtRoles) co_return true;
    looked_at_roles_ = now;
    std::vector<std::string> refused;
    std::vector<Watched> left;
    for (const Watched& watched : choice_.watched) {
      const auto visible = co_await sees(services_, caller_, watched.wanted);
      if (!visible || *visible) {
        left.push_back(watched);
      } else {
        refused.push_back(watched.wanted.text);
      }
    }
    choice_.watched = std::move(left);
    if (!refused.empty()) text += event("refused", {{"topics", std::move(refused)}});
    co_return true;
  }

  [[nodiscard]] std::string id_line() const {
    return "id: " + services_.live.server() + "-" + std::to_string(last_) + "\n";
  }
  static std::string event(const char* name, const wire::Json& data) {
    return "event: " + std::string(name) + "\ndata: " + wire::dump(data) + "\n\n";
  }

  ApiServices& services_;
  const http::Request& request_;
  Identity caller_;
  Choice choice_;
  std::shared_ptr<LiveHub::Place> place_;
  std::uint64_t last_ = 0;
  SteadyTime wrote_at_;
  SteadyTime looked_at_session_;
  SteadyTime looked_at_roles_;
};

Task<void> run_stream(std::shared_ptr<LiveStream> stream, http::Writer& writer) {
  co_await stream->run(writer);
}

}  // namespace

Task<Result<http::Response>> live_events(ApiServices& services, Call call) {
  auto topics = read_topics(call.request.query);
  DET_CO_TRY(topics);
  auto choice = co_await choose(services, call.caller, std::move(*topics));
  DET_CO_TRY(choice);
  std::vector<LiveTopic> watched;
  for (const Watched& one : choice->watched) watched.push_back(one.topic);
  auto place = services.live.enter(call.caller.user.id, std::move(watched));
  DET_CO_TRY(place);
  http::Response response;
  response.headers.add("Content-Type", "text/event-stream");
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("X-Accel-Buffering", "no");  // to proxies: pass on what comes
  // The request lives as long as its stream.
  const auto stream = std::make_shared<LiveStream>(services, call.request, std::move(call.caller), std::move(*choice),
                                                   std::move(*place));
  response.stream = [stream](http::Writer& writer) { return run_stream(stream, writer); };
  co_return response;
}

}  // namespace det::api::routes
