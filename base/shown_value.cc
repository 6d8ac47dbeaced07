#include "base/shown_value.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/cut_text.h"
#include "base/lower_case.h"
#include "base/printable.h"

namespace det {
namespace {

constexpr std::size_t kLongest = 60;
constexpr auto kSecretWords = std::to_array<std::string_view>(
    {"passw", "pwd", "secret", "token", "auth", "credential", "key", "connection", "cert", "private"});

bool names_secret(std::string_view key) {
  const std::string low = lower_case(std::string(key));
  return std::ranges::any_of(kSecretWords, [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

}  // namespace

std::string shown_value(std::string_view key, const nlohmann::json& value) {
  if (value.is_structured() || value.is_null() || names_secret(key)) return {};
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > kLongest) text = cut_text(std::move(text), kLongest) + "...";
  return printable(text);
}

}  // namespace det
