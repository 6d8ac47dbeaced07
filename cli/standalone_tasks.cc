#include "cli/standalone_tasks.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "cli/log_query.h"
#include "cli/workspace_lookup.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

constexpr std::size_t kUuidLength = 36;

struct ListOptions {
  const TaskKind* kind = nullptr;
  std::string sort_by = "startTime";
  std::string order_by = "asc";
  std::string workspace;
  bool only_ids = false;
  bool all = false;
  bool as_csv = false;
  bool as_json = false;
};

struct IdOptions {
  const TaskKind* kind = nullptr;
  std::string id;
};

struct LogsOptions {
  const TaskKind* kind = nullptr;
  std::string id;
  LogOptions log;
};

struct KillOptions {
  const TaskKind* kind = nullptr;
  std::vector<std::string> ids;
  bool ignore_errors = false;
};

struct PriorityOptions {
  const TaskKind* kind = nullptr;
  std::string id;
  std::int64_t priority = 0;
};

bool is_whole_id(const std::string& id) {
  if (id.size() != kUuidLength) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? id[i] != '-' : std::isxdigit(static_cast<unsigned char>(id[i])) == 0) return false;
  }
  return true;
}

Result<std::string> the_one(const TaskKind& kind, const std::string& beginning, const std::vector<std::string>& all) {
  // It begins them all: a script's variable that is not set must not end somebody's only task.
  if (beginning.empty()) {
    return fail(ErrorCode::kInvalidArgument, std::string("the ID is empty; give that of a ") + kind.name +
                                                 ", or its beginning; see 'det " + kind.name + " list'");
  }
  std::vector<std::string> found;
  for (const auto& id : all) {
    if (id.starts_with(beginning)) found.push_back(id);
  }
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return fail(ErrorCode::kNotFound, std::string("no ") + kind.name + " has an ID that begins with '" + beginning +
                                          "'; see 'det " + kind.name + " list -a'");
  }
  std::string text = "'" + beginning + "' begins the IDs of " + std::to_string(found.size()) + " " + kind.many + ": ";
  constexpr std::size_t kShown = 3;
  for (std::size_t i = 0; i < std::min(kShown, found.size()); ++i) text += (i == 0 ? "" : ", ") + found[i];
  if (found.size() > kShown) text += ", ...";
  return fail(ErrorCode::kInvalidArgument, text + "; give more of it");
}

// Lists of numbers as the Python command line shows them.
Json cell(const Json& item, const char* key) {
  if (!item.contains(key)) return "N/A";
  const Json& value = item[key];
  if (!value.is_array()) return value;
  std::string text;
  for (const Json& member : value) text += (text.empty() ? "" : ", ") + member.dump();
  return "[" + text + "]";
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  const TaskKind& kind = *options.kind;
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query;
  if (!options.workspace.empty()) {
    const auto workspace = co_await workspace_id(session->client, options.workspace);
    DET_CO_TRY(workspace);
    query.emplace_back("workspaceId", std::to_string(*workspace));
  }
  if (!options.all) query.emplace_back("users", session->username);
  const auto answer = co_await session->client.get(kind.path(), std::move(query));
  DET_CO_TRY(answer);
  Json tasks = field(*answer, kind.many);
  if (!tasks.is_array()) {
    co_return fail(ErrorCode::kDataLoss, "the answer of " + kind.path() + " has no list '" + kind.many + "'");
  }
  if (!options.only_ids) {
    auto named = co_await with_names(session->client, std::move(tasks));
    DET_CO_TRY(named);
    tasks = std::move(*named);
  }
  const bool backwards = options.order_by == "desc";
  const auto key = [&](const Json& task) { return std::pair(field(task, options.sort_by), field(task, "id")); };
  std::sort(tasks.begin(), tasks.end(),
            [&](const Json& a, const Json& b) { return backwards ? key(b) < key(a) : key(a) < key(b); });
  if (options.only_ids) {
    for (const Json& task : tasks) in.world.out << text_field(task, "id") << "\n";
  } else if (options.as_json) {
    in.world.out << pretty_json(tasks) << "\n";
  } else {
    print_table(in.world, task_table(kind, tasks), options.as_csv);
  }
  co_return kDone;
}

Task<Result<int>> config(Invocation in, IdOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto found = co_await find_task(session->client, *options.kind, options.id);
  DET_CO_TRY(found);
  in.world.out << yaml_text(found->config) << "\n";
  co_return kDone;
}

Task<Result<int>> logs(Invocation in, LogsOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto ids = co_await whole_ids(session->client, *options.kind, {options.id});
  DET_CO_TRY(ids);
  const std::string id = ids->front();
  if (options.log.follow) {
    in.world.on_interrupt = "The " + std::string(options.kind->name) + " " + id + " goes on without this command.";
  }
  const Status done = co_await print_log(in.world, session->client, task_log(id), options.log);
  in.world.on_interrupt.clear();
  DET_CO_TRY(done);
  co_return kDone;
}

Task<Result<int>> kill(Invocation in, KillOptions options) {
  const TaskKind& kind = *options.kind;
  World& world = in.world;
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto ids = co_await whole_ids(session->client, kind, options.ids);
  DET_CO_TRY(ids);
  for (auto id = ids->begin(); id != ids->end(); ++id) {
    const auto done = co_await session->client.send("POST", kind.path() + "/" + path_segment(*id) + "/kill");
    if (done) {
      world.out << colored(std::string("Killed ") + kind.name + " " + *id, Color::kGreen, world.out_is_terminal)
                << "\n";
      continue;
    }
    if (options.ignore_errors) {
      world.err << colored("Skipping: " + done.error().message, Color::kRed, world.err_is_terminal) << "\n";
      continue;
    }
    for (auto rest = id + 1; rest != ids->end(); ++rest) world.out << "Cowardly not killing " << *rest << "\n";
    co_return std::unexpected(done.error());
  }
  co_return kDone;
}

Task<Result<int>> set_priority(Invocation in, PriorityOptions options) {
  const TaskKind& kind = *options.kind;
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto ids = co_await whole_ids(session->client, kind, {options.id});
  DET_CO_TRY(ids);
  const std::string id = ids->front();
  const std::string path = kind.path() + "/" + path_segment(id) + "/set_priority";
  const auto done = co_await session->client.send("POST", path, Json{{"priority", options.priority}});
  DET_CO_TRY(done);
  const std::string text =
      std::string("Set priority of ") + kind.name + " " + id + " to " + std::to_string(options.priority);
  in.world.out << colored(text, Color::kGreen, in.world.out_is_terminal) << "\n";
  co_return kDone;
}

void add_list(Program& program, CLI::App* group, const TaskKind& kind) {
  const std::string help = std::string("list ") + kind.shown_many;
  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, help);
  auto o = std::make_shared<ListOptions>();
  o->kind = &kind;
  leaf->add_option("--sort-by", o->sort_by, "sort by the given field (default: startTime)")
      ->check(CLI::IsMember(
          {"id", "username", "description", "state", "exitStatus", "resourcePool", "workspaceName", "startTime"}));
  leaf->add_option("--order-by", o->order_by, "asc or desc (default: asc)")->check(CLI::IsMember({"asc", "desc"}));
  auto* quiet = leaf->add_flag("-q,--quiet", o->only_ids, "only display the IDs");
  leaf->add_flag("-a,--all", o->all, std::string("show all ") + kind.shown_many + " (including other users')");
  leaf->add_option("-w,--workspace-name", o->workspace, "workspace name");
  auto* csv = leaf->add_flag("--csv", o->as_csv, "Output in CSV format")->excludes(quiet);
  leaf->add_flag("--json", o->as_json, "Output in JSON format")->excludes(csv)->excludes(quiet);
  program.runs(leaf, o, list);
  program.make_default(group, help, list, ListOptions{.kind = &kind});
}

}  // namespace

Task<Result<std::vector<std::string>>> whole_ids(MasterClient client, const TaskKind& kind,
                                                 std::vector<std::string> ids) {
  if (std::ranges::all_of(ids, is_whole_id)) co_return ids;
  const auto answer = co_await client.get(kind.path());
  DET_CO_TRY(answer);
  std::vector<std::string> all;
  const Json tasks = field(*answer, kind.many);
  for (const Json& task : tasks) all.push_back(text_field(task, "id"));
  for (std::string& id : ids) {
    if (is_whole_id(id)) continue;
    auto found = the_one(kind, id, all);
    DET_CO_TRY(found);
    id = std::move(*found);
  }
  co_return ids;
}

Task<Result<FoundTask>> find_task(MasterClient client, const TaskKind& kind, std::string id) {
  auto ids = co_await whole_ids(client, kind, {std::move(id)});
  DET_CO_TRY(ids);
  auto answer = co_await client.get(kind.path() + "/" + path_segment(ids->front()));
  DET_CO_TRY(answer);
  Json task = field(*answer, kind.name);
  if (!task.is_object()) {
    co_return fail(ErrorCode::kDataLoss, "the answer of " + kind.path() + " has no '" + kind.name + "'");
  }
  co_return FoundTask{.id = std::move(ids->front()), .task = std::move(task), .config = field(*answer, "config")};
}

Task<Result<FoundTask>> find_running_task(MasterClient client, const TaskKind& kind, std::string id) {
  auto found = co_await find_task(client, kind, std::move(id));
  DET_CO_TRY(found);
  if (state_text(field(found->task, "state")) == "TERMINATED") {
    const std::string why = text_field(found->task, "exitStatus");
    co_return fail(ErrorCode::kFailedPrecondition, std::string(kind.shown) + " " + found->id + " has ended" +
                                                       (why.empty() ? "" : " (" + why + ")") + "; 'det task logs " +
                                                       found->id + "' shows its log");
  }
  co_return found;
}

Task<Result<Json>> with_names(MasterClient client, Json tasks) {
  const auto workspaces = co_await client.list("/api/v1/workspaces", "workspaces", {}, 0, 0, false);
  DET_CO_TRY(workspaces);
  for (Json& task : tasks) {
    task["state"] = state_text(field(task, "state"));
    if (!task.contains("workspaceId")) continue;
    std::string name = "missing workspace id " + task["workspaceId"].dump();
    for (const Json& workspace : *workspaces) {
      if (field(workspace, "id") == task["workspaceId"]) name = text_field(workspace, "name");
    }
    task["workspaceName"] = std::move(name);
  }
  co_return std::move(tasks);
}

Table task_table(const TaskKind& kind, const Json& tasks) {
  std::vector<std::string> headers = {"id", "username", "description", "state"};
  if (&kind == &kTensorBoard) headers.insert(headers.end(), {"experimentIds", "trialIds"});
  headers.insert(headers.end(), {"exitStatus", "resourcePool", "workspaceName"});
  Table table{.headers = headers, .rows = {}};
  for (const Json& task : tasks) {
    std::vector<Json> row;
    for (const auto& header : headers) row.push_back(cell(task, header.c_str()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

void add_common_task_commands(Program& program, CLI::App* group, const TaskKind& kind) {
  const std::string shown = kind.shown;
  const std::string id = std::string(kind.name) + "_id";
  const std::string id_help = shown + " ID, or how it begins";
  add_list(program, group, kind);

  CLI::App* leaf = program.add_leaf(*group, "config", {}, "display " + shown + " config");
  auto c = std::make_shared<IdOptions>();
  c->kind = &kind;
  leaf->add_option(id, c->id, id_help)->required();
  program.runs(leaf, c, config);

  leaf = program.add_leaf(*group, "logs", {}, "fetch " + shown + " logs");
  auto l = std::make_shared<LogsOptions>();
  l->kind = &kind;
  leaf->add_option(id, l->id, id_help)->required();
  add_task_log_options(leaf, l->log);
  program.runs(leaf, l, logs);

  leaf = program.add_leaf(*group, "kill", {}, std::string("kill ") + kind.article + shown);
  auto k = std::make_shared<KillOptions>();
  k->kind = &kind;
  leaf->add_option(id, k->ids, shown + " IDs, or how they begin")->required();
  leaf->add_flag("-f,--force", k->ignore_errors, "ignore errors");
  program.runs(leaf, k, kill);

  CLI::App* set = program.add_group(*group, "set", {}, "set " + shown + " attributes");
  leaf = program.add_leaf(*set, "priority", {}, "set " + shown + " priority");
  auto p = std::make_shared<PriorityOptions>();
  p->kind = &kind;
  leaf->add_option(id, p->id, id_help)->required();
  leaf->add_option("priority", p->priority, "priority, 1 to 99")->required()->check(whole_number(1, 99));
  program.runs(leaf, p, set_priority);
}

}  // namespace det::cli
