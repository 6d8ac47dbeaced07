#pragma once

// What the users of a new database need before anybody logs in. Belongs to the io thread.

#include <boost/asio/thread_pool.hpp>

#include "base/result.h"
#include "base/task.h"
#include "main/operator/stores.h"
#include "model/cluster/master_config.h"

namespace det::main {

// Gives the first users of a new database, whose passwords are blank, the one that `master` says; where it has roles,
// makes administrators ClusterAdmins if nobody is one, so that nobody is locked out by switching roles on. At every
// start, because a database may be replaced. The arguments outlive it.
Task<Status> prepare_first_users(Stores& stores, asio::thread_pool& workers, const model::MasterConfig& master);

}  // namespace det::main
