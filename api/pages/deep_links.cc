#include "api/pages/deep_links.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "http/target.h"

namespace det::api {

namespace {

constexpr std::size_t kLongestId = 19;
constexpr std::size_t kLongestName = 1'000;

bool is_id(const std::string& text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Those that lead to one page of ours, whatever follows.
constexpr auto kPages = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"admin", "admin"},
    {"clusters", "cluster"},
    {"job-queue", "queue"},
    {"login", "sign-in"},
    {"models", "models"},
    {"resourcepool", "queue"},
    {"settings", "settings"},
    {"tasks", "tasks"},
    {"templates", "templates"},
    {"webhooks", "admin/webhooks"},
    {"workspaces", "workspaces"},
});

std::string trial_page(const std::vector<std::string>& segments, std::size_t at) {
  const bool is_log = segments.size() > at + 1 && segments[at + 1] == "logs";
  return "trials/" + segments[at] + (is_log ? "/logs" : "");
}

}  // namespace

std::string page_of_deep_link(const std::vector<std::string>& segments) {
  const auto segment = [&segments](std::size_t at) { return at < segments.size() ? segments[at] : std::string(); };
  const std::string what = segment(0);
  const std::string which = segment(1);
  if (what == "experiments" && is_id(which)) {
    if (segment(2) == "trials" && is_id(segment(3))) return trial_page(segments, 3);
    return "experiments/" + which;
  }
  if (what == "experiments") return "experiments";
  if (what == "trials" && is_id(which)) return trial_page(segments, 1);
  if ((what == "projects" || what == "workspaces") && is_id(which)) return what + "/" + which;
  // A name of dots alone would be a step up.
  const bool is_name = which.size() <= kLongestName && which.find_first_not_of('.') != std::string::npos;
  if (what == "models" && is_name) return "models/" + http::encode_component(which);
  const auto page =
      std::ranges::find(kPages, std::string_view(what), &std::pair<std::string_view, std::string_view>::first);
  return page == kPages.end() ? std::string() : std::string(page->second);
}

std::string way_back(std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
  std::string back;
  for (std::size_t up = 1; up < slashes; ++up) back += "../";
  return back;
}

}  // namespace det::api
