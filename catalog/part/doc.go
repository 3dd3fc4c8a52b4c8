// Package part is what keys are made of: the kinds of parts, a file for each, and the walk from
// what is known of columns to the values that parts can have.
//
// A Part is a descriptor that the catalog stores; what its fields mean its kind says. Kinds are
// listed once, in part.go. A kind knows which columns a part is computed from, how DDL and EXPLAIN
// write it, how a Template reads it, how long it is, and by bind how its value is computed from a
// row. Take walks: it says from what the value follows, and leaves to Known what is done with that.
// Spans implements Known with sets of values, for a statement that runs; optimizer/access implements
// it with counts, for one that is planned. So both go through a key by the same code.
//
// Bytes are not here, and neither is a Z-address's arithmetic: both are in encoding/keys. Read
// part.go first, then known.go and number_bucket.go, which is a whole kind.
//
// To add a kind: write its file, and its line in the list.
package part
