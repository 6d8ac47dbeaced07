#pragma once

// `webhooks` of master.yaml: how messages are signed, what links in them begin with, and where they may go. Pure.

#include <string>
#include <vector>

#include "base/ip_network.h"
#include "base/json_reader.h"

namespace det::model {

struct WebhookConfig {
  std::string base_url;     // of this server, as people reach it; empty: messages have no links
  std::string signing_key;  // secret; empty: one that nobody knows
  // Messages go to public addresses, and to these. What the server can reach and the internet cannot is otherwise
  // closed to who may make a webhook.
  bool allow_private_networks = false;
  std::vector<IpNetwork> allowed_networks;

  [[nodiscard]] bool may_connect(const std::string& address) const;
  bool operator==(const WebhookConfig&) const = default;
};

[[nodiscard]] WebhookConfig read_webhook_config(JsonReader& root);

}  // namespace det::model
