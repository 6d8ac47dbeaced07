#include "api/webhooks/webhook_sender.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/webhooks/webhook_request.h"
#include "base/cut_text.h"
#include "base/encoding.h"
#include "base/race.h"
#include "model/webhooks/webhook_message.h"

namespace det::api {
namespace {

constexpr int kAtOnce = 16;
constexpr int kForQuick = 4;              // of these, for receivers that are not slow
constexpr std::chrono::seconds kSlow{1};  // an attempt that takes longer
// Longer than a request takes and its end is written down.
constexpr std::chrono::seconds kLease{60};
// Between attempts. After the last one it is given up.
constexpr std::array kPauses = {std::chrono::seconds(1), std::chrono::seconds(5), std::chrono::seconds(30),
                                std::chrono::seconds(120), std::chrono::seconds(600)};
// What is older says nothing any more, and a cluster that was away must not flood its receivers.
constexpr std::chrono::hours kOldest{24};
constexpr std::chrono::hours kLogKept{24 * 7};
constexpr std::chrono::hours kBetweenForgetting{1};
constexpr std::chrono::milliseconds kShortestWait{200};
constexpr std::chrono::seconds kLongestWait{30};
constexpr std::chrono::seconds kAfterFailure{5};
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kLongestError = 500;

// Whether the receiver may take it at another time.
bool is_passing(const Result<HttpResponse>& answer) {
  if (answer) return answer->status >= 500 || answer->status == 408 || answer->status == 429;
  return answer.error().code == ErrorCode::kUnavailable || answer.error().code == ErrorCode::kDeadlineExceeded;
}

}  // namespace

WebhookSender::WebhookSender(asio::any_io_executor executor, Clock& clock, HttpTransport& http,
                             store::DeliveryStore& deliveries, model::WebhookConfig config)
    : clock_(clock), http_(http), deliveries_(deliveries), config_(std::move(config)), signal_(std::move(executor)) {
  if (config_.signing_key.empty()) config_.signing_key = random_token(kKeyBytes);
}

Task<void> WebhookSender::run() {
  std::vector<Task<void>> loops;
  for (int i = 0; i < kAtOnce; ++i) {
    const bool is_for_quick = i < kForQuick;
    loops.push_back(is_for_quick ? serve(looking_at_quick_, store::Receivers::kQuick)
                                 : serve(looking_at_all_, store::Receivers::kAll));
  }
  co_await all_of(std::move(loops));
}

Task<void> WebhookSender::serve(Turns& looking, store::Receivers whose) {
  for (;;) {
    auto delivery = co_await next(looking, whose);
    co_await send(std::move(delivery));
    // The webhook may be told the next one.
    wake();
  }
}

Task<store::DueDelivery> WebhookSender::next(Turns& looking, store::Receivers whose) {
  const auto turn = co_await looking.wait("");
  for (;;) {
    const std::uint64_t seen = signal_.version();
    auto due = co_await deliveries_.claim(1, kLease, whose);
    if (due && !due->empty()) co_return std::move(due->front());
    if (!due) {
      log_.warn("webhooks were not told; it is tried again", {{"error", due.error().message}});
      co_await clock_.sleep_for(kAfterFailure);
      continue;
    }
    if (whose == store::Receivers::kAll) co_await forget_old();
    co_await wait_for_more(seen, whose);
  }
}

Task<void> WebhookSender::wait_for_more(std::uint64_t seen, store::Receivers whose) {
  const auto due = co_await deliveries_.next_due(whose);
  std::chrono::nanoseconds wait = kLongestWait;
  if (due && *due) wait = std::min<std::chrono::nanoseconds>(wait, **due - clock_.wall_now());
  co_await signal_.wait(seen, std::max<std::chrono::nanoseconds>(wait, kShortestWait));
}

Task<void> WebhookSender::forget_old() {
  const SteadyTime now = clock_.steady_now();
  if (now - forgot_at_ < kBetweenForgetting && forgot_at_ != SteadyTime()) co_return;
  forgot_at_ = now;
  const auto forgotten = co_await deliveries_.forget_old(clock_.wall_now() - kLogKept);
  if (!forgotten) log_.warn("old deliveries were not removed", {{"error", forgotten.error().message}});
}

Task<Result<std::size_t>> WebhookSender::send_due() {
  auto due = co_await deliveries_.claim(kAtOnce, kLease, store::Receivers::kAll);
  DET_CO_TRY(due);
  std::vector<Task<void>> sends;
  for (store::DueDelivery& one : *due) sends.push_back(send(std::move(one)));
  co_await all_of(std::move(sends));
  co_return due->size();
}

Task<void> WebhookSender::send(store::DueDelivery delivery) {
  store::DeliveryOutcome outcome;
  const WallTime now = clock_.wall_now();
  if (now - delivery.created_at > kOldest) {
    outcome = {
        .state = store::DeliveryState::kFailed, .next_at = {}, .status = {}, .error = "it is too old to be told"};
  } else {
    const model::WebhookEvent event{
        .id = delivery.event_id, .cause = delivery.cause, .facts = delivery.facts, .at = delivery.created_at};
    auto request = webhook_request(delivery.url, model::webhook_message(delivery.form, event, config_), now, config_);
    const SteadyTime began = clock_.steady_now();
    const auto answer = co_await http_.send(std::move(request));
    outcome = outcome_of(delivery, answer);
    outcome.is_slow = clock_.steady_now() - began > kSlow;
  }
  const auto finished = co_await deliveries_.finish(delivery.id, outcome);
  if (!finished) {
    log_.warn("what became of a message was not written down; it may be sent again",
              {{"delivery", delivery.id}, {"error", finished.error().message}});
  } else if (outcome.state == store::DeliveryState::kFailed) {
    log_.warn("a webhook was not told",
              {{"webhook", delivery.webhook}, {"event", delivery.event_id}, {"error", outcome.error}});
  }
}

store::DeliveryOutcome WebhookSender::outcome_of(const store::DueDelivery& delivery,
                                                 const Result<HttpResponse>& answer) const {
  store::DeliveryOutcome outcome;
  if (answer) outcome.status = answer->status;
  outcome.error = cut_text(webhook_trouble(answer), kLongestError);
  if (outcome.error.empty()) return outcome;
  const auto tried = static_cast<std::size_t>(delivery.attempts);
  if (is_passing(answer) && tried <= kPauses.size()) {
    outcome.state = store::DeliveryState::kWaiting;
    outcome.next_at = clock_.wall_now() + kPauses[std::max<std::size_t>(tried, 1) - 1];
  } else {
    outcome.state = store::DeliveryState::kFailed;
  }
  return outcome;
}

Task<Status> WebhookSender::test(store::WebhookRow webhook) {
  const std::string id = uuid_v4();
  const WallTime now = clock_.wall_now();
  auto request = webhook_request(webhook.url, model::webhook_test_message(webhook.form, id, now), now, config_);
  const auto answer = co_await http_.send(std::move(request));
  const std::string trouble = webhook_trouble(answer);
  if (trouble.empty()) co_return Status();
  if (answer && answer->status >= 400) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "received error from webhook server for event " + id + " error: " + std::to_string(answer->status));
  }
  co_return fail(ErrorCode::kInvalidArgument, "error sending webhook request for event " + id + " error: " + trouble);
}

}  // namespace det::api
