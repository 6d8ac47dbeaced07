#pragma once

// Turns TlsFiles into an OpenSSL context. A detail of http/server.cc.

#include <memory>

#include <boost/asio/ssl/context.hpp>

#include "base/result.h"
#include "http/server.h"

namespace det::http {

// TLS 1.2 and later. kInvalidArgument names the file that could not be used.
[[nodiscard]] Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(const TlsFiles& files);

}  // namespace det::http
