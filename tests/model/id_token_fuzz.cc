#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/jws.h"
#include "model/access/id_token.h"

namespace {

using nlohmann::json;

// RFC 7515, A.2 and A.3: nobody here has the other half.
constexpr const char* kKeys = R"({"keys": [
  {"kty": "EC", "crv": "P-256", "kid": "e",
   "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
  {"kty": "RSA", "kid": "r", "e": "AQAB",
   "n": "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}]})";

det::model::OidcConfig config() {
  det::model::OidcConfig config;
  config.groups_claim = "groups";
  config.display_name_claim = "name";
  config.agent_uid_claim = "uid";
  config.agent_gid_claim = "gid";
  config.agent_user_claim = "user";
  config.agent_group_claim = "group";
  return config;
}

void require(bool claim) {
  if (!claim) std::abort();
}

// A name is never one that could be taken for another.
void read_claims(const json& claims) {
  static const det::model::OidcConfig kConfig = config();
  static const det::model::IdTokenRules kRules{.issuer = "i",
                                               .client_id = "c",
                                               .nonce = "n",
                                               .begun_at = det::WallTime(std::chrono::seconds(1000)),
                                               .now = det::WallTime(std::chrono::seconds(1100))};
  if (det::model::check_id_token(claims, kRules)) require(claims["iss"] == "i" && claims["nonce"] == "n");
  const auto person = det::model::read_remote_person(claims, kConfig);
  if (!person) return;
  require(!person->username.empty() && person->username.size() <= 128);
  for (const char c : person->username) require(c >= 0x20 && c < 0x7f);
  require(person->groups.size() <= det::model::kMostRemoteGroups);
  if (const auto account = person->account({})) require(account->uid >= 0 && account->gid >= 0);
}

}  // namespace

// The first byte says what the rest is: a token, a set of keys, or claims. No token is verified.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const det::JwsKeys kPublished = det::JwsKeys::parse(kKeys).value();
  require(kPublished.size() == 2);
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 0) {
    const auto jws = det::parse_jws(rest);
    if (!jws) return 0;
    require(!kPublished.verify(*jws));
    read_claims(json::parse(jws->payload, nullptr, false));
  } else if (data[0] % 3 == 1) {
    const auto keys = det::JwsKeys::parse(rest);
    if (keys) require(keys->size() <= 100);
  } else {
    const json claims = json::parse(rest, nullptr, false);
    if (!claims.is_discarded()) read_claims(claims);
  }
  return 0;
}
