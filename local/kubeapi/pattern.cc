#include "local/kubeapi/pattern.h"

#include <utility>

#include <boost/regex.hpp>

namespace det::local::kubeapi {

// std::regex recurses once per character and overflows the stack on long values.
struct Pattern::Compiled {
  boost::regex regex;
};

Pattern::Pattern(std::string text) : text_(std::move(text)), compiled_(std::make_unique<Compiled>()) {}
Pattern::~Pattern() = default;

Result<std::shared_ptr<const Pattern>> Pattern::compile(const std::string& text) {
  std::shared_ptr<Pattern> pattern(new Pattern(text));
  try {
    pattern->compiled_->regex.assign(text, boost::regex::perl);
  } catch (const std::exception& wrong) {
    return fail(ErrorCode::kInvalidArgument, wrong.what());
  }
  return pattern;
}

bool Pattern::matches(const std::string& value) const {
  try {
    return boost::regex_search(value, compiled_->regex);
  } catch (const std::exception&) {
    return false;  // too complex for this value
  }
}

}  // namespace det::local::kubeapi
