#pragma once

// The end of an object that stands for a row. Belongs to the io thread.

#include <string>

#include "k8sclient/resource.h"
#include "operator/services.h"

namespace det::op {

// Success when it is gone. An empty uid: there never was one.
Task<Status> remove_object(OperatorServices& services, k8s::Resource resource, k8s::ObjectKey key, std::string uid);

}  // namespace det::op
