#include "model/cluster/webhook_config.h"

#include <algorithm>

namespace det::model {

bool WebhookConfig::may_connect(const std::string& address) const {
  const auto holds = [&address](const IpNetwork& network) { return network.contains(address); };
  return allow_private_networks || is_public_address(address) || std::ranges::any_of(allowed_networks, holds);
}

WebhookConfig read_webhook_config(JsonReader& root) {
  JsonReader reader = root.object("webhooks");
  WebhookConfig config;
  config.base_url = reader.string("base_url").value_or("");
  while (config.base_url.ends_with('/')) config.base_url.pop_back();
  if (!config.base_url.empty() && !config.base_url.starts_with("https://") && !config.base_url.starts_with("http://")) {
    reader.report("base_url", "\"" + config.base_url + "\" is no URL such as \"https://det.example.com\"");
  }
  config.signing_key = reader.string("signing_key").value_or("");
  config.allow_private_networks = reader.boolean("allow_private_networks").value_or(false);
  for (const std::string& text : reader.strings("allowed_networks").value_or(std::vector<std::string>())) {
    auto network = IpNetwork::parse(text);
    if (network) {
      config.allowed_networks.push_back(*network);
    } else {
      reader.report("allowed_networks", network.error().message);
    }
  }
  reader.refuse_unknown_keys();
  return config;
}

}  // namespace det::model
