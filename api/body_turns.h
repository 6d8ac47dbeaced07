#pragma once

// Who may have a large body parsed next. A body costs several times its size while it is parsed and worked on, so one
// large one at a time is, of people and of tasks each: what people ask for may wait for the Kubernetes API, and reports
// do not wait for that. Small ones never wait. Accounts take turns. Belongs to the io thread.

#include <cstddef>
#include <string>

#include "base/task.h"
#include "base/turns.h"

namespace det::api {

class BodyTurns {
 public:
  static constexpr std::size_t kLarge = std::size_t{256} << 10;  // bytes; below, a body costs little whatever is in it

  // Waits until a body of so many bytes may be worked on.
  Task<Turns::Turn> wait(std::string account, std::size_t bytes, bool is_report);
  [[nodiscard]] std::size_t waiting() const { return people_.waiting() + reports_.waiting(); }

 private:
  Turns people_{1};
  Turns reports_{1};
};

}  // namespace det::api
