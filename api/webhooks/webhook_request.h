#pragma once

// A message on its way: signed, bounded, and to open addresses only. Pure.

#include <string>

#include "base/clock.h"
#include "base/http_client.h"
#include "model/cluster/webhook_config.h"

namespace det::api {

// A POST of `message` with "X-Determined-AI-Signature" and its timestamp: HMAC-SHA256 of "<seconds>,<message>" as hex.
// It goes where `config` lets it, takes 10 s at most, follows no redirect and reads 64 KiB of an answer.
[[nodiscard]] HttpRequest webhook_request(std::string url, std::string message, WallTime now,
                                          const model::WebhookConfig& config);

// Why a message did not arrive, without the URL, which may hold secrets: of an answer's status, or of the error that
// kept one from coming. Empty for a status below 300.
[[nodiscard]] std::string webhook_trouble(const Result<HttpResponse>& answer);

}  // namespace det::api
