#include "searcher/reason.h"

namespace det::searcher {

std::string Reason::text() const {
  std::string text;
  const std::int64_t* number = numbers_.data();
  for (const char* at = pattern_; *at != '\0'; ++at) {
    if (*at == '#') {
      text += std::to_string(*number++);
    } else if (*at == '@') {
      text += word_;
    } else {
      text += *at;
    }
  }
  return text;
}

}  // namespace det::searcher
