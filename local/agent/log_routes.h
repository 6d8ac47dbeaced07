#pragma once

// What API servers ask of a node: container logs. Everything else they may ask (exec, attach, port-forward) is answered
// 501 with a text for people. Belongs to the io thread.

#include <functional>
#include <optional>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/result.h"
#include "http/message.h"
#include "http/router.h"
#include "local/agent/container_log.h"

namespace det::local {

// `?follow=true&tailLines=10&sinceSeconds=60&sinceTime=T&timestamps=true&limitBytes=1000&previous=true`.
// kInvalidArgument names the parameter that is wrong. Pure.
[[nodiscard]] Result<PodLogQuery> parse_log_query(const http::Params& query, WallTime now);

// A log to read: the attempt's folder. Its end is known by exit.json being there.
using FindLog = std::function<Result<std::string>(const std::string& ns, const std::string& pod,
                                                  const std::string& container, bool previous)>;

// Adds /healthz, /containerLogs/{ns}/{pod}/{container} and the refusals. Who asks for a log must send `token` as a
// bearer token; an empty one asks for none, because the server's TLS has let in nobody but API servers. The references
// outlive the router.
void add_log_routes(http::Router& router, FindLog find, std::string token, Clock& clock, asio::thread_pool& pool);

}  // namespace det::local
