#pragma once

// Sends what waits for webhooks. Every replica does; the queue's leases share the work out, and who dies with a message
// leaves it to the others. Receivers may see a message twice, then: its event_id tells. Belongs to the io thread; all
// that it is given outlives it.

#include <string>

#include "base/async.h"
#include "base/clock.h"
#include "base/http_client.h"
#include "base/log.h"
#include "model/cluster/webhook_config.h"
#include "store/webhooks/delivery_store.h"

namespace det::api {

class WebhookSender {
 public:
  // Without a signing key a random one is used.
  WebhookSender(asio::any_io_executor executor, Clock& clock, HttpTransport& http, store::DeliveryStore& deliveries,
                model::WebhookConfig config);

  // For ever; ends by cancellation.
  Task<void> run();
  // Something waits to be sent.
  void wake() { signal_.notify_all(); }
  // Sends what is due, a few at once, and says how much that was.
  Task<Result<std::size_t>> send_due();
  // Sends a message that says that it is a test. kInvalidArgument says why it did not arrive.
  Task<Status> test(store::WebhookRow webhook);

  [[nodiscard]] const model::WebhookConfig& config() const { return config_; }

 private:
  Task<void> send(store::DueDelivery delivery);
  [[nodiscard]] store::DeliveryOutcome outcome_of(const store::DueDelivery& delivery,
                                                  const Result<HttpResponse>& answer) const;
  Task<void> wait_for_more(std::uint64_t seen);
  Task<void> forget_old();

  Clock& clock_;
  HttpTransport& http_;
  store::DeliveryStore& deliveries_;
  model::WebhookConfig config_;
  Signal signal_;
  SteadyTime forgot_at_{};
  Logger log_{"webhooks"};
};

}  // namespace det::api
