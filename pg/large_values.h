#pragma once

// Connections that carried something large. libpq's buffers grow with the largest value that went through them and
// never shrink: kept, a connection that stored an archive of 90 MB once would hold some 300 MB for good.

namespace det::pg {

// For the body of a transaction, where it runs: its connection is closed afterwards instead of kept for the next one.
void close_connection_afterwards();

}  // namespace det::pg
