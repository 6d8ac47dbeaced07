#pragma once

// The object behind a row that REST makes: asked for first, then made, under a nonce that the row has too. Belongs to
// the io thread.

#include <string>

#include "api/services.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/resource.h"
#include "wire/forms.h"

namespace det::api {

struct ObjectToMake {
  k8s::Resource resource;
  Error (*refused)(Error);  // what people are told where Kubernetes refuses it
};

// Asks the API server whether it would take the object: the schema's errors come before anything is written.
Task<Status> try_object(ApiServices& services, ObjectToMake kind, wire::Json object);
// The object, made now or found as ours after an answer that was lost. kAlreadyExists where its name is taken.
Task<Result<wire::Json>> make_object(ApiServices& services, ObjectToMake kind, wire::Json object, std::string name,
                                     std::string nonce);

}  // namespace det::api
