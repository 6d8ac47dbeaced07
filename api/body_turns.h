#pragma once

// Who may have a large body parsed next. A body costs several times its size while it is parsed and worked on, so one
// large one at a time is; small ones never wait. Accounts take turns. Belongs to the io thread.

#include <cstddef>
#include <string>

#include "base/task.h"
#include "base/turns.h"

namespace det::api {

class BodyTurns {
 public:
  static constexpr std::size_t kLarge = std::size_t{256} << 10;  // bytes; below, a body costs little whatever is in it

  // Waits until a body of so many bytes may be worked on.
  Task<Turns::Turn> wait(std::string account, std::size_t bytes);
  [[nodiscard]] std::size_t waiting() const { return turns_.waiting(); }

 private:
  Turns turns_{1};
};

}  // namespace det::api
