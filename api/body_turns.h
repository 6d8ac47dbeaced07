#pragma once

// Who may have a large body parsed next. A body costs several times its size while it is parsed and worked on, so one
// large one at a time is; small ones never wait. Accounts take turns: who sends many waits behind his own.
// Belongs to the io thread.

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <utility>

#include "base/bounded_map.h"
#include "base/task.h"

namespace det::api {

class BodyTurns {
 public:
  static constexpr std::size_t kLarge = std::size_t{256} << 10;  // bytes; below, a body costs little whatever is in it

  // No other large body is worked on while this lives.
  class Turn {
   public:
    explicit Turn(BodyTurns* turns) : turns_(turns) {}
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    BodyTurns* turns_;  // null for a small body
  };

  // Waits until a body of so many bytes may be worked on.
  Task<Turn> wait(std::string account, std::size_t bytes);
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiter;
  class Waiting;

  // Lets the next one go, of the account whose last turn is longest ago; in the order they came within it.
  void dispatch();

  bool is_taken_ = false;
  std::list<Waiter*> waiting_;
  std::uint64_t turns_ = 0;
  BoundedMap<std::string, std::uint64_t> last_turn_{20'000};  // by account
};

}  // namespace det::api
