#pragma once

// What of an informer's change is no news for the reconciler of that object. Pure.

#include "k8sclient/resource.h"

namespace det::op {

// Whether nothing but status and metadata changed: what our own status writes change is no event for the reconciler
// that wrote it. The class is an annotation, which the generation does not count.
template <typename View>
[[nodiscard]] bool same_but_status(const View& before, const View& now) {
  if constexpr (requires { now.controller_class; }) {
    if (before.controller_class != now.controller_class) return false;
  }
  return before.uid == now.uid && before.generation == now.generation && before.deleting == now.deleting;
}

// But a call of a former leader may arrive late and say something else, of an object that nobody looks at again.
template <typename Reconciler, typename Kept>
[[nodiscard]] bool is_overwritten(Reconciler& reconciler, const k8s::ObjectKey& key, const Kept& before,
                                  const Kept& now) {
  return before.status != now.status && reconciler.is_foreign(to_string(key), now.status);
}

}  // namespace det::op
