#include "api/checkpoints/checkpoint_json.h"

#include <utility>

#include "api/views.h"
#include "model/expconf/secret_fields.h"

namespace det::api {

wire::Json checkpoint_json(const store::CheckpointView& view, const store::UserRow& reader) {
  wire::Checkpoint checkpoint = to_wire(view);
  if (!reader.admin && view.owner != reader.id) {
    checkpoint.experiment_config = model::drop_secrets(std::move(checkpoint.experiment_config));
  }
  return wire::to_json(checkpoint);
}

}  // namespace det::api
