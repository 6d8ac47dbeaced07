#pragma once

// Connections to tasks stay open for days, longer than the right to them: somebody logs out, is switched off or loses a
// role. So it is asked again while they last, once in a while for each token and service, however many connections
// there are. Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "store/proxy/service_store.h"

namespace det::proxy {

// What somebody was let in by.
struct Ground {
  enum class Kind : std::uint8_t {
    kToken,     // of a user, or of a task that acts for one
    kLogin,     // the same, from a cookie: of a login only
    kOwnToken,  // the notebook's
  };
  Kind kind = Kind::kToken;
  std::string token_hash;  // SHA-256
  store::ProxyService service;
};

class Rights {
 public:
  // Whether the ground still holds. Errors are those of a look-up.
  using Ask = std::function<Task<Result<bool>>(Ground)>;

  static constexpr std::chrono::seconds kBetweenLooks{5};

  // A connection, which ends with its ground.
  class Holder {
   public:
    // Without a ground nothing is asked.
    Holder(Rights& rights, std::optional<Ground> ground);
    virtual ~Holder();
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;

   protected:
    // The right is gone. May end the life of others, and its own.
    virtual void lose_right() = 0;

   private:
    friend Rights;
    Rights& rights_;
    std::optional<Ground> ground_;
    SteadyTime since_;
    std::list<Holder*>::iterator place_;
  };

  // The clock outlives it, and it all holders.
  Rights(Clock& clock, Ask ask) : clock_(clock), ask_(std::move(ask)) {}
  Rights(const Rights&) = delete;
  Rights& operator=(const Rights&) = delete;

  // Asks for those that have been there for kBetweenLooks. Only a clear no ends them: while the database is away nobody
  // loses rights.
  Task<void> look(SteadyTime now);
  // Until cancelled.
  Task<void> run();

 private:
  void end(const Ground& lost);

  Clock& clock_;
  Ask ask_;
  std::list<Holder*> holders_;
  std::list<Holder*>::iterator next_ = holders_.end();
};

}  // namespace det::proxy
