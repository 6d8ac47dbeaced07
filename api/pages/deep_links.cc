#include "api/pages/deep_links.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "http/target.h"

namespace det::api {

namespace {

constexpr std::size_t kLongestId = 19;
constexpr std::size_t kLongestTaskId = 64;
constexpr std::size_t kLongestName = 1'000;

using Link = std::pair<std::string_view, std::string_view>;  // a name of upstream's, and ours

// Those that lead to one page of ours, whatever follows.
constexpr auto kPages = std::to_array<Link>({
    {"admin", "admin"},
    {"cluster", "cluster"},
    {"clusters", "cluster"},
    {"job-queue", "queue"},
    {"jobs", "queue"},
    {"login", "sign-in"},
    {"models", "models"},
    {"policies", "admin/policies"},
    {"resourcepool", "queue"},
    {"settings", "settings"},
    {"tasks", "tasks"},
    {"templates", "templates"},
    {"users", "admin/users"},
    {"webhooks", "admin/webhooks"},
    {"workspaces", "workspaces"},
});

// Parts of an experiment's page.
constexpr auto kExperimentParts = std::to_array<Link>({
    {"checkpoints", "/checkpoints"},
    {"code", "/code"},
    {"configuration", "/config"},
    {"hyperparameters", "/hyperparameters"},
    {"logs", "/logs"},
    {"notes", "/notes"},
    {"trials", "/trials"},
});

constexpr auto kTaskTypes = std::to_array<std::string_view>({"command", "jupyter-lab", "shell", "tensor-board"});

// Empty: none of them.
std::string ours(std::span<const Link> links, std::string_view theirs) {
  const auto found = std::ranges::find(links, theirs, &Link::first);
  return found == links.end() ? std::string() : std::string(found->second);
}

bool is_id(const std::string& text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// As a UUID, or one with a number.
bool is_task_id(const std::string& text) {
  const auto belongs = [](char c) { return c == '-' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return text.size() <= kLongestTaskId && std::ranges::all_of(text, belongs) &&
         text.find_first_not_of('.') != std::string::npos;
}

std::string trial_page(const std::vector<std::string>& segments, std::size_t at) {
  const bool is_log = segments.size() > at + 1 && segments[at + 1] == "logs";
  return "trials/" + segments[at] + (is_log ? "/logs" : "");
}

}  // namespace

std::string page_of_deep_link(const std::vector<std::string>& segments) {
  const auto segment = [&segments](std::size_t at) { return at < segments.size() ? segments[at] : std::string(); };
  const std::string what = segment(0);
  const std::string which = segment(1);
  if ((what == "experiments" || what == "searches") && is_id(which)) {
    if (segment(2) == "trials" && is_id(segment(3))) return trial_page(segments, 3);
    return "experiments/" + which + ours(kExperimentParts, segment(2));
  }
  if (what == "experiments") return "experiments";
  if (what == "trials" && is_id(which)) return trial_page(segments, 1);
  if ((what == "projects" || what == "workspaces") && is_id(which)) return what + "/" + which;
  // A name of dots alone would be a step up.
  const bool is_name = which.size() <= kLongestName && which.find_first_not_of('.') != std::string::npos;
  if (what == "models" && is_name) return "models/" + http::encode_component(which);
  if (std::ranges::find(kTaskTypes, what) != kTaskTypes.end() && is_task_id(which)) return "tasks/" + which + "/logs";
  return ours(kPages, what);
}

std::string way_back(std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
  std::string back;
  for (std::size_t up = 1; up < slashes; ++up) back += "../";
  return back;
}

}  // namespace det::api
