// Package builtin is the table of all functions, operators and aggregates: each family of them is a
// package below, with a list of its own, and here is the list of families and what finds a function by
// its name, its sign or its number in pg_proc. Who resolves names imports this package; expr does not.
// To add a function, add it to the list of its family. Begin with builtins.
package expr

import "slices"

// builtins is the table of all functions and operators, one literal for each overload.
func builtins() []*Function {
	return slices.Concat(
		numberFamily, byteaFamily, textFamily, datetimeFamily, formatFamily, idFamily, geoFamily, systemFamily,
		arrayFamily, jsonFamily,
	)
}

// aggregates is the table of all aggregates.
func aggregates() []*Aggregate { return slices.Concat(aggregateFamily, jsonAggregates) }
