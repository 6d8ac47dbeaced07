#pragma once

// Pairs of keys for ssh. Thread-safe.

#include <string>

#include "base/result.h"

namespace det {

struct SshKeys {
  std::string private_key;  // PEM, which ssh and sshd read as it is
  std::string public_key;   // a line of authorized_keys
};

// On the curve P-256: OpenSSH has read its PEM since 5.7, and a pair costs less than a millisecond, where RSA's would
// take a core for a second. kInternal when OpenSSL cannot.
[[nodiscard]] Result<SshKeys> make_ssh_keys(const std::string& comment);

}  // namespace det
