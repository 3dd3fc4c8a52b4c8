// Package cluster is one process on a store that others may share: a `Node` with its current catalog, its locks,
// the sequence numbers it has reserved, its background work, and its membership.
//
// A `Transaction` is a transaction of the store, with the catalog that it uses and the changes that it makes to the
// catalog, a `Change`. Every change of the schema, by a statement or by the process itself, goes through
// `Transaction.Put` and `Transaction.Remove`; the commit makes it the catalog of all sessions. This package does
// not know what statements mean.
//
// Read first `Node`, then `Transaction`, then `Change`. `cluster/fleet` coordinates processes, and `cluster/lock`
// has the locks. Background work: `cluster/build` builds indexes by the steps of `cluster/backfill`, and
// `cluster/expiry` removes expired rows. What sessions share: `cluster/notify` has the channels of NOTIFY,
// `cluster/retry` the order of retries, and `cluster/failure` turns errors of the store into errors for clients.
package cluster
