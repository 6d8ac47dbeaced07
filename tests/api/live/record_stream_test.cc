// GET /stream: a websocket over a real connection, with notifications of PostgreSQL.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/use_future.hpp>

#include "api/live/live_feed.h"
#include "http/websocket_frames.h"
#include "pg/listener.h"
#include "store/channels.h"
#include "tests/api/fixture.h"
#include "tests/http/raw_client.h"

namespace det::api {
namespace {

using testing::HasSubstr;

// A client that sends and reads whole text messages.
class Follower {
 public:
  Follower(std::uint16_t port, const std::string& token, const std::string& origin = {}) : client_(port) {
    client_.send(
        "GET /stream HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: "
        "13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
        (token.empty() ? "" : "Cookie: auth=" + token + "\r\n") + (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
        "\r\n");
    head = client_.read_until("\r\n\r\n");
  }
  [[nodiscard]] bool is_open() const { return head.starts_with("HTTP/1.1 101"); }

  void send(const json& message) {
    const std::string text = message.dump();
    std::string bytes = http::frame(http::Opcode::kText, text);
    bytes[1] = static_cast<char>(static_cast<unsigned char>(bytes[1]) | 0x80U);
    client_.send(bytes.insert(bytes.size() - text.size(), 4, '\0'));
  }
  // The next message, or why it ends: {"close": 1008, "reason": "..."}.
  json next() {
    for (;;) {
      const std::string start = client_.read_exactly(2);
      if (start.size() < 2) return {{"close", 0}};
      const auto opcode = static_cast<unsigned char>(start[0]) & 0x0fU;
      std::size_t size = static_cast<unsigned char>(start[1]);
      if (size >= 126) {
        const std::string more = client_.read_exactly(size == 126 ? 2 : 8);
        size = 0;
        for (const char c : more) size = size << 8U | static_cast<unsigned char>(c);
      }
      const std::string payload = client_.read_exactly(size);
      if (opcode == 1) return json::parse(payload);
      if (opcode != 8) continue;
      const int status = static_cast<unsigned char>(payload[0]) << 8 | static_cast<unsigned char>(payload[1]);
      return {{"close", status}, {"reason", payload.substr(2)}};
    }
  }
  // Subscribes, and gives what comes until that is complete, without its begin and end.
  std::vector<json> subscribe(const json& subscriptions, const json& known = json::object()) {
    send({{"sync_id", "s"}, {"known", known}, {"subscribe", subscriptions}});
    EXPECT_EQ(next(), (json{{"sync_id", "s"}, {"complete", false}}));
    std::vector<json> told;
    for (;;) {
      json message = next();
      if (message == json{{"sync_id", "s"}, {"complete", true}}) return told;
      told.push_back(std::move(message));
      if (told.back().contains("close")) return told;
    }
  }

  std::string head;

 private:
  http::RawClient client_;
};

struct RecordStreams : ApiTest {
  RecordStreams() : server(io.get_executor(), {}, router), background(io.get_executor()) {
    home = must(workspaces.create({.name = "home", .owner = {2}, .agent = {}, .defaults = {}}));
    project = must(projects.create({.workspace = home, .name = "first", .description = {}, .key = {}, .owner = {2}}));
  }
  ~RecordStreams() override {
    if (!thread.joinable()) return;
    on_io(stop());
    guard.reset();
    thread.join();
  }
  // From then on the io thread is another one.
  void begin() {
    const Status started = server.start();
    ASSERT_TRUE(started) << started.error().message;
    background.spawn("listener", listener.run());
    background.spawn("hub", live.run([](std::vector<std::string>) -> Task<Status> { co_return Status(); }));
    guard.emplace(asio::make_work_guard(io));
    io.restart();
    thread = std::thread([this] { io.run(); });
    listening.get_future().wait();
  }
  template <typename T>
  T on_io(Task<T> task) {
    return asio::co_spawn(io, std::move(task), asio::use_future).get();
  }
  Task<Status> stop() {
    co_await server.stop();
    background.cancel();
    co_await background.join();
    co_return Status();
  }
  Follower follower() { return {server.port(), token}; }
  static json of_workspace(std::int64_t id) { return {{"projects", {{"workspace_ids", {id}}}}}; }
  void rename(model::ProjectId id, const std::string& name) {
    EXPECT_TRUE(on_io(projects.change(id, {.name = name, .description = {}, .key = {}})));
  }
  std::string login(const std::string& name) {
    return must(authenticator.login({.username = name, .password = "", .is_hashed = true, .peer = ""})).token;
  }
  model::WorkspaceId other_workspace() {
    return {post("/api/v1/workspaces", {{"name", "there"}}).body()["workspace"].value("id", std::int64_t{0})};
  }

  model::WorkspaceId home;
  model::ProjectId project;
  http::Server server;
  TaskGroup background;
  std::promise<void> listening;
  bool is_listening = false;
  pg::Listener listener{
      clock, url, store::all_channels(),
      [this](const std::string& channel, const std::string& payload) { feed_live(live, channel, payload); },
      [this] {
        live.lose();
        if (!std::exchange(is_listening, true)) listening.set_value();
      }};
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> guard;
  std::thread thread;
};

TEST_F(RecordStreams, ReadLargeRecordsAFewAtATime) {
  sql("INSERT INTO projects (name, workspace_id, owner_id, description) SELECT 'p' || i, " + to_string(home) +
      ", 2, repeat('x', 400000) FROM generate_series(1, 5) i");
  const auto read = [this](std::vector<std::int64_t> ids) {
    std::vector<std::int64_t> got;
    for (const auto& record : must(records.read(store::RecordKind::kProject, {.ids = ids}, ids)))
      got.push_back(record.id);
    return got;
  };
  const std::int64_t first = project.value + 1;
  EXPECT_EQ(read({first, first + 1, first + 2, first + 3}), (std::vector<std::int64_t>{first, first + 1}));
  sql("UPDATE projects SET description = repeat('x', 1500000) WHERE id = " + std::to_string(first));
  EXPECT_EQ(read({first, first + 1}), std::vector<std::int64_t>{first}) << "at least one";
  begin();
  Follower who = follower();
  EXPECT_EQ(who.subscribe(of_workspace(home.value)).size(), 6U) << "all come";
}

TEST_F(RecordStreams, TellWhatFitsAndThenWhatChanges) {
  const auto there = other_workspace();
  begin();
  Follower client = follower();
  ASSERT_TRUE(client.is_open()) << client.head;
  const std::string id = to_string(project);
  const auto told = client.subscribe({{"projects", {{"workspace_ids", {home.value}}, {"project_ids", {1}}}}},
                                     {{"projects", "1," + id + ",90-91"}});
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0], (json{{"projects_deleted", "90-91"}}));
  EXPECT_EQ(told[1]["project"]["name"], "Uncategorized");
  EXPECT_EQ(told[1]["project"]["immutable"], true);
  const json first = told[2]["project"];
  EXPECT_GT(first["seq"], told[1]["project"]["seq"]);
  EXPECT_EQ(first["id"], project.value);
  EXPECT_EQ(first["workspace_id"], home.value);
  EXPECT_EQ(first["user_id"], 2);
  EXPECT_EQ(first["state"], "UNSPECIFIED");
  EXPECT_EQ(first["notes"], json::array());
  EXPECT_TRUE(parse_rfc3339(first.value("created_at", "")));

  rename(project, "renamed");
  const json changed = client.next()["project"];
  EXPECT_EQ(changed["name"], "renamed");
  EXPECT_GT(changed["seq"], first["seq"]);
  EXPECT_TRUE(on_io(projects.move(project, there)));
  EXPECT_EQ(client.next(), (json{{"projects_deleted", id}})) << "it is not of this workspace any more";
  EXPECT_TRUE(on_io(projects.move(project, home)));
  EXPECT_EQ(client.next()["project"]["name"], "renamed");
}

TEST_F(RecordStreams, OfModelsAndTheirVersions) {
  const auto trial = started_trial();
  const std::string uuid = uuid_v4();
  must(checkpoints.report({.uuid = uuid,
                           .task_id = trial.task_id,
                           .allocation_id = trial.task_id + ".1",
                           .report_time = WallTime(std::chrono::seconds(1)),
                           .steps = 1,
                           .resources = {{"a", 100}}}));
  const auto model = must(models.create({.name = "m",
                                         .description = "d",
                                         .metadata = {{"a", 1}},
                                         .labels = {"x"},
                                         .notes = "n",
                                         .owner = {2},
                                         .workspace = {1}}));
  begin();
  Follower client = follower();
  const auto told =
      client.subscribe({{"models", {{"user_ids", {2}}}}, {"modelversions", {{"model_ids", {model.id.value}}}}});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0]["model"]["name"], "m");
  EXPECT_EQ(told[0]["model"]["labels"], json({"x"}));
  EXPECT_EQ(told[0]["model"]["metadata"], (json{{"a", 1}}));
  const auto version = on_io(model_versions.add(
      {.model = model.id, .checkpoint = uuid, .name = "best", .comment = {}, .labels = {}, .notes = {}, .owner = {1}}));
  ASSERT_TRUE(version) << version.error().message;
  std::map<std::string, json> news;
  while (!news.contains("modelversion")) news.merge(client.next().get<std::map<std::string, json>>());
  EXPECT_EQ(news["modelversion"]["checkpoint_uuid"], uuid);
  EXPECT_EQ(news["modelversion"]["version"], 1);
  EXPECT_EQ(news["modelversion"]["model_id"], model.id.value);
  EXPECT_EQ(news["modelversion"]["workspace_id"], "1") << "a text, as Determined has it";
  EXPECT_TRUE(on_io(models.remove(model.id)));
  while (!news.contains("models_deleted") || !news.contains("modelversions_deleted")) {
    news.merge(client.next().get<std::map<std::string, json>>());
  }
  EXPECT_EQ(news["models_deleted"], to_string(model.id));
}

TEST_F(RecordStreams, SubscribeAnewAtAnyTime) {
  begin();
  Follower client = follower();
  EXPECT_EQ(client.subscribe(of_workspace(home.value)).size(), 1U);
  EXPECT_EQ(client.subscribe({{"projects", {{"project_ids", {project.value}}}}}).size(), 1U);
  EXPECT_EQ(client.subscribe({{"projects", json::object()}}, {{"projects", "1"}}),
            (std::vector<json>{{{"projects_deleted", "1"}}}))
      << "what nothing is asked of is gone";
  EXPECT_TRUE(client.subscribe(json::object()).empty());
}

TEST_F(RecordStreams, SayWhatIsWrongAndEnd) {
  begin();
  Follower client = follower();
  client.send({{"subscribe", {{"projects", {{"workspace_ids", {-1}}}}}}});
  EXPECT_EQ(client.next(), (json{{"close", 1008}, {"reason", "workspace_ids has an invalid id: -1"}}));
}

TEST_F(RecordStreams, AreOfPeopleWhoAreLoggedIn) {
  started_trial("mine");
  EXPECT_EQ(get("/stream").status, 426) << "it is no page";
  begin();
  EXPECT_THAT(Follower(server.port(), "").head, HasSubstr(" 401 "));
  EXPECT_THAT(Follower(server.port(), "nobody").head, HasSubstr(" 401 "));
  EXPECT_THAT(Follower(server.port(), token, "http://evil.example").head, HasSubstr(" 403 "));
  EXPECT_TRUE(Follower(server.port(), token, "http://here").is_open());
  for (const char* task : {"mine", "usermine"}) {
    EXPECT_THAT(Follower(server.port(), task).head, HasSubstr(" 403 ")) << task;
  }
}

TEST_F(RecordStreams, EndWithTheSession) {
  begin();
  Follower client = follower();
  client.subscribe(of_workspace(home.value));
  const auto log_out = [this]() -> Task<Status> {
    Status removed = co_await sessions.remove(sha256_hex(token));
    authenticator.forget_all();
    co_return removed;
  };
  EXPECT_TRUE(on_io(log_out()));
  EXPECT_EQ(client.next(), (json{{"close", 1008}, {"reason", "the session has ended"}}));
}

TEST_F(RecordStreams, AreNotTakenAllByOne) {
  begin();
  std::vector<std::unique_ptr<Follower>> open;
  for (int i = 0; i < 64; ++i) {
    open.push_back(std::make_unique<Follower>(server.port(), token));
    ASSERT_TRUE(open.back()->is_open()) << i << " " << open.back()->head;
  }
  EXPECT_THAT(follower().head, HasSubstr(" 429 "));
}

// Of one workspace a viewer, of the other nobody.
TEST_F(RecordStreams, ShowWhatTheCallerMaySee) {
  const auto ann = must(users.create({.username = "ann", .display_name = {}, .password_hash = {}})).id;
  token = login("admin");
  const auto there = other_workspace();
  must(role_assignments.ensure_cluster_admin());
  services.settings.master.authz = {.has_roles = true, .shows_roles = true};
  grants.forget_all();
  const json role = {{"role", {{"roleId", 4}}}, {"scopeWorkspaceId", there.value}};
  const json given = {{"userRoleAssignments", {{{"userId", ann.value}, {"roleAssignment", role}}}}};
  EXPECT_EQ(post("/api/v1/roles/add-assignments", given).status, 200);
  token = login("ann");
  begin();
  Follower client = follower();
  const std::string id = to_string(project);
  EXPECT_EQ(client.subscribe({{"projects", {{"workspace_ids", {home.value, there.value}}}}}, {{"projects", id}}),
            (std::vector<json>{{{"projects_deleted", id}}}))
      << "what is hidden is told like what is gone";
  EXPECT_TRUE(on_io(projects.move(project, there)));
  EXPECT_EQ(client.next()["project"]["id"], project.value);
  // The role goes: so does what it showed.
  const auto take_away = [&]() -> Task<Status> {
    Status removed =
        co_await role_assignments.remove({{.role = {4}, .user = ann, .group = std::nullopt, .workspace = there}});
    grants.forget_all();
    co_return removed;
  };
  EXPECT_TRUE(on_io(take_away()));
  EXPECT_EQ(client.next(), (json{{"projects_deleted", id}}));
}

}  // namespace
}  // namespace det::api
