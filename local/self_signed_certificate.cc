#include "local/self_signed_certificate.h"

#include <ctime>
#include <memory>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "local/agent/shim.h"

namespace det::local {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;

std::string text_of(BIO* bio) {
  BUF_MEM* memory = nullptr;
  BIO_get_mem_ptr(bio, &memory);
  return memory == nullptr ? std::string() : std::string(memory->data, memory->length);
}

bool name_it(X509* certificate, const std::string& address, const std::string& host_name) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(host_name.c_str());
  if (X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, text, -1, -1, 0) != 1) return false;
  if (X509_set_issuer_name(certificate, name) != 1) return false;
  const std::string names = "IP:" + address + ",DNS:" + host_name + ",DNS:localhost";
  const std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

Certificate sign(EVP_PKEY* key, const std::string& address, const std::string& host_name) {
  constexpr long kTenYearsSeconds = 10L * 365 * 24 * 3600;
  constexpr long kClockSkewSeconds = 3600;
  Certificate certificate(X509_new());
  std::int64_t serial = 0;
  if (!certificate || RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return nullptr;
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate.get()), serial & 0x7fffffffffffffff);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kClockSkewSeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kTenYearsSeconds);
  X509_set_pubkey(certificate.get(), key);
  if (!name_it(certificate.get(), address, host_name)) return nullptr;
  return X509_sign(certificate.get(), key, EVP_sha256()) > 0 ? std::move(certificate) : nullptr;
}

}  // namespace

Result<CertificateFiles> make_self_signed_certificate(const std::string& folder, const std::string& address,
                                                      const std::string& host_name) {
  const auto failed = [] { return fail(ErrorCode::kInternal, "the certificate of the log server could not be made"); };
  const Key key(EVP_EC_gen("P-256"));
  if (!key) return failed();
  const Certificate certificate = sign(key.get(), address, host_name);
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_mem()));
  if (!certificate || PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return failed();
  }
  CertificateFiles files{folder + "/server.crt", folder + "/server.key"};
  Status written = write_file_atomically(files.certificate, text_of(certificate_text.get()), 0644);
  if (written) written = write_file_atomically(files.key, text_of(key_text.get()), 0600);
  DET_TRY(written);
  return files;
}

bool is_valid_for(const std::string& certificate, std::chrono::hours time) {
  const Bio file(BIO_new_file(certificate.c_str(), "r"));
  const Certificate read(file ? PEM_read_bio_X509(file.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!read || X509_cmp_current_time(X509_get0_notBefore(read.get())) >= 0) return false;
  std::time_t end = std::time(nullptr) + std::chrono::seconds(time).count();
  return X509_cmp_time(X509_get0_notAfter(read.get()), &end) > 0;
}

}  // namespace det::local
