#include "base/jws.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "tests/support/signing_key.h"

namespace det {
namespace {

using nlohmann::json;
using test::compact_token;
using test::SigningKey;
using testing::HasSubstr;

const json kClaims = {{"sub", "1"}};

// Made once: primes take their time.
const SigningKey& rsa() {
  static const SigningKey kKey = SigningKey::rsa();
  return kKey;
}
const SigningKey& ec() {
  static const SigningKey kKey = SigningKey::ec();
  return kKey;
}
const SigningKey& other_rsa() {
  static const SigningKey kKey = SigningKey::rsa();
  return kKey;
}

JwsKeys published(const json& keys) {
  return JwsKeys::parse(json{{"keys", keys}}.dump()).value();
}
JwsKeys both() {
  return published({rsa().jwk("r"), ec().jwk("e")});
}

// How it ends: nothing when it is verified.
Status verified(const std::string& token, const JwsKeys& keys) {
  const auto jws = parse_jws(token);
  if (!jws) return std::unexpected(jws.error());
  return keys.verify(*jws);
}
ErrorCode code_of(const Status& status) {
  return status ? ErrorCode{} : status.error().code;
}

TEST(Jws, TakesWhatAPublishedKeyHasSigned) {
  EXPECT_TRUE(verified(rsa().sign({{"alg", "RS256"}, {"kid", "r"}}, kClaims), both()));
  EXPECT_TRUE(verified(ec().sign({{"alg", "ES256"}, {"kid", "e"}}, kClaims), both()));
  const auto jws = parse_jws(rsa().sign({{"alg", "RS256"}}, kClaims));
  EXPECT_EQ(jws.value().payload, kClaims.dump());
  EXPECT_TRUE(both().verify(*jws)) << "one that names no key may be of any";
}

TEST(Jws, RefusesWhatNobodyOrSomebodyElseHasSigned) {
  EXPECT_EQ(code_of(verified(other_rsa().sign({{"alg", "RS256"}, {"kid", "r"}}, kClaims), both())),
            ErrorCode::kPermissionDenied);
  const std::string good = rsa().sign({{"alg", "RS256"}, {"kid", "r"}}, kClaims);
  const std::string signature = good.substr(good.rfind('.') + 1);
  const std::string header = good.substr(0, good.find('.'));
  EXPECT_EQ(code_of(verified(header + "." + base64url_encode(R"({"sub":"2"})") + "." + signature, both())),
            ErrorCode::kPermissionDenied);
  EXPECT_FALSE(parse_jws(good.substr(0, good.rfind('.') + 1))) << "no signature at all";
}

TEST(Jws, KnowsTwoAlgorithmsAndNoOther) {
  for (const char* algorithm :
       {"none", "None", "NONE", "nOnE", "HS256", "HS512", "RS1", "RS384", "PS256", "ES512", ""}) {
    const auto jws = parse_jws(compact_token({{"alg", algorithm}, {"kid", "r"}}, kClaims, "x"));
    ASSERT_FALSE(jws) << algorithm;
    EXPECT_EQ(jws.error().code, ErrorCode::kPermissionDenied);
  }
  EXPECT_FALSE(parse_jws(compact_token(json{{"kid", "r"}}, kClaims, "x")));
  EXPECT_FALSE(parse_jws(compact_token({{"alg", json::array({"RS256"})}}, kClaims, "x")));
}

// Who takes a public key for a shared secret is told that everybody has signed.
TEST(Jws, TakesNoPublicKeyForASecret) {
  const std::string text = base64url_encode(R"({"alg":"HS256","kid":"r"})") + "." + base64url_encode(kClaims.dump());
  const std::string mac = hex_decode(hmac_sha256_hex(rsa().public_pem(), text)).value();
  EXPECT_EQ(code_of(verified(text + "." + base64url_encode(mac), both())), ErrorCode::kPermissionDenied);
}

TEST(Jws, TakesEachKeyForItsOwnAlgorithmOnly) {
  EXPECT_EQ(code_of(verified(compact_token({{"alg", "ES256"}, {"kid", "r"}}, kClaims, std::string(64, 'x')), both())),
            ErrorCode::kNotFound);
  EXPECT_EQ(code_of(verified(compact_token({{"alg", "RS256"}, {"kid", "e"}}, kClaims, "x"), both())),
            ErrorCode::kNotFound);
}

TEST(Jws, ComparesTheNamesOfKeysAndLooksNowhereForThem) {
  for (const char* id :
       {"../../../dev/null", "r\0", "R", "r ", "' OR 1=1 --", "http://evil.example/keys", "/dev/null"}) {
    EXPECT_EQ(code_of(verified(rsa().sign({{"alg", "RS256"}, {"kid", id}}, kClaims), both())),
              std::string(id) == "r" ? ErrorCode{} : ErrorCode::kNotFound)
        << id;
  }
}

TEST(Jws, LooksAtNoKeyThatTheTokenBringsAlong) {
  const json header = {{"alg", "RS256"},
                       {"jwk", other_rsa().jwk("r")},
                       {"jku", "https://evil.example/keys"},
                       {"x5u", "https://evil.example/certificate"},
                       {"kid", "r"}};
  EXPECT_EQ(code_of(verified(other_rsa().sign(header, kClaims), both())), ErrorCode::kPermissionDenied);
}

TEST(Jws, RefusesWhatMustBeUnderstood) {
  const auto jws = parse_jws(rsa().sign({{"alg", "RS256"}, {"crit", {"b64"}}, {"b64", false}}, kClaims));
  ASSERT_FALSE(jws);
  EXPECT_THAT(jws.error().message, HasSubstr("crit"));
}

TEST(Jws, RefusesNumbersThatAreNoSignature) {
  for (const std::string& signature : {std::string(64, '\0'), std::string(64, '\xff'), std::string(63, 'x'),
                                       std::string(65, 'x'), std::string("\x30\x06\x02\x01\x01\x02\x01\x01", 8)}) {
    EXPECT_EQ(code_of(verified(compact_token({{"alg", "ES256"}, {"kid", "e"}}, kClaims, signature), both())),
              ErrorCode::kPermissionDenied);
  }
}

TEST(Jws, IsThreePartsOfBase64url) {
  const std::string good = rsa().sign({{"alg", "RS256"}}, kClaims);
  for (const std::string& bad :
       {std::string(), std::string("."), std::string(".."), std::string("a.b"), good + ".x", good + "=", "=" + good,
        " " + good, good + "\n", std::string(kLongestJws + 1, 'a'), base64url_encode("[]") + ".e30.eA",
        base64url_encode(R"({"alg":"RS256")") + ".e30.eA", base64url_encode(std::string(5000, ' ')) + ".e30.eA"}) {
    const auto jws = parse_jws(bad);
    ASSERT_FALSE(jws) << bad.substr(0, 50);
    EXPECT_EQ(jws.error().code, ErrorCode::kInvalidArgument) << bad.substr(0, 50);
  }
  EXPECT_FALSE(parse_jws(base64url_encode(std::string(1000, '[') + std::string(1000, ']')) + ".e30.eA"));
}

TEST(JwsKeys, LeaveOutWhatIsWeakOrForSomethingElse) {
  static const SigningKey weak = SigningKey::rsa(1024);
  json encrypts = rsa().jwk("r");
  encrypts["use"] = "enc";
  json other = rsa().jwk("r");
  other["alg"] = "RS512";
  json even = rsa().jwk("r");
  even["e"] = base64url_encode("\x02");
  json one = rsa().jwk("r");
  one["e"] = base64url_encode("\x01");
  json huge = rsa().jwk("r");
  huge["n"] = base64url_encode(std::string(4096, '\xff'));
  json off_curve = ec().jwk("e");
  off_curve["y"] = off_curve["x"];
  json other_curve = ec().jwk("e");
  other_curve["crv"] = "P-384";
  for (const json& jwk :
       {weak.jwk("w"), encrypts, other, even, one, huge, off_curve, other_curve,
        json{{"kty", "oct"}, {"k", "c2VjcmV0"}, {"kid", "r"}}, json{{"kty", "RSA"}}, json(7), json()}) {
    EXPECT_EQ(published(json::array({jwk})).size(), 0U) << jwk;
  }
  EXPECT_EQ(published({json(), rsa().jwk("r")}).size(), 1U) << "those that are good count";
}

TEST(JwsKeys, AreASetOfKeys) {
  for (const char* bad : {"", "[]", "{}", R"({"keys": {}})", "keys", R"({"keys": [)"})
    EXPECT_FALSE(JwsKeys::parse(bad));
  EXPECT_EQ(JwsKeys::parse(R"({"keys": []})").value().size(), 0U);
  json many = json::array();
  for (int i = 0; i < 150; ++i) many.push_back(ec().jwk(std::to_string(i)));
  EXPECT_EQ(published(many).size(), 100U);
}

}  // namespace
}  // namespace det
