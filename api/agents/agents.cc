// Nodes, as agents, and their slots.

#include <algorithm>
#include <charconv>
#include <tuple>

#include "api/access_check.h"
#include "api/agents/agent_views.h"
#include "api/agents/node_control.h"
#include "api/agents/node_list.h"
#include "api/agents/routes.h"
#include "api/arguments.h"
#include "api/list_slice.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

struct Found {
  std::vector<wire::Agent> agents;
  std::string hidden;  // see ClusterNodes
};

enum class SortBy : std::uint8_t { kId, kTime };

constexpr std::pair<std::string_view, SortBy> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", SortBy::kId}, {"SORT_BY_ID", SortBy::kId}, {"SORT_BY_TIME", SortBy::kTime}};

Task<Result<Found>> find_agents(ApiServices& services) {
  const auto cluster = co_await services.nodes.read();
  DET_CO_TRY(cluster);
  const auto open = co_await services.stores.jobs.open_allocations();
  DET_CO_TRY(open);
  co_return Found{.agents = agents_of(*cluster, *open, services.settings.master), .hidden = cluster->hidden};
}

Task<Result<wire::Agent>> find_agent(ApiServices& services, std::string id) {
  auto found = co_await find_agents(services);
  DET_CO_TRY(found);
  for (wire::Agent& agent : found->agents) {
    if (agent.id == id) co_return std::move(agent);
  }
  co_return fail(ErrorCode::kNotFound, "agent '" + id + "' not found");
}

Task<Result<http::Response>> agent_answer(ApiServices& services, std::string id) {
  const auto agent = co_await find_agent(services, std::move(id));
  DET_CO_TRY(agent);
  co_return ok({{"agent", wire::to_json(*agent)}});
}

// "3" and "003": lists of slots have both.
Result<int> slot_number(const Call& call) {
  const std::string text = path_text(call.request, "slot");
  int slot = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
  if (error == std::errc() && end == text.data() + text.size() && slot >= 0) return slot;
  return fail(ErrorCode::kInvalidArgument, "slot: expected a number from 0 on, got '" + text + "'", "slot");
}

Task<Result<http::Response>> slot_answer(ApiServices& services, std::string id, int slot) {
  const auto agent = co_await find_agent(services, id);
  DET_CO_TRY(agent);
  if (static_cast<std::size_t>(slot) >= agent->slots.size()) {
    co_return fail(ErrorCode::kNotFound, "slot '" + std::to_string(slot) + "' of agent '" + id + "' not found");
  }
  co_return ok({{"slot", slot_json(*agent, static_cast<std::size_t>(slot))}});
}

Status check_admin(const Call& call) {
  if (has_roles(call.caller) || call.caller.user.admin) return {};
  return fail(ErrorCode::kPermissionDenied, "only admins can enable and disable agents and slots");
}

Result<bool> wants_drain(const Call& call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_TRY(body);
  wire::RequestFields fields(*body);
  const bool drains = fields.boolean("drain").value_or(false);
  DET_TRY(fields.status());
  return drains;
}

// As clients of before /api/v1 know them.
wire::Json legacy_json(const wire::Agent& agent) {
  const wire::Json now = wire::to_json(agent);
  wire::Json slots = wire::Json::object();
  for (const auto& [key, slot] : now["slots"].items()) {
    const std::string type = slot["device"].value("type", "");
    slots[slot.value("id", key)] = {{"id", slot["id"]},
                                    {"enabled", slot["enabled"]},
                                    {"draining", slot["draining"]},
                                    {"container", slot["container"]},
                                    {"device",
                                     {{"id", slot["device"]["id"]},
                                      {"brand", slot["device"]["brand"]},
                                      {"type", type == "TYPE_CUDA"   ? "cuda"
                                               : type == "TYPE_ROCM" ? "rocm"
                                                                     : "cpu"}}}};
  }
  return {{"id", agent.id},
          {"registered_time", now["registeredTime"]},
          {"slots", slots},
          {"num_containers", agent.containers.size()},
          {"resource_pool", agent.pools.empty() ? "" : agent.pools.front()},
          {"addresses", agent.addresses},
          {"enabled", agent.is_enabled},
          {"draining", agent.is_draining},
          {"version", agent.version}};
}

}  // namespace

Task<Result<http::Response>> legacy_agents(ApiServices& services, Call) {
  const auto found = co_await find_agents(services);
  DET_CO_TRY(found);
  wire::Json agents = wire::Json::object();
  for (const wire::Agent& agent : found->agents) agents[agent.id] = legacy_json(agent);
  co_return ok(agents);
}

// {"enabled":false}
Task<Result<http::Response>> legacy_patch_slot(ApiServices& services, Call call) {
  DET_CO_TRY(check_admin(call));
  const auto slot = slot_number(call);
  DET_CO_TRY(slot);
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("enabled");
  const bool is_enabled = fields.boolean("enabled").value_or(true);
  DET_CO_TRY(fields.status());
  const std::string id = path_text(call.request, "id");
  if (is_enabled) {
    DET_CO_TRY(co_await enable_slot_of(services, id, *slot));
  } else {
    DET_CO_TRY(co_await disable_slot_of(services, id, *slot, false));
  }
  co_return ok();
}

Task<Result<http::Response>> list_agents(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const store::Page page = query.page();
  const auto sorts = query.words("sortBy", kSorts);
  const store::Order order = query.order().value_or(store::Order::kAscending);
  const bool has_slots = !query.boolean("excludeSlots").value_or(false);
  const bool has_containers = !query.boolean("excludeContainers").value_or(false);
  DET_CO_TRY(query.status());
  auto found = co_await find_agents(services);
  DET_CO_TRY(found);
  if (!sorts.empty() && sorts.back() == SortBy::kTime) {
    std::ranges::sort(found->agents, {},
                      [](const wire::Agent& agent) { return std::tuple(agent.registered, agent.id); });
  }
  if (order == store::Order::kDescending) std::ranges::reverse(found->agents);
  const auto slice = slice_of(page, found->agents.size());
  DET_CO_TRY(slice);
  wire::Json list = wire::Json::array();
  for (std::size_t i = slice->first; i < slice->last; ++i) {
    wire::Json agent = wire::to_json(found->agents[i]);
    if (!has_slots) agent["slots"] = wire::Json::object();
    if (!has_containers) agent["containers"] = wire::Json::object();
    list.push_back(std::move(agent));
  }
  wire::Json answer = {{"agents", list}, {"pagination", slice->pagination}};
  if (!found->hidden.empty()) answer["notice"] = found->hidden;
  co_return ok(answer);
}

Task<Result<http::Response>> get_agent(ApiServices& services, Call call) {
  co_return co_await agent_answer(services, path_text(call.request, "id"));
}

Task<Result<http::Response>> list_slots(ApiServices& services, Call call) {
  const auto agent = co_await find_agent(services, path_text(call.request, "id"));
  DET_CO_TRY(agent);
  wire::Json list = wire::Json::array();
  for (std::size_t i = 0; i < agent->slots.size(); ++i) list.push_back(slot_json(*agent, i));
  co_return ok({{"slots", list}});
}

Task<Result<http::Response>> get_slot(ApiServices& services, Call call) {
  const auto slot = slot_number(call);
  DET_CO_TRY(slot);
  co_return co_await slot_answer(services, path_text(call.request, "id"), *slot);
}

Task<Result<http::Response>> enable_agent(ApiServices& services, Call call) {
  DET_CO_TRY(check_admin(call));
  const std::string id = path_text(call.request, "id");
  DET_CO_TRY(co_await enable_node(services, id));
  co_return co_await agent_answer(services, id);
}

Task<Result<http::Response>> disable_agent(ApiServices& services, Call call) {
  DET_CO_TRY(check_admin(call));
  const auto drains = wants_drain(call);
  DET_CO_TRY(drains);
  const std::string id = path_text(call.request, "id");
  DET_CO_TRY(co_await disable_node(services, id, *drains));
  co_return co_await agent_answer(services, id);
}

Task<Result<http::Response>> enable_slot(ApiServices& services, Call call) {
  DET_CO_TRY(check_admin(call));
  const auto slot = slot_number(call);
  DET_CO_TRY(slot);
  const std::string id = path_text(call.request, "id");
  DET_CO_TRY(co_await enable_slot_of(services, id, *slot));
  co_return co_await slot_answer(services, id, *slot);
}

Task<Result<http::Response>> disable_slot(ApiServices& services, Call call) {
  DET_CO_TRY(check_admin(call));
  const auto slot = slot_number(call);
  DET_CO_TRY(slot);
  const auto drains = wants_drain(call);
  DET_CO_TRY(drains);
  const std::string id = path_text(call.request, "id");
  DET_CO_TRY(co_await disable_slot_of(services, id, *slot, *drains));
  co_return co_await slot_answer(services, id, *slot);
}

}  // namespace det::api::routes
