#pragma once

// Brings the database to where the rest can use it: its tables, its first users, and what it says of the cluster.
// Belongs to the io thread.

#include <boost/asio/thread_pool.hpp>

#include "base/clock.h"
#include "base/task.h"
#include "main/operator/serve_options.h"
#include "main/operator/stores.h"

namespace det::main {

// Tries until it succeeds: PostgreSQL may be away for long. The arguments outlive it.
Task<store::ClusterRow> wait_for_database(Clock& clock, Stores& stores, asio::thread_pool& workers,
                                          const ServeOptions& options);

}  // namespace det::main
