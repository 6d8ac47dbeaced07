#include "http/tls_context.h"

#include <string>
#include <system_error>
#include <utility>

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

Status TlsContexts::load() {
  // Before they are read: what changes meanwhile is seen at the next look.
  Times times = changed_at();
  auto made = make_tls_context(files_);
  DET_TRY(made);
  context_ = std::move(*made);
  loaded_ = std::move(times);
  looked_ = std::chrono::steady_clock::now();
  return {};
}

std::shared_ptr<ssl::context> TlsContexts::current() {
  const auto now = std::chrono::steady_clock::now();
  if (now < looked_ + every_) return context_;
  looked_ = now;
  if (changed_at() == loaded_) return context_;
  if (Status loaded = load()) {
    log_.info("the certificate was read anew", {{"file", files_.certificate_file}});
  } else {
    log_.warn("the certificate has changed and cannot be used; the former one is served",
              {{"reason", loaded.error().message}});
  }
  return context_;
}

TlsContexts::Times TlsContexts::changed_at() const {
  Times times;
  for (const std::string& file : {files_.certificate_file, files_.key_file, files_.client_ca_file}) {
    std::error_code missing;
    times.push_back(file.empty() ? std::filesystem::file_time_type() : std::filesystem::last_write_time(file, missing));
  }
  return times;
}

}  // namespace det::http
