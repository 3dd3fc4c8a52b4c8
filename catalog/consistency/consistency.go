// Package consistency is about the option "consistency" of tables: whether queries see all commits of the rows, or may
// miss the last ones, for a lower price where a store has one. When they may is up to session/transaction. Read
// IsEventual first, which the spaces of a table follow.
package consistency

import "strings"

// Option is the option of a table.
const Option = "consistency"

// The values of the option, in any case.
const (
	Strong   = "strong"
	Eventual = "eventual"
)

// IsEventual says whether options let queries miss the last commits.
func IsEventual(options map[string]string) bool { return strings.EqualFold(options[Option], Eventual) }
