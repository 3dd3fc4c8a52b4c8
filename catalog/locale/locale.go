// Package locale has what a collation of CREATE COLLATION is besides a name: how it orders, and the locale from which
// that was made. Those that are always there are in types/collation. The version is that of the tables by which keys
// were made: of a collation whose version is another one keys may be in another order. Read Definition first.
package locale

import "zproxy/types/collation"

// The providers of collations, as pg_collation has them.
const (
	ICU  = "i"
	Libc = "c"
)

// Definition is a collation of the catalog without its name.
type Definition struct {
	Provider         string
	Locale           string          `json:",omitempty"` // of ICU
	Collate, Ctype   string          `json:",omitempty"` // of the C library
	Nondeterministic bool            `json:",omitempty"`
	Version          string          `json:",omitempty"`
	Order            collation.Order `json:",omitzero"`
}
