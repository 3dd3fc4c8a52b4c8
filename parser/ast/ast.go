// Package ast is the syntax tree that both grammars end in: what was written, with
// names not resolved and types not checked. The sets of statements, expressions and
// FROM items are closed. How text becomes a tree is package parser's matter. Read Statement and Select first.
package ast

import (
	"strings"

	"zproxy/planner/joinhint"
)

// Pos is the byte offset of a node in the text that was sent, which may hold several
// statements, or -1.
type Pos int

// TemporarySchema is the schema of names that are temporary: each session has its own.
const TemporarySchema = "pg_temp"

// Statement is one SQL statement.
//
//sumtype:decl
type Statement interface{ statement() }

// Parsed is a statement and where its text lies in what was sent.
type Parsed struct {
	Statement Statement
	Text      string // without the semicolon
	Offset    int    // of Text in what was sent, so that positions can be given in it
	Params    int    // the highest $n
	Notices   []Notice
	Clauses   []Clause // those that may change nothing
	// AllowFiltering says that the statement may read whole tables.
	AllowFiltering bool
}

// Notice is something that the parser wants the client to know, such as a hint that it
// does not understand.
type Notice struct {
	Message string
	Code    string // SQLSTATE; empty: a warning
	Warning bool   // PostgreSQL calls it a WARNING
	Pos     Pos
}

// Clause is something that a statement says and that may change nothing, in the words of the notice
// about it: UNLOGGED, VACUUM option FULL, storage parameter "fillfactor".
type Clause string

// StorageParameter is the clause that sets one.
func StorageParameter(name string) Clause { return Clause("storage parameter \"" + name + "\"") }

// With is the clause with a value, where it depends on the value what that does.
func (c Clause) With(value string) Clause { return c + Clause(" = "+strings.ToUpper(value)) }

// WeakerLock is the clause that asks for a weaker lock of rows: share, key share, no key update.
func WeakerLock(strength string) Clause {
	return Clause("FOR " + strings.ToUpper(strength) + " instead of FOR UPDATE")
}

// Name is a table or index name, with a schema or without.
type Name struct {
	Schema string
	Name   string
	Only   bool // ONLY was written: without the partitions of the table
	Pos    Pos
}

// TypeName is a type, without pg_catalog. PostgreSQL's grammar has already
// turned SQL's names into its own: integer is int4, character varying is varchar, char is
// bpchar with the length 1. A name of char is what was written as "char", in quotes.
type TypeName struct {
	Schema string // of a type that a user made, or of a relation
	Name   string
	Args   []int // the numbers in parentheses
	// what else is there: point of geometry(point), max of string(max); day to second of an interval; empty: an
	// expression
	Words []string
	Array bool
	// Column is a column whose type it is, with its table: t.c%TYPE.
	Column []string
	Pos    Pos
}

// Hint is one optimizer hint: USE_INDEX(t i1 i2), _l_force_index_('i'), in upper or
// lower case as its dialect writes it.
type Hint struct {
	// Name is canonical: use_index, ignore_index, force_index, use_index_merge, no_index_merge, or one that is Timed.
	Name    string
	Table   string // empty when the hint names none
	Indexes []string
	Number  int64          // of one that is Timed
	Join    *joinhint.Hint // nil: it is about indexes or times
	Pos     Pos
}

// Timed says whether the hint is about timestamps of cells. Such a hint changes what a statement does, so it is
// never ignored.
func (h *Hint) Timed() bool {
	switch h.Name {
	case "_l_ts_", "_l_ts_min_", "_l_ts_max_", "_l_versions_":
		return true
	}
	return false
}
