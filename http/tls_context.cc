#include "http/tls_context.h"

#include <string>

namespace det::http {

namespace ssl = boost::asio::ssl;

Result<std::unique_ptr<ssl::context>> make_tls_context(const TlsFiles& files) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  boost::system::error_code ec;
  const auto refuse = [&ec](const std::string& file, const std::string& what) {
    return fail(ErrorCode::kInvalidArgument, "the " + what + " " + file + " cannot be used: " + ec.message());
  };
  context->set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                           ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1,
                       ec);
  context->use_certificate_chain_file(files.certificate_file, ec);
  if (ec) return refuse(files.certificate_file, "certificate");
  context->use_private_key_file(files.key_file, ssl::context::pem, ec);
  if (ec) return refuse(files.key_file, "key");
  if (!files.client_ca_file.empty()) {
    context->load_verify_file(files.client_ca_file, ec);
    if (ec) return refuse(files.client_ca_file, "client CA");
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, ec);
    if (ec) return refuse(files.client_ca_file, "client CA");
  }
  return context;
}

}  // namespace det::http
