#include "cli/posted_pages.h"

#include <utility>

#include "cli/text.h"

namespace det::cli {

Task<Result<Json>> post_pages(MasterClient& client, std::string path, std::string key, Json body, PageOptions options) {
  Json items = Json::array();
  std::int64_t offset = options.offset;
  for (;;) {
    body["offset"] = offset;
    body["limit"] = options.limit;
    auto answer = co_await client.send("POST", path, body);
    DET_CO_TRY(answer);
    for (const Json& item : field(*answer, key)) items.push_back(item);
    const Json position = field(*answer, "pagination");
    const std::int64_t end = integer_field(position, "endIndex");
    if (options.one_page() || end >= integer_field(position, "total") || end <= offset) {
      (*answer)[key] = std::move(items);
      co_return std::move(*answer);
    }
    offset = end;
  }
}

}  // namespace det::cli
