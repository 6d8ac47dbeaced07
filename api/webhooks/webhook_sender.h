#pragma once

// Sends what waits for webhooks, several at once, each on its own: a receiver that says nothing for ten seconds delays
// its own messages only, and a part of what is sent at once is for receivers that answer quickly. Every replica sends;
// the queue's leases share the work out, and who dies with a message leaves it to the others. Receivers may see a
// message twice, then: its event_id tells. Belongs to the io thread; all that it is given outlives it.

#include <string>

#include "base/async.h"
#include "base/clock.h"
#include "base/http_client.h"
#include "base/log.h"
#include "base/turns.h"
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
  // Sends once what is due, and says how much that was. Exported for tests.
  Task<Result<std::size_t>> send_due();
  // Sends a message that says that it is a test. kInvalidArgument says why it did not arrive.
  Task<Status> test(store::WebhookRow webhook);

  [[nodiscard]] const model::WebhookConfig& config() const { return config_; }

 private:
  Task<void> send(store::DueDelivery delivery);
  [[nodiscard]] store::DeliveryOutcome outcome_of(const store::DueDelivery& delivery,
                                                  const Result<HttpResponse>& answer) const;
  Task<void> serve(Turns& looking, store::Receivers whose);
  Task<store::DueDelivery> next(Turns& looking, store::Receivers whose);
  Task<void> wait_for_more(std::uint64_t seen, store::Receivers whose);
  Task<void> forget_old();

  Clock& clock_;
  HttpTransport& http_;
  store::DeliveryStore& deliveries_;
  model::WebhookConfig config_;
  Signal signal_;
  // Who has nothing to send looks one at a time.
  Turns looking_at_all_{1};
  Turns looking_at_quick_{1};
  SteadyTime forgot_at_{};
  Logger log_{"webhooks"};
};

}  // namespace det::api
