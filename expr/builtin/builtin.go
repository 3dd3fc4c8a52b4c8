// Package builtin is the table of all functions, operators and aggregates. Each family is a package below with a
// list of its own; this package has the list of families, and finds a function by its name, its operator or its OID
// in pg_proc. Packages that resolve names import this package; expr does not. To add a function, add it to the list
// of its family. Begin with builtins.
package builtin

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/aggregate"
	"zproxy/expr/builtin/array"
	"zproxy/expr/builtin/bits"
	"zproxy/expr/builtin/datetime"
	"zproxy/expr/builtin/extension"
	"zproxy/expr/builtin/format"
	"zproxy/expr/builtin/geo"
	"zproxy/expr/builtin/id"
	"zproxy/expr/builtin/json"
	"zproxy/expr/builtin/money"
	"zproxy/expr/builtin/net"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/search"
	"zproxy/expr/builtin/span"
	"zproxy/expr/builtin/spatial"
	"zproxy/expr/builtin/system"
	"zproxy/expr/builtin/text"
)

// Tables is the table of all functions and operators, one literal for each overload.
func Tables() []*expr.Function {
	return slices.Concat(
		number.Functions, bits.Functions, text.Functions, datetime.Functions, format.Functions, id.Functions,
		geo.Functions, spatial.Functions, system.Functions, array.Functions, json.Functions,
		span.Functions, search.Functions, money.Functions, net.Functions, extension.Functions(),
	)
}

// AllAggregates is the table of all aggregates.
func AllAggregates() []*expr.Aggregate {
	return slices.Concat(aggregate.Aggregates, json.Aggregates, span.Aggregates, extension.Aggregates())
}
