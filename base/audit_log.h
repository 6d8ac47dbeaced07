#pragma once

// Who did what to which object, from where, with which result: one line of JSON for each event, apart from the log and
// independent of its level. Never tokens, passwords or configurations. Belongs to the io thread.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "base/wall_time.h"

namespace det {

struct AuditEvent {
  WallTime at{};
  std::string action;     // "experiment.kill", "login", "denied"
  std::string user;       // a login: the name that was tried; empty: nobody
  std::string token;      // what the user came with: "login", "task user", "task session"; empty: nothing
  std::string object;     // "experiment 5"; empty: none
  std::string from;       // the address of the peer, without its port
  std::string forwarded;  // what X-Forwarded-For claims; a proxy's word, not ours
  int status = 0;         // of the HTTP answer; 0: not of a request
  std::string reason;     // of a refusal
};

// {"audit": action, "time": ..., ...} without empty members. Texts are cut at 300 bytes; control characters are
// escaped.
[[nodiscard]] std::string audit_line(const AuditEvent& event);

class AuditLog {
 public:
  // Refusals of one address within a minute that are told one by one; those beyond it are counted and told as one event
  // "suppressed", so that a flood neither fills the disk nor hides what else happens.
  static constexpr int kRefusalsPerMinute = 60;
  static constexpr std::size_t kAddresses = 1'024;  // that are counted apart

  // Nothing is written before open().
  explicit AuditLog(Clock& clock) : clock_(clock) {}
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Appends to `file`, made with mode 0600; empty: standard error. kUnavailable when it cannot be opened.
  [[nodiscard]] Status open(const std::string& file);
  // Also told of each event that is written, for another store. Null: nobody.
  void set_listener(std::function<void(const AuditEvent&)> listener) { listener_ = std::move(listener); }

  // Stamps the event with the time and writes it. One of status 400 or above counts for kRefusalsPerMinute.
  void record(AuditEvent event);

 private:
  struct Refusals {
    SteadyTime since;
    int count = 0;
  };

  void write(const AuditEvent& event);
  // Whether to tell of one more refusal of this address.
  [[nodiscard]] bool counts(const std::string& from);
  // Tells what was not told in the minutes that are over.
  void sweep();

  Clock& clock_;
  int file_ = -1;
  bool is_open_ = false;
  std::function<void(const AuditEvent&)> listener_;
  std::map<std::string, Refusals> refusals_;  // by address; "" is all that found no room
  SteadyTime swept_;
};

}  // namespace det
