// GET /api/v1/experiments/{id}/searcher/replay: a route of ours. The search of an experiment, derived again from its
// event log, one line per event:
//   {"result":{"seq":1,"time":..,"event":{..},"decisions":[{..}]}}   forms of searcher/event_json.h, with "trial"
//   beside
//                                                                     each request id whose trial has a number
//   {"result":{"difference":".."}}   the last line when the log does not replay; it names the event
//   {"result":{"summary":{..}}}      else the last line, with the brackets and rungs of searcher/outline.h
// With `after` and `limit` only some of the events have a line; all are taken in.

#include <map>
#include <memory>
#include <unordered_map>

#include "api/arguments.h"
#include "api/searches/routes.h"
#include "base/guarded_work.h"
#include "base/json_get.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"
#include "searcher/outline.h"
#include "searcher/replay.h"
#include "wire/error.h"
#include "wire/log_record.h"

namespace det::api::routes {

namespace {

constexpr int kPage = 500;               // events between two writes, or fewer that are large
constexpr std::size_t kBestOfRung = 20;  // that are named

constexpr std::int64_t kLastEvent = 1'000'000'000'000;

// Which events have a line.
struct Part {
  std::int64_t after = 0;
  std::int64_t limit = 0;  // 0: all that come then
};

// A search that names no direction looks for the smallest.
bool smaller_is_better(const wire::Json& config) {
  return get_any(get_any(config, "searcher"), "smaller_is_better") != wire::Json(false);
}

class ReplayStream {
 public:
  ReplayStream(ApiServices& services, const store::ExperimentRow& experiment, searcher::Search search, Part part,
               http::Writer& writer)
      : services_(services), experiment_(experiment), search_(std::move(search)), part_(part), writer_(writer) {}

  Task<Status> run() {
    // The numbers first: trials that are made meanwhile go without one.
    auto numbers = co_await services_.stores.trials.numbers(experiment_.id);
    DET_CO_TRY(numbers);
    numbers_ = std::move(*numbers);
    for (bool is_all = false; !is_all;) {
      auto page = co_await services_.stores.searcher.events(experiment_.id, replay_.seq(), kPage);
      DET_CO_TRY(page);
      // On a pool: half a thousand events of a large search take longer than the io thread has.
      auto work = [this, events = std::move(page->events)]() mutable {
        std::string lines;
        for (auto& entry : events) {
          if (!append(lines, std::move(entry))) break;
        }
        return lines;
      };
      std::string lines = co_await run_guarded(services_.workers, std::move(work));
      is_all = page->is_all || is_broken_;
      if (is_all && !is_broken_) lines += wire::frame({{"summary", co_await summary()}});
      if (!co_await writer_.write(std::move(lines))) co_return Status();
    }
    co_return Status();
  }

 private:
  // False after the line that says how the log differs.
  bool append(std::string& lines, store::SearcherEvent entry) {
    wire::Json event = entry.event;
    const auto replayed =
        replay_.take({.seq = entry.seq, .event = std::move(entry.event), .decisions = std::move(entry.decisions)});
    if (!replayed) {
      is_broken_ = true;
      lines += wire::frame({{"difference", replayed.error().message}});
      return false;
    }
    if (!replayed->event) ++set_aside_;
    name_trial(event);
    wire::Json decisions = wire::Json::array();
    for (const auto& decision : replayed->decisions) {
      wire::Json one = searcher::to_json(decision);
      counts_[one.at("t").get<std::string>()] += 1;
      name_trial(one);
      decisions.push_back(std::move(one));
    }
    const bool is_wanted = entry.seq > part_.after && (part_.limit == 0 || entry.seq <= part_.after + part_.limit);
    if (!is_wanted) return true;
    lines += wire::frame({{"seq", entry.seq},
                          {"time", wire::time(entry.time)},
                          {"event", std::move(event)},
                          {"decisions", std::move(decisions)}});
    return true;
  }

  void name_trial(wire::Json& object) const {
    const auto id = object.is_object() ? object.find("id") : object.end();
    if (id == object.end() || !id->is_string()) return;
    const auto number = numbers_.find(id->get_ref<const std::string&>());
    if (number != numbers_.end()) object["trial"] = number->second.value;
  }

  // On a pool: of many trials it takes longer than the io thread has.
  Task<wire::Json> brackets() {
    auto work = [this] {
      return searcher::outline_of(search_.rungs(), smaller_is_better(experiment_.config), kBestOfRung);
    };
    wire::Json brackets = co_await run_guarded(services_.workers, std::move(work));
    for (wire::Json& bracket : brackets) {
      for (wire::Json& rung : bracket["rungs"]) {
        for (wire::Json& result : rung["best"]) name_trial(result);
      }
    }
    co_return brackets;
  }

  Task<wire::Json> summary() {
    wire::Json decisions = wire::Json::object();
    for (const auto& [kind, count] : counts_) decisions[kind] = count;
    wire::Json summary = {{"experiment", experiment_.id.value},
                          {"events", replay_.seq()},
                          {"setAside", set_aside_},
                          {"decisions", std::move(decisions)},
                          {"isOver", search_.is_over()}};
    if (wire::Json found = co_await brackets(); !found.empty()) summary["brackets"] = std::move(found);
    co_return summary;
  }

  ApiServices& services_;
  const store::ExperimentRow& experiment_;  // lives as long as the stream
  searcher::Search search_;
  Part part_;
  searcher::Replay replay_{search_};
  http::Writer& writer_;
  std::unordered_map<std::string, model::TrialId> numbers_;
  std::map<std::string, std::int64_t> counts_;  // decisions by kind
  std::int64_t set_aside_ = 0;
  bool is_broken_ = false;
};

struct AskedReplay {
  StreamGate::Pass pass;
  store::ExperimentRow experiment;
  Part part;
};

Task<void> write_replay(ApiServices& services, std::shared_ptr<const AskedReplay> asked, http::Writer& writer) {
  searcher::Search search = searcher::search_of(asked->experiment.config).value();
  ReplayStream stream(services, asked->experiment, std::move(search), asked->part, writer);
  const Status done = co_await stream.run();
  if (!done) co_await writer.write(wire::dump(wire::stream_error(done.error())) + "\n");
}

}  // namespace

Task<Result<http::Response>> replay_search(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  QueryArguments query(call.request.query);
  const Part part{.after = query.integer("after").value_or(0), .limit = query.integer("limit").value_or(0)};
  DET_CO_TRY(query.status());
  if (part.after < 0 || part.limit < 0 || part.after > kLastEvent || part.limit > kLastEvent) {
    co_return fail(ErrorCode::kInvalidArgument, "after and limit: expected numbers of events from 0 up", "after");
  }
  auto row = co_await services.stores.experiments.find(model::ExperimentId{*id});
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  DET_CO_TRY(searcher::search_of((*row)->config));
  // It holds a search of its own for as long as its client reads.
  auto pass = services.replays.enter(call.caller.user.username);
  DET_CO_TRY(pass);
  auto asked = std::make_shared<const AskedReplay>(
      AskedReplay{.pass = std::move(*pass), .experiment = std::move(**row), .part = part});
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.stream = [&services, asked = std::move(asked)](http::Writer& writer) {
    return write_replay(services, asked, writer);
  };
  co_return response;
}

}  // namespace det::api::routes
