// det agent and det slot.

#include <algorithm>
#include <map>

#include "cli/allocation_table.h"
#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct ListOptions {
  bool as_csv = false;
  bool as_json = false;
};

struct AgentOptions {
  std::string agent;
  bool all = false;
  bool drain = false;
  bool as_csv = false;
  bool as_json = false;
};

struct SlotOptions {
  std::string agent;
  std::int64_t slot = 0;
};

std::string agent_path(const std::string& agent) {
  return "/api/v1/agents/" + path_segment(agent);
}

std::string joined(const Json& texts) {
  std::string text;
  for (const Json& one : texts) {
    if (one.is_string()) text += (text.empty() ? "" : ", ") + one.get<std::string>();
  }
  return text;
}

Task<Result<std::vector<Json>>> read_agents(MasterClient client) {
  const auto answer = co_await client.get("/api/v1/agents");
  DET_CO_TRY(answer);
  const Json agents = field(*answer, "agents");
  std::vector<Json> sorted(agents.begin(), agents.end());
  std::ranges::sort(sorted, {}, [](const Json& agent) { return text_field(agent, "id"); });
  co_return sorted;
}

// A column of a table, and the key of the same in --json.
struct Column {
  const char* key;
  const char* header;
};

// Rows are objects with the columns' keys.
void show(World& world, const std::vector<Json>& rows, const std::vector<Column>& columns, const ListOptions& options) {
  if (options.as_json) {
    world.out << pretty_json(rows) << "\n";
    return;
  }
  Table table;
  for (const Column& column : columns) table.headers.emplace_back(column.header);
  for (const Json& row : rows) {
    auto& cells = table.rows.emplace_back();
    for (const Column& column : columns) cells.push_back(field(row, column.key));
  }
  print_table(world, table, options.as_csv);
}

Task<Result<int>> list_agents(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto agents = co_await read_agents(session->client);
  DET_CO_TRY(agents);
  std::vector<Json> rows;
  for (const Json& agent : *agents) {
    rows.push_back({{"id", field(agent, "id")},
                    {"version", field(agent, "version")},
                    {"registered_time", time_cell(field(agent, "registeredTime"))},
                    {"num_slots", field(agent, "slots").size()},
                    {"num_containers", field(agent, "containers").size()},
                    {"resource_pools", joined(field(agent, "resourcePools"))},
                    {"enabled", field(agent, "enabled")},
                    {"draining", field(agent, "draining")},
                    {"addresses", joined(field(agent, "addresses"))}});
  }
  show(in.world, rows,
       {{"id", "Agent ID"},
        {"version", "Version"},
        {"registered_time", "Registered Time"},
        {"num_slots", "Slots"},
        {"num_containers", "Containers"},
        {"resource_pools", "Resource Pool"},
        {"enabled", "Enabled"},
        {"draining", "Draining"},
        {"addresses", "Addresses"}},
       options);
  co_return kDone;
}

// Runs that hold slots, by the name of the pod.
std::map<std::string, Json> by_container(const Json& summaries) {
  std::map<std::string, Json> found;
  for (const auto& [id, summary] : summaries.items()) {
    const Json resources = field(summary, "resources");
    for (const Json& one : resources) found.emplace(text_field(one, "containerId"), summary);
  }
  return found;
}

std::string type_of(const Json& device) {
  const std::string type = text_field(device, "type");
  if (type == "TYPE_CUDA") return "cuda";
  if (type == "TYPE_ROCM") return "rocm";
  return type == "TYPE_CPU" ? "cpu" : "unknown";
}

Json slot_row(const Json& agent, const Json& slot, const std::map<std::string, Json>& runs) {
  const std::string container = text_field(field(slot, "container"), "id");
  Json allocation = container.empty() ? "FREE" : "OCCUPIED";
  Json task = container.empty() ? "FREE" : "Non-Determined Task: " + container;
  const auto run = runs.find(container);
  if (!container.empty() && run != runs.end()) {
    allocation = field(run->second, "allocationId");
    task = field(run->second, "name");
  }
  return {{"agent_id", field(agent, "id")},
          {"resource_pools", joined(field(agent, "resourcePools"))},
          {"slot_id", field(slot, "id")},
          {"enabled", field(slot, "enabled")},
          {"draining", field(slot, "draining")},
          {"allocation_id", allocation},
          {"task_name", task},
          {"type", type_of(field(slot, "device"))},
          {"device", field(field(slot, "device"), "brand")}};
}

Task<Result<Json>> read_runs(MasterClient client) {
  const auto answer = co_await client.get("/api/v1/tasks");
  DET_CO_TRY(answer);
  Json summaries = field(*answer, "allocationIdToSummary");
  co_return summaries.is_object() ? std::move(summaries) : Json::object();
}

Task<Result<int>> list_slots(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto runs = co_await read_runs(session->client);
  DET_CO_TRY(runs);
  const auto agents = co_await read_agents(session->client);
  DET_CO_TRY(agents);
  const auto holders = by_container(*runs);
  std::vector<Json> rows;
  for (const Json& agent : *agents) {
    const Json slots = field(agent, "slots");
    for (const Json& slot : slots) rows.push_back(slot_row(agent, slot, holders));
  }
  show(in.world, rows,
       {{"agent_id", "Agent ID"},
        {"resource_pools", "Resource Pool"},
        {"slot_id", "Slot ID"},
        {"enabled", "Enabled"},
        {"draining", "Draining"},
        {"allocation_id", "Allocation ID"},
        {"task_name", "Task Name"},
        {"type", "Type"},
        {"device", "Device"}},
       options);
  co_return kDone;
}

Task<Result<std::vector<std::string>>> chosen_agents(MasterClient client, AgentOptions options) {
  if (!options.all) co_return std::vector<std::string>{options.agent};
  const auto agents = co_await read_agents(client);
  DET_CO_TRY(agents);
  std::vector<std::string> ids;
  for (const Json& agent : *agents) ids.push_back(text_field(agent, "id"));
  co_return ids;
}

Status check_choice(const AgentOptions& options, const char* verb) {
  if (options.all != options.agent.empty()) {
    return fail(ErrorCode::kInvalidArgument, std::string(options.all ? "give an agent id or --all, not both"
                                                                     : "Please pass agent id or --all option.") +
                                                 " See `det agent " + verb + " --help` for details.");
  }
  return {};
}

// What still runs on these agents.
Task<Result<int>> show_left(Invocation in, MasterClient client, std::vector<std::string> agents, AgentOptions options) {
  const auto runs = co_await read_runs(client);
  DET_CO_TRY(runs);
  Json left = Json::object();
  for (const auto& [id, summary] : runs->items()) {
    const auto names = agents_of(summary);
    const bool is_there = std::ranges::any_of(
        names, [&](const std::string& name) { return std::ranges::find(agents, name) != agents.end(); });
    if (is_there) left[id] = summary;
  }
  if (options.as_json) {
    in.world.out << pretty_json(left) << "\n";
    co_return kDone;
  }
  if (!options.as_csv) {
    in.world.out << (left.empty() ? "No tasks in progress on draining nodes.\n"
                                  : "Tasks still in progress on draining nodes.\n");
  }
  print_table(in.world, allocation_table(left), options.as_csv);
  co_return kDone;
}

Task<Result<int>> enable(Invocation in, AgentOptions options) {
  DET_CO_TRY(check_choice(options, "enable"));
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto agents = co_await chosen_agents(session->client, options);
  DET_CO_TRY(agents);
  for (const std::string& agent : *agents) {
    DET_CO_TRY(co_await session->client.send("POST", agent_path(agent) + "/enable"));
    in.world.err << "Enabled agent " << agent << ".\n";
  }
  co_return kDone;
}

Task<Result<int>> disable(Invocation in, AgentOptions options) {
  DET_CO_TRY(check_choice(options, "disable"));
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto agents = co_await chosen_agents(session->client, options);
  DET_CO_TRY(agents);
  for (const std::string& agent : *agents) {
    const Json body = options.drain ? Json{{"drain", true}} : Json::object();
    DET_CO_TRY(co_await session->client.send("POST", agent_path(agent) + "/disable", body));
    in.world.err << "Disabled agent " << agent << ".\n";
  }
  if (!options.drain) co_return kDone;
  co_return co_await show_left(in, session->client, *agents, options);
}

Task<Result<int>> change_slot(Invocation in, SlotOptions options, std::string verb, std::string done) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const std::string slot = std::to_string(options.slot);
  DET_CO_TRY(
      co_await session->client.send("POST", agent_path(options.agent) + "/slots/" + slot + "/" + verb, Json::object()));
  in.world.out << done << " slot " << slot << " of agent " << options.agent << "\n";
  co_return kDone;
}

Task<Result<int>> enable_slot(Invocation in, SlotOptions options) {
  return change_slot(std::move(in), std::move(options), "enable", "Enabled");
}

Task<Result<int>> disable_slot(Invocation in, SlotOptions options) {
  return change_slot(std::move(in), std::move(options), "disable", "Disabled");
}

template <typename Options>
void add_forms(CLI::App* leaf, Options& options) {
  auto* csv = leaf->add_flag("--csv", options.as_csv, "Output in CSV format");
  leaf->add_flag("--json", options.as_json, "Output in JSON format")->excludes(csv);
}

void add_list(Program& program, CLI::App* group, const char* help, Command<ListOptions> command) {
  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, help);
  auto l = std::make_shared<ListOptions>();
  add_forms(leaf, *l);
  program.runs(leaf, l, command);
  program.make_default(group, help, command);
}

}  // namespace

void add_agent_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "agent", {"a"}, "manage agents");
  add_list(program, group, "list agents", list_agents);

  CLI::App* leaf = program.add_leaf(*group, "enable", {}, "enable agent");
  auto e = std::make_shared<AgentOptions>();
  leaf->add_option("agent_id", e->agent, "agent ID");
  leaf->add_flag("--all", e->all, "enable all agents");
  program.runs(leaf, e, enable);

  leaf = program.add_leaf(*group, "disable", {}, "disable agent");
  auto d = std::make_shared<AgentOptions>();
  leaf->add_option("agent_id", d->agent, "agent ID");
  leaf->add_flag("--all", d->all, "disable all agents");
  leaf->add_flag("--drain", d->drain, "let what runs there finish, and print it");
  add_forms(leaf, *d);
  program.runs(leaf, d, disable);

  group = program.add_group(program.root(), "slot", {"s"}, "manage slots");
  add_list(program, group, "list slots in cluster", list_slots);
  const auto add_slot = [&](const char* name, const char* help, Command<SlotOptions> command) {
    CLI::App* one = program.add_leaf(*group, name, {}, help);
    auto o = std::make_shared<SlotOptions>();
    one->add_option("agent_id", o->agent, "agent ID")->required();
    one->add_option("slot_id", o->slot, "slot ID")->required()->check(whole_number(0));
    program.runs(one, o, command);
  };
  add_slot("enable", "enable slot on agent", enable_slot);
  add_slot("disable", "disable slot on agent", disable_slot);
}

}  // namespace det::cli
