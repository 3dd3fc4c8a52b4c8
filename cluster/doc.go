// Package cluster is one process on a store that others may share: a `Node` with the catalog that it goes by, its locks,
// the numbers it has taken from sequences, its work in the background, and its membership.
//
// A `Transaction` is one of the store's with the catalog it goes by and what it changes of that, a `Change`. Whatever
// changes the schema, a statement or the process itself, does so by `Transaction.Put` and `Transaction.Remove`; the
// commit makes it the catalog of all. What a statement means is no concern of this package.
//
// Read first `Node`, then `Transaction`, then `Change`. How processes agree is in `cluster/fleet`, what locks there are
// in `cluster/lock`, and how indexes are filled in `cluster/backfill`.
package cluster
