// GET /api/v1/live through the routes, and that the database tells of what changes.
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/detached.hpp>

#include "api/live/live_feed.h"
#include "pg/listener.h"
#include "store/channels.h"
#include "tests/api/fixture.h"
#include "tests/support/background.h"
#include "tests/support/run_task.h"

namespace det::api {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

// Reads until `enough`, then is gone. `on_first` happens once the stream has begun.
class Reader final : public http::Writer {
 public:
  Task<bool> write(std::string text) override {
    const bool is_first = seen.empty();
    seen += text;
    if (is_first && on_first) on_first();
    co_return !enough(seen);
  }
  std::string seen;
  std::function<void()> on_first = {};
  std::function<bool(const std::string&)> enough = {};
};

std::function<bool(const std::string&)> has(const std::string& text) {
  return [text](const std::string& seen) { return seen.contains(text); };
}

struct Live : ApiTest {
  http::Response open(const std::string& target, const std::string& last_event_id = {}) {
    request = http::Request();
    request.method = "GET";
    request.target = target;
    if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
    if (!last_event_id.empty()) request.headers.add("Last-Event-ID", last_event_id);
    auto parsed = http::parse_target(target).value();
    request.path = parsed.path;
    request.query = std::move(parsed.query);
    return run(router.find("GET", parsed.segments).route->handler(request));
  }
  // What comes until `text` has.
  std::string read(const http::Response& response, const std::string& text, std::function<void()> on_first = {}) {
    Reader reader;
    reader.enough = has(text);
    reader.on_first = std::move(on_first);
    run(read_stream(response.stream, reader));
    return reader.seen;
  }
  static Task<bool> read_stream(http::StreamBody stream, Reader& reader) {
    co_await stream(reader);
    co_return true;
  }
  void touch(LiveTopic topic, const std::string& id = {}) {
    live.touch(topic, id);
    live.flush();
  }
  std::string login(const std::string& name) {
    return must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }

  http::Request request;  // of the stream
};

TEST_F(Live, SaysHelloAndThenWhatChanged) {
  const auto response = open("/api/v1/live?watch=experiments&watch=tasks&watch=models");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.find("Content-Type"), "text/event-stream");
  EXPECT_EQ(response.headers.find("Cache-Control"), "no-store");
  const std::string seen = read(response, "\"a-b\"", [this] {
    live.touch({LiveKind::kExperiments}, "3");
    live.touch({LiveKind::kTasks}, "a-b");
    touch({LiveKind::kWorkspaces});
  });
  EXPECT_THAT(seen, HasSubstr("event: hello\ndata: {\"server\":\"" + live.server() + "\"}\n\n"));
  EXPECT_THAT(seen, HasSubstr("event: changed\ndata: {\"ids\":[3],\"topic\":\"experiments\"}\n\n"));
  EXPECT_THAT(seen, HasSubstr("event: changed\ndata: {\"ids\":[\"a-b\"],\"topic\":\"tasks\"}\n\n"));
  EXPECT_THAT(seen, Not(HasSubstr("workspaces")));
}

TEST_F(Live, GoesOnWhereItWasCut) {
  const std::string target = "/api/v1/live?watch=models";
  const std::string before = live.server() + "-" + std::to_string(live.last());
  touch({LiveKind::kModels});
  EXPECT_THAT(read(open(target, before), "models"),
              HasSubstr("id: " + live.server() + "-" + std::to_string(live.last()) + "\nevent: changed\n"));
  for (const char* old : {"other-1", "1", "", "x-", "-1"}) {
    const std::string id = std::string(old).empty() ? live.server() + "-999999" : old;
    EXPECT_THAT(read(open(target, id), "look-again"), HasSubstr("event: look-again\ndata: {\"topics\":[\"models\"]}"));
  }
  const auto lost = read(open(target), "look-again", [this] { live.lose(); });
  EXPECT_THAT(lost, HasSubstr("look-again"));
}

TEST_F(Live, OfSingleThingsOnlyThoseThatAreNamed) {
  const auto trial = started_trial();
  const std::string of_trial = "trial:" + to_string(trial.id);
  const auto response = open("/api/v1/live?watch=" + of_trial + "&watch=logs:" + trial.task_id + "&watch=logs:none");
  const std::string seen = read(response, "\"logs:" + trial.task_id + "\"}", [&] {
    live.touch({LiveKind::kTrial, trial.id.value + 1});
    live.touch({LiveKind::kLogs, trial.task_number});
    touch({LiveKind::kTrial, trial.id.value});
  });
  EXPECT_THAT(seen, HasSubstr("{\"topic\":\"" + of_trial + "\"}"));
  EXPECT_THAT(seen, HasSubstr("\"refused\":[\"logs:none\"]"));
}

TEST_F(Live, ForPeopleWhoAreLoggedInAlone) {
  const auto trial = started_trial("mine");
  EXPECT_EQ(get("/api/v1/live?watch=everything").status, 400);
  EXPECT_EQ(get("/api/v1/live").status, 400);
  std::string many = "/api/v1/live?watch=queue";
  for (int i = 1; i <= 64; ++i) many += "&watch=trial:" + std::to_string(i);
  EXPECT_EQ(get(many).status, 400);
  for (const char* task : {"mine", "usermine"}) {
    token = task;
    EXPECT_EQ(get("/api/v1/live?watch=queue").status, 403) << task;
  }
  token = "nobody";
  EXPECT_EQ(get("/api/v1/live?watch=queue").status, 401);
  token.clear();
  EXPECT_EQ(get("/api/v1/live?watch=queue").status, 401);
}

TEST_F(Live, EndsWithTheSession) {
  // While the stream is open, as another replica's logout is heard of.
  const auto log_out = [this]() -> Task<void> {
    co_await clock.sleep_for(100ms);
    static_cast<void>(co_await sessions.remove(sha256_hex(token)));
    authenticator.forget_all();
  };
  asio::co_spawn(io, log_out, asio::detached);
  const Answer answer = get("/api/v1/live?watch=queue");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.text, HasSubstr("hello")) << "and it ends by itself";
  EXPECT_EQ(get("/api/v1/live?watch=queue").status, 401);
}

// Of one workspace a viewer, of the other nobody.
struct LiveWithRoles : Live {
  LiveWithRoles() {
    const auto ann = must(users.create({.username = "ann", .display_name = {}, .password_hash = {}})).id;
    token = login("admin");
    const auto workspace =
        post("/api/v1/workspaces", {{"name", "there"}}).body()["workspace"].value("id", std::int64_t{0});
    const auto project =
        post("/api/v1/workspaces/" + std::to_string(workspace) + "/projects", {{"name", "p"}}).body()["project"];
    const Answer made =
        post("/api/v1/experiments", {{"config", kConst}, {"activate", false}, {"projectId", project["id"]}});
    seen = made.body()["experiment"].value("id", std::int64_t{0});
    hidden = create(kConst, false);
    must(role_assignments.ensure_cluster_admin());
    services.settings.master.authz = {.has_roles = true, .shows_roles = true};
    grants.forget_all();
    const json role = {{"role", {{"roleId", 4}}}, {"scopeWorkspaceId", workspace}};
    const json given = {{"userRoleAssignments", {{{"userId", ann.value}, {"roleAssignment", role}}}}};
    EXPECT_EQ(post("/api/v1/roles/add-assignments", given).status, 200);
    token = login("ann");
  }
  static std::string topic(std::int64_t id) { return "experiment:" + std::to_string(id); }

  std::int64_t seen = 0;
  std::int64_t hidden = 0;
};

TEST_F(LiveWithRoles, WhatIsHiddenIsRefusedLikeWhatThereIsNot) {
  const auto response = open("/api/v1/live?watch=" + topic(seen) + "&watch=" + topic(hidden) + "&watch=experiment:999" +
                             "&watch=trial:999&watch=logs:none");
  const std::string told = read(response, "\"" + topic(seen) + "\"}", [this] {
    live.touch({LiveKind::kExperiment, hidden});
    touch({LiveKind::kExperiment, seen});
  });
  EXPECT_THAT(told,
              HasSubstr("\"refused\":[\"" + topic(hidden) + "\",\"experiment:999\",\"trial:999\",\"logs:none\"]"));
  EXPECT_THAT(told, Not(HasSubstr("{\"topic\":\"" + topic(hidden))));
}

TEST_F(LiveWithRoles, IdsOfAListAreForThoseWhoSeeAllOfIt) {
  const auto change = [this] { touch({LiveKind::kExperiments}, std::to_string(hidden)); };
  const std::string told = read(open("/api/v1/live?watch=experiments"), "changed", change);
  EXPECT_THAT(told, HasSubstr("data: {\"topic\":\"experiments\"}\n"));
  token = login("admin");
  EXPECT_THAT(read(open("/api/v1/live?watch=experiments"), "changed", change),
              HasSubstr("\"ids\":[" + std::to_string(hidden) + "]"));
}

// The whole way: a row changes, the database tells, and the hub hears of it.
struct LiveDatabase : Live {
  LiveDatabase() {
    background.start(live.run([](std::vector<std::string>) -> Task<Status> { co_return Status(); }));
    background.start(listener.run());
    test::run_until(io, [this] { return is_listening; });
  }
  std::string changes(const std::string& topic, std::function<void()> change) {
    const std::string id = live.server() + "-" + std::to_string(live.last());
    change();
    return read(open("/api/v1/live?watch=" + topic, id), "event: changed");
  }

  bool is_listening = false;
  pg::Listener listener{
      clock, url, store::all_channels(),
      [this](const std::string& channel, const std::string& payload) { feed_live(live, channel, payload); },
      [this] { is_listening = true; }};
  test::Background background{io};
};

TEST_F(LiveDatabase, RowsThatChangeAreTold) {
  std::int64_t id = 0;
  EXPECT_THAT(changes("experiments", [&] { id = create(); }), HasSubstr("\"topic\":\"experiments\""));
  EXPECT_THAT(changes("experiments",
                      [&] {
                        must(experiments.patch(
                            {id}, {.title = "new", .description = {}, .labels = {}, .notes = {}, .live = {}}));
                      }),
              HasSubstr("\"ids\":[" + std::to_string(id) + "]"));
  EXPECT_THAT(changes("workspaces", [&] { EXPECT_EQ(post("/api/v1/workspaces", {{"name", "w"}}).status, 200); }),
              HasSubstr("\"topic\":\"workspaces\""));
  EXPECT_THAT(changes("models", [&] { EXPECT_EQ(post("/api/v1/models", {{"name", "m"}}).status, 200); }),
              HasSubstr("\"topic\":\"models\""));
  EXPECT_THAT(changes("tasks", [&] { insert_task("NOTEBOOK", "mine"); }), HasSubstr("\"topic\":\"tasks\""));
  EXPECT_THAT(changes("queue", [&] { started_trial(); }), HasSubstr("\"topic\":\"queue\""));
}

}  // namespace
}  // namespace det::api
