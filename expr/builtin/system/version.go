package system

// ServerVersion is the server_version that clients see: the PostgreSQL release whose
// behaviour zproxy follows, then its own name.
const ServerVersion = "15.4 (zproxy)"

// ServerVersionNum is ServerVersion as a number, the way clients compare it.
const ServerVersionNum = "150004"
