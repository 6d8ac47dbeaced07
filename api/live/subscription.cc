#include "api/live/subscription.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_depth.h"
#include "base/json_get.h"
#include "base/json_reader.h"
#include "base/parse_integer.h"
#include "base/split_text.h"

namespace det::api {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestSyncId = 100;
constexpr int kDeepest = 8;

struct Kind {
  const char* name;
  const char* workspaces;  // names of its lists; empty: it has none
  const char* models;
  const char* users;
  const char* ids;
};
// In the order of RecordKind.
constexpr std::array<Kind, 3> kKinds = {{
    {.name = "projects", .workspaces = "workspace_ids", .models = "", .users = "", .ids = "project_ids"},
    {.name = "models", .workspaces = "workspace_ids", .models = "", .users = "user_ids", .ids = "model_ids"},
    {.name = "modelversions", .workspaces = "", .models = "model_ids", .users = "user_ids", .ids = "model_version_ids"},
}};

std::unexpected<Error> wrong(const std::string& message) {
  return fail(ErrorCode::kInvalidArgument, message);
}

// Ids are positive; the largest one has none that follows it.
std::optional<std::int64_t> read_id(std::string_view text) {
  const auto id = parse_integer(text);
  return id && *id > 0 && *id < std::numeric_limits<std::int64_t>::max() ? id : std::nullopt;
}

Result<std::vector<std::int64_t>> read_ids(const json& spec, const char* name) {
  std::vector<std::int64_t> ids;
  const json& list = get_any(spec, name);
  if (*name == '\0' || list.is_null()) return ids;
  if (!list.is_array() || list.size() > kMostNamed) {
    return wrong(std::string(name) + " is a list of at most " + std::to_string(kMostNamed) + " ids");
  }
  for (const json& one : list) {
    const auto id = whole_number(one);
    if (!id || *id <= 0)
      return wrong(std::string(name) +
                   " has an invalid id: " + one.dump(-1, ' ', true, json::error_handler_t::replace));
    ids.push_back(*id);
  }
  return ids;
}

Result<Subscription> read_subscription(const Kind& kind, const json& spec, const json& known) {
  Subscription subscription;
  const json& keys = get_any(known, kind.name);
  if (!keys.is_null() && !keys.is_string()) return wrong(std::string("known.") + kind.name + " is a text of ids");
  auto set = read_key_set(get_string(known, kind.name));
  DET_TRY(set);
  subscription.known = std::move(*set);
  const auto read = [&spec](const char* name, std::vector<std::int64_t>& into) -> Status {
    auto ids = read_ids(spec, name);
    DET_TRY(ids);
    into = std::move(*ids);
    return {};
  };
  DET_TRY(read(kind.workspaces, subscription.filter.workspaces));
  DET_TRY(read(kind.models, subscription.filter.models));
  DET_TRY(read(kind.users, subscription.filter.users));
  DET_TRY(read(kind.ids, subscription.filter.ids));
  return subscription;
}

}  // namespace

Result<KeySet> read_key_set(std::string_view text) {
  KeySet set;
  if (text.empty()) return set;
  for (const std::string_view part : split_text(text, ',')) {
    const auto dash = part.find('-');
    const auto first = read_id(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : read_id(part.substr(dash + 1));
    if (!first || !last || *last < *first) return wrong("known ids are written as in 1,3-7");
    set.push_back({.first = *first, .last = *last});
  }
  std::ranges::sort(set, {}, &KeyRange::first);
  KeySet merged;
  for (const KeyRange& range : set) {
    if (!merged.empty() && range.first <= merged.back().last + 1) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

std::string key_set_text(const KeySet& set) {
  std::string text;
  for (const KeyRange& range : set) {
    if (!text.empty()) text += ',';
    text += std::to_string(range.first);
    if (range.last != range.first) text += "-" + std::to_string(range.last);
  }
  return text;
}

KeySet keys_gone(const KeySet& known, const std::vector<std::int64_t>& there) {
  KeySet gone;
  for (const KeyRange& range : known) {
    std::int64_t next = range.first;
    for (auto at = std::ranges::lower_bound(there, range.first); at != there.end() && *at <= range.last; ++at) {
      if (*at > next) gone.push_back({.first = next, .last = *at - 1});
      next = *at + 1;
    }
    if (next <= range.last) gone.push_back({.first = next, .last = range.last});
  }
  return gone;
}

Result<StartupMessage> read_startup_message(std::string_view text) {
  if (is_nested_deeper(text, kDeepest)) return wrong("a startup message is not nested that deep");
  const json body = json::parse(text, nullptr, false);
  if (!body.is_object()) return wrong("a startup message is a JSON object");
  StartupMessage message{.sync_id = get_string(body, "sync_id"), .of = {}};
  if (message.sync_id.size() > kLongestSyncId) return wrong("sync_id is too long");
  const json& subscribe = get_object(body, "subscribe");
  const json& known = get_object(body, "known");
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const json& spec = get_any(subscribe, kKinds[i].name);
    if (spec.is_null()) continue;
    if (!spec.is_object()) return wrong(std::string("subscribe.") + kKinds[i].name + " is an object");
    auto subscription = read_subscription(kKinds[i], spec, known);
    DET_TRY(subscription);
    message.of[i] = std::move(*subscription);
  }
  return message;
}

}  // namespace det::api
