// GET /stream: a websocket on which Determined's pages and SDK follow projects, models and their versions. What a
// client was told is kept as one version for each record: when the database says that some changed, those that fit are
// looked at, what differs is sent and what is gone is named. So nothing is lost between two looks, and neither the
// order of commits nor a client's `since` decides what it hears.

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/this_coro.hpp>

#include "api/access_check.h"
#include "api/authenticator.h"
#include "api/live/live_hub.h"
#include "api/live/routes.h"
#include "api/live/subscription.h"
#include "api/live/told_records.h"
#include "base/race.h"
#include "http/websocket.h"
#include "wire/forms.h"

namespace det::api::routes {

namespace {

using model::Permission;
using store::RecordKind;

constexpr std::size_t kWeight = 8;  // of live streams: each of these reads from the database
constexpr std::size_t kMostStartups = 8;
constexpr std::ptrdiff_t kAtOnce = 100;  // records that are read together, at most
constexpr std::chrono::seconds kStartup{10};
constexpr std::chrono::seconds kBetweenLooks{1};
constexpr std::chrono::seconds kBetweenLooksAtSession{2};
constexpr std::chrono::seconds kBetweenTries{2};
constexpr std::chrono::seconds kFarewell{2};

struct Kind {
  const char* record;  // what a message with one is called
  const char* gone;    // and one with ids of what is gone
  LiveKind topic;
  Permission to_see;
};
// In the order of RecordKind.
constexpr std::array<Kind, 3> kKinds = {{
    {"project", "projects_deleted", LiveKind::kWorkspaces, Permission::kViewProject},
    {"model", "models_deleted", LiveKind::kModels, Permission::kViewModelRegistry},
    {"modelversion", "modelversions_deleted", LiveKind::kModels, Permission::kViewModelRegistry},
}};

// What the client follows of one kind.
struct Followed {
  store::RecordFilter filter;
  RecordStates told;
  bool is_stale = true;  // some may have changed
};

bool is_empty(const store::RecordFilter& filter) {
  return filter.ids.empty() && filter.workspaces.empty() && filter.models.empty() && filter.users.empty();
}

class RecordStream {
 public:
  RecordStream(ApiServices& services, const http::Request& request, Identity caller, LiveHub::Place& place,
               http::ClientStream& client, asio::any_io_executor executor)
      : services_(services),
        request_(request),
        caller_(std::move(caller)),
        place_(place),
        client_(client),
        socket_(executor, services.clock, client),
        came_(executor),
        opened_at_(services.clock.steady_now()) {}

  // Until the client goes away or may not look any more.
  Task<void> run() {
    co_await first_of(open(), services_.clock.sleep_for(kStartup));
    if (!is_open_) co_return;
    client_.set_cuttable(true);
    client_.settle();
    co_await first_of(read(), follow_and_watch());
    if (status_ != 0) co_await first_of(socket_.close(status_, reason_), services_.clock.sleep_for(kFarewell));
  }

 private:
  Task<void> open() { is_open_ = co_await socket_.accept(request_); }

  // What the client sends: it may subscribe anew at any time.
  Task<void> read() {
    for (;;) {
      const auto text = co_await socket_.read();
      if (!text) co_return;
      auto message = read_startup_message(*text);
      if (!message) co_return end(message.error().message);
      if (startups_.size() >= kMostStartups) co_return end("too many startup messages at once");
      startups_.push_back(std::move(*message));
      came_.notify_all();
    }
  }

  Task<void> follow_and_watch() { co_await first_of(follow(), watch_and_ping()); }
  Task<void> watch_and_ping() { co_await first_of(watch(), ping()); }

  Task<void> follow() {
    while (status_ == 0) {
      const auto told = services_.live.version();
      const auto came = came_.version();
      note_changes();
      if (!startups_.empty()) {
        const StartupMessage message = std::move(startups_.front());
        startups_.pop_front();
        has_started_ = true;
        if (!co_await start(message)) co_return;
      } else if (!co_await tell_news()) {
        co_return;
      }
      if (startups_.empty() && status_ == 0) co_await wait(told, came);
    }
  }

  Task<void> wait(std::uint64_t told, std::uint64_t came) {
    co_await first_of(wait_for_change(told), wait_for_message(came));
  }
  Task<void> wait_for_change(std::uint64_t told) { co_await services_.live.wait(told, kBetweenTries); }
  Task<void> wait_for_message(std::uint64_t came) { co_await came_.wait(came, kBetweenTries); }

  // False: it has ended. Of what cannot be read now, the database being away, it is tried again.
  Task<bool> start(const StartupMessage& message) {
    if (!co_await send({{"sync_id", message.sync_id}, {"complete", false}})) co_return false;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      followed_[i].reset();
      if (!message.of[i]) continue;
      followed_[i] = Followed{.filter = message.of[i]->filter, .told = {}, .is_stale = true};
      while (followed_[i]->is_stale) {
        if (!co_await tell(i, &message.of[i]->known)) co_return false;
        if (followed_[i]->is_stale) co_await services_.clock.sleep_for(kBetweenTries);
      }
    }
    co_return co_await send({{"sync_id", message.sync_id}, {"complete", true}});
  }

  Task<bool> tell_news() {
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      if (followed_[i] && followed_[i]->is_stale && !co_await tell(i, nullptr)) co_return false;
    }
    co_return true;
  }

  // What differs from what the client was told, or at first from what it says that it knows of.
  Task<bool> tell(std::size_t i, const KeySet* known) {
    Followed& followed = *followed_[i];
    const auto kind = static_cast<RecordKind>(i);
    followed.is_stale = false;
    store::RecordFilter filter = followed.filter;
    filter.visible = visible(caller_, kKinds[i].to_see);
    RecordStates now;
    if (!is_empty(filter)) {
      auto states = co_await look(kind, filter);
      if (!states && states.error().code == ErrorCode::kResourceExhausted) {
        end(states.error().message);
        co_return false;
      }
      if (!states) {
        followed.is_stale = true;
        co_return true;
      }
      now = std::move(*states);
    }
    if (known != nullptr && !co_await name_gone(kKinds[i], *known, now)) co_return false;
    if (!co_await name_gone(kKinds[i], keys_of(followed.told), now)) co_return false;
    const std::vector<std::int64_t> ids = changed(followed.told, now);
    for (auto at = ids.begin(); at != ids.end();) {
      const auto end = at + std::min(kAtOnce, ids.end() - at);
      // A slow client can take long over each part: rights may have gone meanwhile.
      filter.visible = visible(caller_, kKinds[i].to_see);
      auto records = co_await read(kind, filter, {at, end});
      if (!records) {
        followed.told = told_up_to(*at, now, followed.told);
        followed.is_stale = true;
        co_return true;
      }
      at = records->empty() ? end : std::ranges::upper_bound(at, end, records->back().id);
      for (store::Record& record : *records) {
        if (!co_await socket_.write(message_of(kKinds[i], std::move(record.content)))) co_return false;
      }
    }
    followed.told = std::move(now);
    co_return true;
  }

  Task<bool> name_gone(const Kind& kind, KeySet told, const RecordStates& now) {
    const KeySet gone = keys_gone(told, ids_of(now));
    co_return gone.empty() || co_await send({{kind.gone, key_set_text(gone)}});
  }

  Task<Result<RecordStates>> look(RecordKind kind, store::RecordFilter filter) {
    const auto turn = co_await services_.live.readers().wait(to_string(caller_.user.id));
    co_return co_await services_.stores.records.states(kind, std::move(filter));
  }

  Task<Result<std::vector<store::Record>>> read(RecordKind kind, store::RecordFilter filter,
                                                std::vector<std::int64_t> ids) {
    const auto turn = co_await services_.live.readers().wait(to_string(caller_.user.id));
    co_return co_await services_.stores.records.read(kind, std::move(filter), std::move(ids));
  }

  // Clients keep the largest `seq` and send it back as `since`: a later message has a larger one.
  std::string message_of(const Kind& kind, std::string content) {
    seq_ = std::max(seq_ + 1, services_.clock.wall_now().time_since_epoch().count());
    content.pop_back();
    return "{\"" + std::string(kind.record) + "\":" + content + ",\"seq\":" + std::to_string(seq_) + "}}";
  }

  void note_changes() {
    const LiveHub::News news = services_.live.since(last_, place_.topics());
    last_ = news.last;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      if (!followed_[i]) continue;
      const bool is_meant = std::ranges::any_of(
          news.changes, [&](const LiveHub::Change& change) { return change.topic.kind == kKinds[i].topic; });
      if (news.is_behind || is_meant) followed_[i]->is_stale = true;
    }
  }

  Task<void> ping() {
    for (;;) {
      co_await services_.clock.sleep_for(kBetweenLooks);
      co_await socket_.ping();
    }
  }

  // Looks whether the client is there, and may go on.
  Task<void> watch() {
    SteadyTime looked_at = opened_at_;
    for (;;) {
      co_await services_.clock.sleep_for(kBetweenLooks);
      socket_.look();
      const SteadyTime now = services_.clock.steady_now();
      if (!has_started_ && now - opened_at_ > kStartup) co_return end("no startup message came");
      if (now - looked_at < kBetweenLooksAtSession) continue;
      looked_at = now;
      if (!co_await may_go_on()) co_return end("the session has ended");
    }
  }

  Task<bool> may_go_on() {
    auto known = co_await services_.authenticator.identify(request_);
    if (!known || (*known)->user.id != caller_.user.id || (*known)->kind != TokenKind::kLogin) co_return false;
    auto caller = co_await with_grants(services_, std::move(*known));
    // While the database is away nobody loses rights.
    if (!caller) co_return true;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      const Permission to_see = kKinds[i].to_see;
      if (followed_[i] && visible(**caller, to_see) != visible(caller_, to_see)) {
        followed_[i]->is_stale = true;
        came_.notify_all();
      }
    }
    caller_ = **caller;
    co_return true;
  }

  Task<bool> send(wire::Json message) { return socket_.write(wire::dump(message)); }

  void end(std::string reason) {
    status_ = http::kPolicyViolation;
    reason_ = std::move(reason);
  }

  ApiServices& services_;
  const http::Request& request_;
  Identity caller_;
  LiveHub::Place& place_;
  http::ClientStream& client_;
  http::WebSocket socket_;
  std::deque<StartupMessage> startups_;  // that came and were not answered yet
  Signal came_;
  std::array<std::optional<Followed>, 3> followed_;
  std::uint64_t last_ = services_.live.last();  // change that was seen
  std::int64_t seq_ = 0;
  bool is_open_ = false;
  bool has_started_ = false;
  int status_ = 0;  // with which it ends from here; 0: it does not
  std::string reason_;
  SteadyTime opened_at_;
};

}  // namespace

Task<Result<http::TakeoverEnd>> record_stream(ApiServices& services, Call call, http::ClientStream& client) {
  if (auto refused = http::websocket_refusal(call.request, client.is_http11, services.settings.own_hosts)) {
    co_return http::TakeoverEnd{.answer = std::move(*refused)};
  }
  const auto place = services.live.enter(call.caller.user.id, {{LiveKind::kModels}, {LiveKind::kWorkspaces}}, kWeight);
  DET_CO_TRY(place);
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  RecordStream stream(services, call.request, std::move(call.caller), **place, client, executor);
  co_await stream.run();
  co_return http::TakeoverEnd();
}

}  // namespace det::api::routes
