#include "api/logs/log_quote.h"

#include "base/cut_text.h"

namespace det::api {

std::string_view without_end(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string quote_line(std::string_view text, std::size_t most) {
  std::string quote(text);
  std::erase(quote, '\0');
  return cut_text(std::move(quote), most);
}

}  // namespace det::api
