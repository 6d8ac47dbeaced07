#pragma once

// Who asks: finds user and token by the rules of the Python command line and logs in where it must. Belongs to the io
// thread.

#include <string>

#include "cli/master_client.h"
#include "cli/world.h"

namespace det::cli {

// A client with a token that the server has just accepted (one from DET_USER_TOKEN excepted).
struct Session {
  MasterClient client;
  std::string username;
};

// Whether this value of DET_MASTER_CERT_FILE is no file but says to trust anyone.
[[nodiscard]] bool is_noverify(const std::string& cert_file);

// A client without a token, for what nobody must log in for.
[[nodiscard]] Result<MasterClient> open_client(const Invocation& in);
// User: -u, else DET_USER with DET_PASS, else the one who is logged in, else "determined" with a blank password. Token:
// the stored one if the server takes it, else DET_USER_TOKEN of that user, else a login, whose token is stored. Asks
// for a password that nobody gave.
Task<Result<Session>> open_session(Invocation in);

// The form in which passwords travel; an empty one stays empty.
[[nodiscard]] std::string salted_hash(const std::string& password);
// The token of a new session. kUnauthenticated for a wrong user or password.
Task<Result<std::string>> log_in(MasterClient client, std::string username, std::string password);
// What is weak about it, one line each; empty when nothing is.
[[nodiscard]] std::string password_weakness(const std::string& password);
// Prints the warning that the Python command line prints for weak passwords.
void warn_if_weak(World& world, const std::string& password);

}  // namespace det::cli
