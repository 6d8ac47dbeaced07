#include "wire/user.h"

namespace det::wire {

Json to_json(const User& user) {
  return {{"id", user.id.value},
          {"username", user.username},
          {"displayName", user.display_name},
          {"admin", user.admin},
          {"active", user.active},
          {"remote", user.remote},
          {"agentUserGroup", nullptr},
          {"modifiedAt", time(user.modified_at)}};
}

}  // namespace det::wire
