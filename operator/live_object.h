#pragma once

// What the API server itself knows of an object, where our copy may be behind. Watches of two kinds tell what happens
// in any order: that a pod is gone may be known before the deletion of what owned it.

#include <chrono>

#include "base/async.h"
#include "base/result.h"
#include "k8sclient/client.h"
#include "k8sclient/event_recorder.h"

namespace det::op {

// Until the watch tells of a deletion that the API server knows.
inline constexpr std::chrono::seconds kDeletionIsTold{5};

// Whether the object is there, is the one with that uid, and nobody has deleted it. Errors are those of Client::get,
// except that it is not found.
[[nodiscard]] Task<Result<bool>> is_kept(k8s::Client& client, k8s::EventSubject object);

}  // namespace det::op
