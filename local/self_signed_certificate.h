#pragma once

// The certificate of the agent's log server. API servers do not check it unless told to, but they insist on TLS.

#include <chrono>
#include <string>

#include "base/result.h"

namespace det::local {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

// Makes an EC key and a certificate for `address` (an IP) and `host_name`, valid for ten years, as PEM files in
// `folder` (the key readable by its owner only). Takes milliseconds; any thread.
[[nodiscard]] Result<CertificateFiles> make_self_signed_certificate(const std::string& folder,
                                                                    const std::string& address,
                                                                    const std::string& host_name);

// Whether the certificate in this file is valid now, and for `time` from now on.
[[nodiscard]] bool is_valid_for(const std::string& certificate, std::chrono::hours time);

}  // namespace det::local
