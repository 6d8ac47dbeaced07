#pragma once

// Who may have a part of what there is little of: so many at once and no more. Those of different keys, such as
// accounts, take turns: a key that asks for many waits behind its own. Belongs to the io thread.

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <utility>

#include "base/bounded_map.h"
#include "base/task.h"

namespace det {

class Turns {
 public:
  explicit Turns(std::size_t at_once) : at_once_(at_once) {}

  // It is taken while this lives.
  class Turn {
   public:
    explicit Turn(Turns* turns) : turns_(turns) {}
    Turn(Turn&& other) noexcept : turns_(std::exchange(other.turns_, nullptr)) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    Turns* turns_;  // null: of nothing
  };

  // Waits until it is the key's turn.
  Task<Turn> wait(std::string key);
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiter;
  class Waiting;

  // Lets the next ones go, of the keys whose last turn is longest ago; in the order they came within each.
  void dispatch();
  [[nodiscard]] Waiter* next();

  std::size_t at_once_;
  std::size_t taken_ = 0;
  std::list<Waiter*> waiting_;
  std::uint64_t turns_ = 0;
  BoundedMap<std::string, std::uint64_t> last_turn_{20'000};  // by key
};

}  // namespace det
