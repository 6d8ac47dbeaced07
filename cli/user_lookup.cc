#include "cli/user_lookup.h"

#include "cli/text.h"

namespace det::cli {

Task<Result<std::int64_t>> user_id(MasterClient client, std::string username) {
  const auto answer = co_await client.get("/api/v1/users/" + path_segment(username) + "/by-username");
  DET_CO_TRY(answer);
  co_return integer_field(field(*answer, "user"), "id");
}

}  // namespace det::cli
