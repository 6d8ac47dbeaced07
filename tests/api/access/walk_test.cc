// Every route, held against roles: what each role lets through in the workspace it is assigned to, and that it lets
// nothing through in another one. What is expected stands here, written down from Determined's rules, and knows nothing
// of the table of routes.
#include <iostream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "api/access_check.h"
#include "api/authorize.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct NamedRole {
  const char* name;
  std::int64_t role;  // 0: none
  bool everywhere;
};

// In the order of the letters below.
constexpr NamedRole kRoles[] = {
    {"nobody", 0, false},
    {"Viewer", 4, false},
    {"Editor", 5, false},
    {"EditorRestricted", 7, false},
    {"WorkspaceAdmin", 2, false},
    {"WorkspaceCreator", 3, true},
    {"ModelRegistryViewer", 6, false},
    {"ClusterAdmin", 1, true},
};

// y: let through; d: 403; h: 404, as if it were not there.
constexpr const char* kEverybody = "yyyyyyyy";
constexpr const char* kSee = "hyyyyhhy";         // experiments, tasks, workspaces, projects, templates
constexpr const char* kEdit = "hdyyyhhy";        // what editors change
constexpr const char* kTasks = "hdydyhhy";       // what restricted editors do not
constexpr const char* kAdminister = "hdddyhhy";  // workspaces, and projects that are deleted
constexpr const char* kSeeModel = "hyyyyhyy";
constexpr const char* kEditModel = "hdyyyhdy";
constexpr const char* kCluster = "dddddddy";
constexpr const char* kMakeWorkspace = "dddddydy";
constexpr const char* kSeePolicies = "dddddydy";  // the global ones: who has the role everywhere
constexpr const char* kNamespaces = "hddddhhy";   // what only administrators of the cluster set of a workspace
constexpr const char* kHandler = "handler";       // tests/api/access/access_test.cc

struct Expected {
  const char* start;  // of "METHOD /path", the longest one counts
  const char* letters;
};

constexpr Expected kExpected[] = {
    {"GET /", kEverybody},  // itself only
    {"GET /info", kEverybody},
    {"GET /health", kEverybody},
    {"GET /ready", kEverybody},
    {"GET /metrics", kEverybody},
    {"GET /prom/", kEverybody},
    {"GET /harness/", kEverybody},
    {"GET /det/", kEverybody},
    {"GET /docs", kEverybody},
    {"GET /ui/", kEverybody},
    {"GET /oidc", kEverybody},
    {"GET /api/v1/openapi.json", kEverybody},
    {"GET /api/v1/master", kEverybody},
    {"GET /api/v1/me", kEverybody},
    {"GET /api/v1/live", kHandler},
    {"GET /stream", kHandler},
    {"GET /api/v1/users", kEverybody},
    {"GET /api/v1/resource-pools", kEverybody},
    {"GET /api/v1/permissions/summary", kEverybody},
    {"POST /api/v1/auth/", kEverybody},
    {"POST /api/v1/preview-hp-search", kEverybody},
    {"POST /searcher/preview", kEverybody},
    {"POST /api/v1/runs/start", kHandler},
    {"POST /api/v1/users/setting", kEverybody},
    {"GET /api/v1/agents", kEverybody},
    {"POST /api/v1/agents/", kCluster},
    {"GET /agents", kEverybody},
    {"PATCH /agents/", kCluster},
    {"POST /api/v1/resource-pools/", kCluster},
    {"PUT /api/v1/resource-pools/", kCluster},
    {"DELETE /api/v1/resource-pools/", kCluster},
    {"GET /api/v1/resources/allocation/", kCluster},
    {"GET /resources/allocation/", kCluster},
    {"POST /login", kEverybody},
    {"POST /logout", kEverybody},
    {"GET /users", kEverybody},
    {"GET /logs", kCluster},
    {"GET /config", kCluster},
    {"GET /templates", kHandler},
    {"GET /templates/{name}", kSee},
    {"PUT /templates/{name}", kHandler},
    {"DELETE /templates/{name}", kEdit},
    {"PATCH /experiments/{id}", kEdit},
    {"GET /api/v1/auth/user", kEverybody},
    {"POST /api/v1/users/activity", kHandler},
    {"GET /api/v1/user/projects/activity", kHandler},
    {"PUT /api/v1/experiments/by-external-id/", kHandler},
    {"POST /api/v1/trials", kHandler},
    {"PUT /api/v1/trials", kHandler},
    {"GET /api/v1/trials/by-external-id/", kHandler},
    {"PATCH /api/v1/trials/{id}", kEdit},
    {"POST /task-logs", kHandler},
    {"PUT /api/v1/templates/{name}", kHandler},
    {"PATCH /api/v1/template/rename", kHandler},
    {"PATCH /api/v1/master/", kCluster},
    {"POST /api/v1/workspaces/{id}/namespace-bindings", kNamespaces},
    {"DELETE /api/v1/workspaces/{id}/namespace-bindings", kNamespaces},
    {"POST /api/v1/workspaces/{id}/set-resource-quota", kNamespaces},
    {"GET /api/v1/namespace-bindings/", kHandler},
    {"POST /api/v1/namespace-bindings/", kHandler},
    {"GET /api/v1/allocations/{id}", kSee},
    {"GET /api/v1/allocations/{id}/", kTasks},
    {"POST /api/v1/allocations/", kTasks},
    {"GET /api/v1/checkpoints/{uuid}", kSee},
    {"GET /checkpoints/{uuid}", kSee},
    {"POST /api/v1/checkpoints", kHandler},
    {"POST /api/v1/checkpoints/{uuid}/metadata", kEdit},
    {"PATCH /api/v1/checkpoints", kHandler},
    {"DELETE /api/v1/checkpoints", kHandler},
    {"GET /experiments/{id}/", kSee},
    {"GET /api/v1/held-checkpoints", kCluster},
    {"POST /api/v1/held-", kCluster},
    {"GET /api/v1/held-logs", kCluster},
    {"POST /api/v1/cleanup_logs", kCluster},
    {"GET /api/v1/master/", kCluster},
    {"GET /api/v1/master/telemetry", kEverybody},
    {"GET /api/v1/k8s-resource-managers", kEverybody},
    {"PUT /api/v1/master/", kCluster},
    {"DELETE /api/v1/master/", kCluster},
    {"GET /api/v1/experiments", kHandler},
    {"POST /api/v1/experiments", kHandler},
    {"GET /api/v1/experiments/{id}", kSee},
    {"GET /api/v1/experiment/labels", kHandler},
    {"POST /api/v1/experiments/{id}/", kEdit},
    {"POST /api/v1/experiments/{id}/file", kSee},
    {"PATCH /api/v1/experiments/{id}", kEdit},
    {"PUT /api/v1/experiments/{id}/", kEdit},
    {"DELETE /api/v1/experiments/{id}", kEdit},
    {"GET /api/v1/experiments/{id}/searcher_events", kEdit},
    {"GET /api/v1/experiments/metrics-stream/metric-names", kHandler},
    {"GET /api/v1/job-queues", kHandler},
    {"POST /api/v1/job-queues", kHandler},
    {"GET /api/v1/job-queues/stats", kEverybody},
    {"GET /api/v1/trials/{id}", kSee},
    {"GET /api/v1/trials/{id}/searcher/operation", kEdit},
    {"POST /api/v1/trials/{id}/", kEdit},
    {"PUT /api/v1/trials/{id}/", kEdit},
    {"GET /api/v1/trials/metrics/", kHandler},
    {"GET /api/v1/trials/time-series", kHandler},
    {"POST /api/v1/trials/profiler/metrics", kHandler},
    {"POST /api/v1/trial-source-info", kHandler},
    {"GET /api/v1/runs/{id}/metadata", kSee},
    {"POST /api/v1/runs/{id}/metadata", kEdit},
    {"POST /api/v1/runs", kHandler},
    {"POST /api/v1/experiments-search", kHandler},
    {"POST /api/v1/task/logs", kHandler},
    {"GET /api/v1/tasks", kHandler},
    {"GET /tasks", kHandler},
    {"GET /api/v1/tasks/count", kEverybody},
    {"GET /api/v1/tasks/{id}", kSee},
    {"POST /api/v1/tasks/{id}/", kTasks},
    {"POST /api/v1/generic-tasks", kHandler},
    {"GET /api/v1/notebooks", kHandler},
    {"POST /api/v1/notebooks", kHandler},
    {"GET /api/v1/notebooks/{id}", kSee},
    {"POST /api/v1/notebooks/{id}/", kTasks},
    {"PUT /api/v1/notebooks/{id}/", kTasks},
    {"GET /api/v1/shells", kHandler},
    {"POST /api/v1/shells", kHandler},
    {"GET /api/v1/shells/{id}", kSee},
    {"POST /api/v1/shells/{id}/", kTasks},
    {"GET /api/v1/commands", kHandler},
    {"POST /api/v1/commands", kHandler},
    {"GET /api/v1/commands/{id}", kSee},
    {"POST /api/v1/commands/{id}/", kTasks},
    {"GET /api/v1/tensorboards", kHandler},
    {"POST /api/v1/tensorboards", kHandler},
    {"GET /api/v1/tensorboards/{id}", kSee},
    {"POST /api/v1/tensorboards/{id}/", kTasks},
    {"GET /api/v1/templates", kHandler},
    {"GET /api/v1/templates/{name}", kSee},
    {"POST /api/v1/templates/{name}", kHandler},
    {"PATCH /api/v1/templates/{name}", kEdit},
    {"DELETE /api/v1/templates/{name}", kEdit},
    {"POST /api/v1/users", kCluster},
    {"PATCH /api/v1/users", kCluster},
    {"GET /api/v1/tokens", kHandler},
    {"POST /api/v1/tokens", kHandler},
    {"PATCH /api/v1/tokens", kHandler},
    {"GET /api/v1/webhooks", kHandler},
    {"POST /api/v1/webhooks", kHandler},
    {"PATCH /api/v1/webhooks", kHandler},
    {"DELETE /api/v1/webhooks", kHandler},
    {"GET /api/v1/workspaces", kHandler},
    {"GET /api/v1/workspaces/{id}", kSee},
    {"POST /api/v1/workspaces", kMakeWorkspace},
    {"PATCH /api/v1/workspaces/{id}", kSee},  // what of it may be changed depends on the field
    {"DELETE /api/v1/workspaces/{id}", kAdminister},
    {"POST /api/v1/workspaces/{id}/archive", kAdminister},
    {"POST /api/v1/workspaces/{id}/unarchive", kAdminister},
    {"POST /api/v1/workspaces/{id}/pin", kSee},
    {"POST /api/v1/workspaces/{id}/unpin", kSee},
    {"GET /api/v1/workspaces/{id}/projects", kHandler},
    {"POST /api/v1/workspaces/{id}/projects", kEdit},
    {"GET /api/v1/config-policies/global/", kSeePolicies},
    {"PUT /api/v1/config-policies/global/", kCluster},
    {"DELETE /api/v1/config-policies/global/", kCluster},
    {"GET /api/v1/config-policies/workspaces/", kSee},
    {"PUT /api/v1/config-policies/workspaces/", kAdminister},
    {"DELETE /api/v1/config-policies/workspaces/", kAdminister},
    {"GET /api/v1/projects/{id}", kSee},
    {"GET /api/v1/projects/key/", kHandler},
    {"PATCH /api/v1/projects/{id}", kEdit},
    {"DELETE /api/v1/projects/{id}", kAdminister},
    {"POST /api/v1/projects/{id}/", kEdit},
    {"PUT /api/v1/projects/{id}/", kEdit},
    {"POST /api/v1/projects/{id}/move", kAdminister},
    {"POST /api/v1/projects/{id}/experiments/", kHandler},
    {"DELETE /api/v1/projects/{id}/experiments/", kHandler},
    {"PUT /api/v1/projects/{id}/experiments/", kHandler},
    {"POST /api/v1/projects/{id}/experiments/move", kEdit},
    {"GET /api/v1/models", kHandler},
    {"POST /api/v1/models", kHandler},
    {"GET /api/v1/model/labels", kHandler},
    {"GET /api/v1/models/{name}", kSeeModel},
    {"POST /api/v1/models/{name}/", kEditModel},
    {"PATCH /api/v1/models/{name}", kEditModel},
    {"DELETE /api/v1/models/{name}", kEditModel},
    {"POST /api/v1/groups/search", kHandler},
    {"GET /api/v1/groups/{id}", kHandler},
    {"POST /api/v1/groups", kCluster},
    {"PUT /api/v1/groups/", kCluster},
    {"DELETE /api/v1/groups/", kCluster},
    {"GET /api/v1/roles/", kHandler},
    {"POST /api/v1/roles/", kHandler},
};

const char* expected_of(const std::string& route) {
  const Expected* best = nullptr;
  for (const Expected& one : kExpected) {
    if (!route.starts_with(one.start) || (std::string_view(one.start) == "GET /" && route != one.start)) continue;
    if (best == nullptr || std::string_view(one.start).size() > std::string_view(best->start).size()) best = &one;
  }
  return best == nullptr ? "" : best->letters;
}

struct Walk : ApiTest {
  Walk() {
    services.settings.master.authz.has_roles = true;
    workspace = must(workspaces.create({.name = "there", .owner = {1}, .agent = {}, .defaults = {}}));
    project = must(projects.create({.workspace = workspace, .name = "p", .description = {}, .key = {}, .owner = {1}}));
    store::NewExperiment given = experiment();
    given.project = project;
    given.owner = {1};
    const auto id = must(experiments.insert(std::move(given))).id;
    trial = started_trial_of(id, "01");
    must(models.create(
        {.name = "m", .description = {}, .labels = {}, .notes = {}, .owner = {1}, .workspace = workspace}));
    must(templates.create({.name = "m", .config = json::object(), .workspace = workspace, .owner = model::UserId{1}}));
    sql("INSERT INTO tasks (number, id, type) VALUES (900, 'nb', 'NOTEBOOK') RETURNING id");
    sql("INSERT INTO standalone_tasks (task_number, nonce, owner_id, workspace_id, namespace, object_name, state, "
        "description, config, config_hash, context_kind) VALUES (900, gen_random_uuid(), 1, " +
        to_string(workspace) + ", '', '', 'ACTIVE', '', '{}', '', '') RETURNING task_number");
    sql("INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, "
        "resources, size) SELECT '" +
        uuid + "', task_number, id, '', now(), 'COMPLETED', 1, '{}', '{}', 0 FROM trials WHERE id = " +
        to_string(trial.id) + " RETURNING uuid");
  }

  // Names what the route is about.
  http::Request request_for(const RouteEntry& entry) const {
    http::Request request;
    request.method = entry.method;
    const std::string_view pattern = entry.pattern;
    const auto id = [&]() -> std::string {
      switch (entry.policy.whose) {
        case Whose::kExperiment:
          return to_string(trial.experiment);
        case Whose::kTrial:
          return to_string(trial.id);
        case Whose::kProject:
          return to_string(project);
        case Whose::kWorkspace:
          return to_string(workspace);
        case Whose::kTask:
          return "nb";
        case Whose::kAllocation:
          return "nb.1";
        default:
          return "1";
      }
    };
    for (const char* name : {"id", "name", "uuid", "type", "num", "label", "key", "resources", "rest"}) {
      if (!pattern.contains("{" + std::string(name))) continue;
      request.params.add(name, std::string(name) == "id"     ? id()
                               : std::string(name) == "uuid" ? uuid
                                                             : std::string("m"));
    }
    return request;
  }

  // Somebody with that role.
  Identity with_role(const NamedRole& named, model::WorkspaceId where) {
    auto grants = std::make_shared<model::Grants>();
    if (named.role != 0) {
      grants->add({named.role}, named.everywhere ? std::nullopt : std::optional(where));
    }
    Identity caller;
    caller.user = *must(users.find({2}));
    caller.kind = TokenKind::kLogin;
    caller.grants = std::move(grants);
    return caller;
  }

  char letter_of(const RouteEntry& entry, Identity caller) {
    const http::Request request = request_for(entry);
    const Status allowed =
        run(authorize(services, entry.policy, request, std::make_shared<const Identity>(std::move(caller))));
    if (allowed) return 'y';
    if (allowed.error().code == ErrorCode::kPermissionDenied) return 'd';
    return allowed.error().code == ErrorCode::kNotFound ? 'h' : '?';
  }

  model::WorkspaceId workspace;
  model::ProjectId project;
  store::TrialRow trial;
  const std::string uuid = "11111111-2222-4333-8444-555555555555";
};

TEST_F(Walk, RoutesTimesRoles) {
  sql("INSERT INTO allocations (id, task_number, run, state, slots, owner_id, token_hash, user_token_hash) VALUES "
      "('nb.1', 900, 1, 'RUNNING', 0, 1, '\\x01', '\\x02') RETURNING id");
  std::map<char, int> seen;
  int routes = 0;
  int asked_by_handlers = 0;
  for (const RouteEntry& entry : route_entries()) {
    const std::string route = std::string(entry.method) + " " + entry.pattern;
    const std::string letters = expected_of(route);
    ASSERT_FALSE(letters.empty()) << route << " stands in no line of this test's table";
    ++routes;
    if (letters == kHandler) {
      ++asked_by_handlers;
      EXPECT_TRUE(entry.policy.needs.is_exempt) << route;
      continue;
    }
    for (std::size_t i = 0; i < std::size(kRoles); ++i) {
      const char here = letter_of(entry, with_role(kRoles[i], workspace));
      EXPECT_EQ(here, letters[i]) << route << " for " << kRoles[i].name;
      ++seen[here];
      if (kRoles[i].everywhere) continue;
      // The same role in another workspace is worth as much as none.
      const char elsewhere = letter_of(entry, with_role(kRoles[i], {1}));
      EXPECT_EQ(elsewhere, letters[0]) << route << " for " << kRoles[i].name << " of another workspace";
      ++seen[elsewhere];
    }
  }
  std::cout << routes << " routes, " << asked_by_handlers << " of them asked by their handlers; let through "
            << seen['y'] << ", refused " << seen['d'] << ", hidden " << seen['h'] << "\n";
  EXPECT_GT(routes, 200);
}

}  // namespace
}  // namespace det::api
