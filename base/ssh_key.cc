#include "base/ssh_key.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/encoding.h"

namespace det {
namespace {

struct KeyFree {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct BioFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

constexpr std::string_view kCurve = "nistp256";
constexpr std::string_view kKind = "ecdsa-sha2-nistp256";

// As RFC 4251 writes a string: its length in four bytes, then itself.
void append_string(std::string& wire, std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  for (int shift = 24; shift >= 0; shift -= 8) wire += static_cast<char>((size >> shift) & 0xff);
  wire += text;
}

Result<std::string> private_pem(EVP_PKEY* key) {
  const std::unique_ptr<BIO, BioFree> out(BIO_new(BIO_s_mem()));
  // The older form, "BEGIN EC PRIVATE KEY": OpenSSH reads the newer one from 8.x on only.
  if (!out || PEM_write_bio_PrivateKey_traditional(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return fail(ErrorCode::kInternal, "the private key cannot be written");
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<std::size_t>(size));
}

Result<std::string> public_line(EVP_PKEY* key, const std::string& comment) {
  std::array<unsigned char, 256> point{};
  std::size_t size = 0;
  if (EVP_PKEY_get_octet_string_param(key, "pub", point.data(), point.size(), &size) != 1) {
    return fail(ErrorCode::kInternal, "the public key cannot be read");
  }
  std::string wire;
  append_string(wire, kKind);
  append_string(wire, kCurve);
  append_string(wire, {reinterpret_cast<const char*>(point.data()), size});
  return std::string(kKind) + " " + base64_encode(wire) + " " + comment + "\n";
}

}  // namespace

Result<SshKeys> make_ssh_keys(const std::string& comment) {
  const std::unique_ptr<EVP_PKEY, KeyFree> key(EVP_EC_gen("P-256"));
  if (!key) return fail(ErrorCode::kInternal, "no key can be made");
  auto pem = private_pem(key.get());
  DET_TRY(pem);
  auto line = public_line(key.get(), comment);
  DET_TRY(line);
  return SshKeys{.private_key = std::move(*pem), .public_key = std::move(*line)};
}

}  // namespace det
