// Package compression is about the option "compression" of tables and indexes: the ways to compress that it names. A
// store has some of them, or its own. Read Dense first, which is what a store is asked for.
package compression

import "strings"

// Option is the option of a table or an index.
const Option = "compression"

// The values of the option, in any case.
const (
	None   = "NONE"
	Snappy = "SNAPPY"
	LZ4    = "LZ4"
	ZSTD   = "ZSTD"
)

// Values are all of them.
func Values() []string { return []string{None, Snappy, LZ4, ZSTD} }

// Dense says whether options ask for a space that takes less room, for more time.
func Dense(options map[string]string) bool { return strings.EqualFold(options[Option], ZSTD) }
