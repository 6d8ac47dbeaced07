#pragma once

// Whose password is looked at next. Hashing is slow on purpose, so whoever sends wrong passwords could keep everybody
// out. Who once logged in from an address comes first there, on one thread while strangers wait: who is known can send
// wrong ones, too. A login from an address that has lately sent a wrong password is a suspect and comes last, on one
// thread, when the others have all of them; among equals addresses take turns. Few may wait, per address and in all.
// Belongs to the io thread.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"

namespace det::api {

struct LoginLimits {
  std::size_t threads = 2;               // that hash
  std::size_t suspect_threads = 1;       // of those, for suspects
  std::size_t waiting = 128;             // logins that wait, of each standing
  std::size_t waiting_per_address = 64;  // of those who are neither known there nor suspects
  std::size_t waiting_per_suspect = 16;  // of one address
  std::size_t waiting_per_name = 4;      // of one name from one address
  std::chrono::seconds suspicion{60};    // after a wrong password
  std::size_t remembered = 20'000;       // addresses, and users that once came from one
};

class LoginGate {
 public:
  LoginGate(Clock& clock, LoginLimits limits) : clock_(clock), limits_(limits) {}

  enum class Standing : std::uint8_t { kKnown, kStranger, kSuspect };

  // One password is being hashed while this lives.
  class Turn {
   public:
    Turn(LoginGate& gate, Standing standing) : gate_(&gate), standing_(standing) {}
    Turn(Turn&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)), standing_(other.standing_) {}
    Turn& operator=(Turn&&) = delete;
    ~Turn();

   private:
    LoginGate* gate_;
    Standing standing_;
  };

  // Waits. kResourceExhausted, with a time after which to try again, when too many wait already.
  Task<Result<Turn>> wait(std::string address, std::string name);
  void note_wrong(const std::string& address);
  void note_right(const std::string& address, const std::string& name);

 private:
  struct Waiter;
  class Waiting;

  [[nodiscard]] Standing standing_of(const std::string& address, const std::string& name) const;
  [[nodiscard]] Status check_room(const std::string& address, const std::string& name);
  // Lets those go whose turn it is.
  void dispatch();
  [[nodiscard]] Waiter* next() const;
  [[nodiscard]] Waiter* next_of(Standing standing) const;
  [[nodiscard]] std::size_t running(Standing standing) const { return running_[static_cast<std::size_t>(standing)]; }

  Clock& clock_;
  LoginLimits limits_;
  std::list<Waiter*> waiting_;          // in the order they came
  std::size_t running_[3] = {0, 0, 0};  // by standing
  std::uint64_t turns_ = 0;
  std::unordered_map<std::string, std::uint64_t> last_turn_;  // by address
  std::unordered_map<std::string, SteadyTime> wrong_;         // by address: until when it is a suspect
  std::unordered_map<std::string, bool> right_;               // "<address> <name>"
};

}  // namespace det::api
