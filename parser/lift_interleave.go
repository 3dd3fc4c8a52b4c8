package parser

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// The options that INTERLEAVE IN becomes.
const (
	interleaveIn       = "interleave_in"
	interleaveOnDelete = "interleave_on_delete"
)

// interleavedTable lifts INTERLEAVE IN PARENT p [ON DELETE CASCADE | NO ACTION], which Spanner has behind
// the key of a new table.
func (l *lifter) interleavedTable() {
	for i := range l.list {
		if l.depth[i] > 0 {
			continue
		}
		if l.kind(i) == pg.Token_AS { // a query follows
			return
		}
		if l.word(i) != "interleave" || !l.is(i+1, pg.Token_IN_P) || l.word(i+2) != "parent" {
			continue
		}
		parent, end := l.qualified(i + 3)
		if parent == "" {
			return
		}
		options := []ast.Option{{Name: interleaveIn, Value: parent, Pos: l.pos(i)}}
		action, behind := l.onDelete(end)
		if action != "" {
			options = append(options, ast.Option{Name: interleaveOnDelete, Value: action, Pos: l.pos(end)})
		}
		l.interleaved(i, behind, options)
		return
	}
}

// interleavedIndex lifts INTERLEAVE IN t, which Spanner has behind the clauses of an index.
func (l *lifter) interleavedIndex() {
	if !slices.ContainsFunc([]int{1, 2, 3}, func(i int) bool { return l.kind(i) == pg.Token_INDEX }) {
		return
	}
	for i := range l.list {
		if l.depth[i] > 0 || l.kind(i-1) != pg.Token_ASCII_44 || l.word(i) != "interleave" ||
			!l.is(i+1, pg.Token_IN_P) {
			continue
		}
		if parent, end := l.qualified(i + 2); parent != "" {
			l.interleaved(i, end, []ast.Option{{Name: interleaveIn, Value: parent, Pos: l.pos(i)}})
		}
		return
	}
}

// interleaved takes out the clause from the i-th token to before the end-th, with the comma before it.
func (l *lifter) interleaved(i, end int, options []ast.Option) {
	l.src.lifted.options = options
	if l.kind(i-1) == pg.Token_ASCII_44 {
		i--
	}
	l.blank(i, end)
}

// qualified reads a name, perhaps behind that of a schema, and says where it ends.
func (l *lifter) qualified(i int) (name string, end int) {
	name = l.name(i)
	if table := l.name(i + 2); name != "" && l.kind(i+1) == pg.Token_ASCII_46 && table != "" {
		return name + "." + table, i + 3
	}
	return name, i + 1
}

// onDelete reads ON DELETE and its action, "" where it does not stand, and says where it ends.
func (l *lifter) onDelete(i int) (action string, end int) {
	switch {
	case l.is(i, pg.Token_ON, pg.Token_DELETE_P, pg.Token_CASCADE):
		return "cascade", i + 3
	case l.is(i, pg.Token_ON, pg.Token_DELETE_P, pg.Token_NO, pg.Token_ACTION):
		return "no action", i + 4
	}
	return "", i
}
