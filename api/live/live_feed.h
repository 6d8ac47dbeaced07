#pragma once

// What the hub learns from notifications of the database. Belongs to the io thread.

#include <string>

#include "api/live/live_hub.h"

namespace det::api {

// Of a channel of store/channels.h; those that no page watches are passed over.
void feed_live(LiveHub& hub, const std::string& channel, const std::string& payload);

}  // namespace det::api
