#pragma once

// What an OpenID Connect provider says of somebody: whether it says so to us and now, and who that is. Of a token whose
// signature has been checked (base/jws.h). Pure; any thread.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/wall_time.h"
#include "model/cluster/agent_account.h"
#include "model/cluster/oidc_config.h"

namespace det::model {

// By how much the provider's clock may differ from ours.
inline constexpr std::chrono::seconds kClockSkew{60};

struct IdTokenRules {
  std::string issuer;
  std::string client_id;
  std::string nonce;  // of this sign-in
  WallTime begun_at;  // when it began: what was said before is of another one
  WallTime now;
};

// OpenID Connect Core 1.0, section 3.1.3.7, and stricter where that leaves a choice. kPermissionDenied names the claim
// that is wrong.
[[nodiscard]] Status check_id_token(const nlohmann::json& claims, const IdTokenRules& rules);

// Somebody as the provider knows them. Nothing: it does not say.
struct RemotePerson {
  std::string username;
  std::optional<std::string> display_name;
  std::vector<std::string> groups;  // each once, sorted
  std::optional<int> agent_uid;
  std::optional<int> agent_gid;
  std::optional<std::string> agent_user;
  std::optional<std::string> agent_group;

  // `before` with what the provider says in place of its own; nothing where that leaves a number open.
  [[nodiscard]] std::optional<AgentAccount> account(const std::optional<AgentAccount>& before) const;
  bool operator==(const RemotePerson&) const = default;
};

// In groups; nobody reads more.
inline constexpr std::size_t kMostRemoteGroups = 1'000;

// Whether a claim is not there that `config` names: the provider may say more elsewhere.
[[nodiscard]] bool lacks_claims(const nlohmann::json& claims, const OidcConfig& config);
// kPermissionDenied for claims of the wrong kind, for a username that could be taken for another one (white space
// around it, characters that are not ASCII), and for an e-mail address that nobody has verified.
[[nodiscard]] Result<RemotePerson> read_remote_person(const nlohmann::json& claims, const OidcConfig& config);

}  // namespace det::model
