#pragma once

// Whether a namespace is still one that things can be made in. Belongs to the io thread.

#include <cstdint>
#include <string>

#include "k8sclient/client.h"

namespace det::op {

enum class NamespaceLife : std::uint8_t {
  kThere,  // also where the operator may not ask, as with the chart's scope namespaced
  kGoing,  // it is being deleted: nothing is made in it any more
  kGone,
};
Task<Result<NamespaceLife>> namespace_life(k8s::Client& client, std::string ns);

}  // namespace det::op
