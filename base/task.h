#pragma once

// Task<T> is the coroutine type of the whole program. All coroutines run on the one io thread of the process; what
// blocks (database, bcrypt, tar) goes to a pool with run_on. Parameters of a coroutine are values, or services that
// outlive it.

#include <boost/asio/awaitable.hpp>

namespace det {

namespace asio = boost::asio;

template <typename T>
using Task = asio::awaitable<T>;

}  // namespace det
