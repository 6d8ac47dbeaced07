#include "api/body_turns.h"

#include <utility>

namespace det::api {

Task<Turns::Turn> BodyTurns::wait(std::string account, std::size_t bytes, bool is_report) {
  if (bytes <= kLarge) co_return Turns::Turn(nullptr);
  co_return co_await (is_report ? reports_ : people_).wait(std::move(account));
}

}  // namespace det::api
