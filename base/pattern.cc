#include "base/pattern.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <re2/re2.h>

namespace det {
namespace {

constexpr std::int64_t kMostMemory = 8 << 20;
constexpr std::size_t kMostSteps = 200'000'000;

re2::RE2::Options bounded() {
  re2::RE2::Options options;
  options.set_max_mem(kMostMemory);
  options.set_log_errors(false);
  return options;
}

}  // namespace

struct Pattern::Compiled {
  explicit Compiled(std::string_view text) : regex(re2::StringPiece(text.data(), text.size()), bounded()) {}

  re2::RE2 regex;
};

Pattern::Pattern(std::string text, std::unique_ptr<Compiled> compiled)
    : text_(std::move(text)), compiled_(std::move(compiled)) {}
Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::compile(std::string_view text) {
  if (text.size() > kLongest) {
    return fail(ErrorCode::kInvalidArgument, "the regular expression has " + std::to_string(text.size()) +
                                                 " bytes; at most " + std::to_string(kLongest) + " are taken");
  }
  auto compiled = std::make_unique<Compiled>(text);
  if (!compiled->regex.ok()) return fail(ErrorCode::kInvalidArgument, compiled->regex.error());
  return std::shared_ptr<const Pattern>(new Pattern(std::string(text), std::move(compiled)));
}

bool Pattern::found_in(std::string_view text) const {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->regex);
}

std::string_view Pattern::affordable(std::string_view text) const {
  const int size = compiled_->regex.ProgramSize();
  return text.substr(0, kMostSteps / static_cast<std::size_t>(std::max(size, 1)));
}

}  // namespace det
