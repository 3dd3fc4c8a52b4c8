// Package cluster is one process on a store that others may share: a `Node` with the catalog that it goes by, its
// locks, the numbers it has taken from sequences, its work in the background, and its membership.
//
// A `Transaction` is one of the store's with the catalog it goes by and what it changes of that, a `Change`. Whatever
// changes the schema, a statement or the process itself, does so by `Transaction.Put` and `Transaction.Remove`; the
// commit makes it the catalog of all. What a statement means is no concern of this package.
//
// Read first `Node`, then `Transaction`, then `Change`. How processes agree is in `cluster/fleet`, and what locks there
// are in `cluster/lock`. What a process does by itself: `cluster/build` builds indexes by the steps of
// `cluster/backfill`, and `cluster/expiry` removes expired rows. What its sessions share: `cluster/notify` has the
// channels of NOTIFY, `cluster/retry` the order of what runs again, and `cluster/failure` tells clients of errors of
// the store.
package cluster
