#pragma once

// Who gets into local mode. Users without a password are given one that is kept in the data folder; the person who
// started the program is logged in: a token goes into the file that both command lines read. Belongs to the io thread.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "main/operator/local_folder.h"
#include "store/users/user_store.h"

namespace det::main {

struct LocalAccessOptions {
  bool blank_passwords = false;   // leave them blank, and make those blank again that we made
  std::vector<std::string> urls;  // under which the token is found
  std::string token_folder;       // of auth.json; empty: nobody is logged in
};

// The folder that both command lines keep their tokens in; empty when the environment names no home.
[[nodiscard]] std::string token_folder();

class LocalAccess {
 public:
  LocalAccess(const LocalFolder& folder, Clock& clock, LocalAccessOptions options)
      : folder_(folder), clock_(clock), options_(std::move(options)) {}
  ~LocalAccess() { hashing_.join(); }
  LocalAccess(const LocalAccess&) = delete;
  LocalAccess& operator=(const LocalAccess&) = delete;

  // Before the first login is let in. Passwords are in the file before they are in the database.
  Task<Status> prepare(store::UserStore& users, store::SessionStore& sessions);
  // Both command lines forget the tokens; the next start brings the same ones.
  void leave();

 private:
  Task<Status> make_passwords(store::UserStore& users, const std::vector<store::UserRow>& blank);
  Task<Status> take_passwords_back(store::UserStore& users);
  Task<Status> log_in(store::UserStore& users, store::SessionStore& sessions);

  const LocalFolder& folder_;
  Clock& clock_;
  LocalAccessOptions options_;
  Logger log_{"local"};
  asio::thread_pool hashing_{1};
  std::map<std::string, std::string> tokens_;  // by user
};

}  // namespace det::main
