#include "cli/listing_hint.h"

#include <algorithm>
#include <array>

namespace det::cli {
namespace {

struct Listing {
  std::string_view noun;
  std::string_view command;
};
constexpr auto kListings = std::to_array<Listing>({
    {"checkpoint", "det experiment list-checkpoints EXPERIMENT"},
    {"experiment", "det experiment list"},
    {"group", "det user-group list"},
    {"job", "det job list"},
    {"model", "det model list"},
    {"project", "det project list WORKSPACE"},
    {"template", "det template list"},
    {"trial", "det experiment list-trials EXPERIMENT"},
    {"user", "det user list"},
    {"workspace", "det workspace list"},
});

constexpr std::string_view kEnd = " not found";

}  // namespace

std::string listing_hint(std::string_view message) {
  if (message == "Token not found") return "; 'det token list' shows those that there are";
  if (!message.ends_with(kEnd)) return {};
  message.remove_suffix(kEnd.size());
  const std::size_t space = message.find(' ');
  if (space == std::string_view::npos || space + 2 >= message.size()) return {};
  const char quote = message[space + 1];
  const bool is_quoted = (quote == '\'' || quote == '"') && message.find(quote, space + 2) == message.size() - 1;
  const auto listing = std::ranges::find(kListings, message.substr(0, space), &Listing::noun);
  if (!is_quoted || listing == kListings.end()) return {};
  return "; '" + std::string(listing->command) + "' shows those that there are";
}

}  // namespace det::cli
