#include "api/body_turns.h"

#include <utility>

namespace det::api {

Task<Turns::Turn> BodyTurns::wait(std::string account, std::size_t bytes) {
  if (bytes <= kLarge) co_return Turns::Turn(nullptr);
  co_return co_await turns_.wait(std::move(account));
}

}  // namespace det::api
