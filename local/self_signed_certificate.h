#pragma once

// The certificate of the agent's log server. API servers do not check it unless told to, but they insist on TLS.

#include <string>

#include "base/result.h"

namespace det::local {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

// Makes an EC key and a certificate for `address` (an IP) and `host_name`, valid for a year, as PEM files in `folder`
// (the key readable by its owner only). Takes milliseconds; any thread.
[[nodiscard]] Result<CertificateFiles> make_self_signed_certificate(const std::string& folder,
                                                                    const std::string& address,
                                                                    const std::string& host_name);

}  // namespace det::local
