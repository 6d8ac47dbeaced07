#include "model/access/id_token.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "base/json_reader.h"

namespace det::model {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestSubject = 255;
constexpr std::size_t kLongestUsername = 128;
constexpr std::size_t kLongestText = 255;

std::unexpected<Error> refused(const std::string& what) {
  return fail(ErrorCode::kPermissionDenied, what);
}

// Seconds since 1970; nothing for what is no time that there could be.
std::optional<double> time_in(const json& claims, std::string_view name) {
  const json& value = get_any(claims, name);
  if (!value.is_number()) return std::nullopt;
  const auto seconds = value.get<double>();
  constexpr double kLatest = 253'402'300'799;  // of the year 9999
  if (!std::isfinite(seconds) || seconds < 0 || seconds > kLatest) return std::nullopt;
  return seconds;
}

double seconds_of(WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// One audience, or a list in which we are; of several the token says for whom it was made.
Status check_audience(const json& claims, const std::string& client) {
  const json& audience = get_any(claims, "aud");
  const bool is_list = audience.is_array();
  const bool is_us = is_list ? std::ranges::find(audience, json(client)) != audience.end() : audience == client;
  if (!is_us) return refused("the token is for somebody else: aud");
  const json& party = get_any(claims, "azp");
  if (party.is_null() && is_list && audience.size() > 1) {
    return refused("the token is for several and does not say for whom it was made: azp");
  }
  if (!party.is_null() && party != client) return refused("the token was made for somebody else: azp");
  return {};
}

Status check_times(const json& claims, const IdTokenRules& rules) {
  const double now = seconds_of(rules.now);
  const auto skew = static_cast<double>(kClockSkew.count());
  const auto expires = time_in(claims, "exp");
  if (!expires) return refused("the token does not say until when it is good: exp");
  if (*expires + skew <= now) return refused("the token is good no more: exp");
  const auto issued = time_in(claims, "iat");
  if (!issued) return refused("the token does not say since when it is good: iat");
  if (*issued - skew > now) return refused("the token is of the future: iat");
  if (*issued + skew < seconds_of(rules.begun_at)) return refused("the token is older than this sign-in: iat");
  if (!get_any(claims, "nbf").is_null()) {
    const auto begins = time_in(claims, "nbf");
    if (!begins || *begins - skew > now) return refused("the token is not good yet: nbf");
  }
  return {};
}

// Nothing where the claim is not there or empty, as upstream has it.
Result<std::optional<std::string>> text_claim(const json& claims, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const json& value = get_any(claims, name);
  if (value.is_null()) return std::nullopt;
  if (!value.is_string()) return refused("the claim \"" + name + "\" is no text");
  const std::string& text = value.get_ref<const std::string&>();
  if (text.size() > kLongestText) {
    return refused("the claim \"" + name + "\" has more than " + std::to_string(kLongestText) + " bytes");
  }
  if (text.contains('\0')) return refused("the claim \"" + name + "\" has a NUL in it");
  if (text.empty()) return std::nullopt;
  return text;
}

Result<std::optional<int>> number_claim(const json& claims, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const json& value = get_any(claims, name);
  if (value.is_null()) return std::nullopt;
  const auto number = whole_number(value);
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) {
    return refused("the claim \"" + name + "\" is no number from 0 to 2147483647");
  }
  return static_cast<int>(*number);
}

// As api/access/groups.cc has it of groups that people make: upstream's clients take the one with this word for a
// person's own.
bool is_group_name(const std::string& text) {
  return !text.empty() && text.size() <= kLongestText && !text.contains('\0') &&
         !text.contains("DeterminedPersonalGroup");
}

Result<std::vector<std::string>> groups_claim(const json& claims, const std::string& name) {
  std::vector<std::string> groups;
  const json& value = name.empty() ? json() : get_any(claims, name);
  if (value.is_null()) return groups;
  if (!value.is_array()) return refused("the claim \"" + name + "\" is no list of texts");
  if (value.size() > kMostRemoteGroups) {
    return refused("the claim \"" + name + "\" has " + std::to_string(value.size()) + " groups, and up to " +
                   std::to_string(kMostRemoteGroups) + " are read: have the provider send only those that matter here");
  }
  for (const json& group : value) {
    if (!group.is_string()) return refused("the claim \"" + name + "\" is no list of texts");
    const auto& text = group.get_ref<const std::string&>();
    if (!is_group_name(text)) {
      return refused("the claim \"" + name +
                     "\" has a text that no group can be called: " + group.dump(-1, ' ', true).substr(0, kLongestText));
    }
    groups.push_back(text);
  }
  std::ranges::sort(groups);
  const auto same = std::ranges::unique(groups);
  groups.erase(same.begin(), same.end());
  return groups;
}

Result<std::string> username_claim(const json& claims, const OidcConfig& config) {
  const std::string& name = config.authentication_claim;
  const json& value = get_any(claims, name);
  if (value.is_null()) {
    return refused("the provider does not say who you are: the claim \"" + name + "\" is missing");
  }
  if (!value.is_string()) return refused("the claim \"" + name + "\" is no text");
  const auto& text = value.get_ref<const std::string&>();
  const auto is_visible = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (text.empty() || text.size() > kLongestUsername || !std::ranges::all_of(text, is_visible) || text.front() == ' ' ||
      text.back() == ' ') {
    return refused("the claim \"" + name + "\" is no username: 1 to 128 ASCII characters without spaces around them");
  }
  if (name == "email" && get_any(claims, "email_verified") == false) {
    return refused("the provider says that the e-mail address was not verified: email_verified");
  }
  return text;
}

}  // namespace

Status check_id_token(const json& claims, const IdTokenRules& rules) {
  if (!claims.is_object()) return refused("the token has no claims");
  if (get_any(claims, "iss") != rules.issuer) return refused("the token is somebody else's: iss");
  const std::string subject = get_string(claims, "sub");
  if (subject.empty() || subject.size() > kLongestSubject) return refused("the token is about nobody: sub");
  DET_TRY(check_audience(claims, rules.client_id));
  DET_TRY(check_times(claims, rules));
  if (rules.nonce.empty() || !is_same_secret(get_string(claims, "nonce"), rules.nonce)) {
    return refused("the token is of another sign-in: nonce");
  }
  return {};
}

std::optional<AgentAccount> RemotePerson::account(const std::optional<AgentAccount>& before) const {
  // Half an account would be root's for the other half.
  if (!before && !(agent_uid && agent_gid)) return std::nullopt;
  AgentAccount account = before.value_or(AgentAccount());
  account.uid = agent_uid.value_or(account.uid);
  account.gid = agent_gid.value_or(account.gid);
  account.user = agent_user.value_or(account.user);
  account.group = agent_group.value_or(account.group);
  return account;
}

bool lacks_claims(const json& claims, const OidcConfig& config) {
  const auto lacks = [&claims](const std::string& name) { return !name.empty() && get_any(claims, name).is_null(); };
  return lacks(config.authentication_claim) || lacks(config.groups_claim) || lacks(config.display_name_claim) ||
         lacks(config.agent_uid_claim) || lacks(config.agent_gid_claim) || lacks(config.agent_user_claim) ||
         lacks(config.agent_group_claim);
}

Result<RemotePerson> read_remote_person(const json& claims, const OidcConfig& config) {
  RemotePerson person;
  auto username = username_claim(claims, config);
  DET_TRY(username);
  person.username = *std::move(username);
  auto groups = groups_claim(claims, config.groups_claim);
  DET_TRY(groups);
  person.groups = *std::move(groups);
  for (const auto& [name, text] : {std::pair(&config.display_name_claim, &person.display_name),
                                   std::pair(&config.agent_user_claim, &person.agent_user),
                                   std::pair(&config.agent_group_claim, &person.agent_group)}) {
    auto said = text_claim(claims, *name);
    DET_TRY(said);
    *text = *std::move(said);
  }
  for (const auto& [name, number] :
       {std::pair(&config.agent_uid_claim, &person.agent_uid), std::pair(&config.agent_gid_claim, &person.agent_gid)}) {
    const auto said = number_claim(claims, *name);
    DET_TRY(said);
    *number = *said;
  }
  return person;
}

}  // namespace det::model
