package bound

import (
	"cmp"
	"slices"

	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
	"zproxy/types"
)

// RelationKind is what a relation of a query is.
type RelationKind uint8

// The kinds of relations.
const (
	TableKind RelationKind = iota
	OnlyKind               // a table without its partitions
	QueryKind
	FunctionKind
	ValuesKind
	CommonKind
	JoinKind
)

// Relation is what has columns in a query, PostgreSQL's range table entry.
type Relation struct {
	Kind    RelationKind
	Name    string   // what it is called without an alias; empty: nothing
	Alias   string   // as written
	Aliases []string // of columns, as written
	Cols    []Column
	Lateral bool

	RowName    string // of the type of its rows
	ID         uint32 // of a table, a view or a sequence
	Query      *Query
	Calls      []Node
	Ordinality bool
	Types      []types.T // of a column definition list
	Values     [][]Node
	Common     *CommonTable
	written
}

// written is what stands behind a relation.
type written struct {
	Forced map[int]string // names of columns that a USING gives
	Sample *sample        // nil: none
}

// sample is TABLESAMPLE.
type sample struct {
	Method     string
	Args       []Node
	Repeatable Node // nil: it has none
}

// Column is a column of a relation: as the text names it, and as it is called now.
type Column struct {
	Name string
	Real string // empty: name
	t    types.T
	Expr Node // of a join
}

// Called is the name by which a relation is found.
func (r *Relation) Called() string { return cmp.Or(r.Alias, r.Name) }

// item is what names can mean: a relation, whose own name or whose columns may be hidden.
type item struct {
	bind.Relation
	rel  *Relation
	cols []Column // with expressions
}

// item is the relation with all of its columns.
func (r *Relation) item() item {
	it := item{rel: r, cols: slices.Clone(r.Cols)}
	it.Name = r.Called()
	for i, c := range it.cols {
		it.Add(c.Name, c.t)
		if c.Expr == nil || r.Alias != "" {
			it.cols[i].Expr = &Variable{r, i, typed{c.t}}
		}
	}
	return it
}

// addTableOID adds tableoid, which no list of columns has.
func (it *item) addTableOID(id uint32) {
	it.AddTableOID(id)
	c := Column{Name: tableoid.Name, t: it.Cols[len(it.Cols)-1].Type}
	c.Expr = &Variable{it.rel, tableOID, typed{c.t}}
	it.cols = append(it.cols, c)
}

// rename gives the columns the aliases that were written.
func (r *Relation) rename() {
	for i, name := range r.Aliases[:min(len(r.Aliases), len(r.Cols))] {
		r.Cols[i].Real, r.Cols[i].Name = cmp.Or(r.Cols[i].Real, r.Cols[i].Name), name
	}
}

func relations(items []item) (out []bind.Relation) {
	for _, it := range items {
		out = append(out, it.Relation)
	}
	return out
}

// scope is what names can mean so far.
func (a *analyzer) scope() *bind.Scope {
	s := bind.NewScope(relations(a.items)...)
	if a.outer != nil {
		s.Outer = a.outer.scope()
	}
	return s
}

// item is the column that a name means.
func (a *analyzer) item(at bind.Var) item {
	for ; at.Out > 0; at.Out-- {
		a = a.outer
	}
	return a.items[at.Relation]
}

// resolver finds what stored names mean.
type resolver struct {
	bind.Names
	tables *bind.CommonTables
	common []*CommonTable // by their numbers
}

func (r *resolver) inner() *resolver {
	c := *r
	c.common = slices.Clip(c.common)
	return &c
}

// add makes the name of a query of WITH known, with the columns of a query.
func (r *resolver) add(t *CommonTable, c ast.CommonTable, around *bind.CommonTables, q *Query) (err error) {
	var out bind.Relation
	for _, c := range q.columns() {
		out.Add(c.Name, c.t)
	}
	r.tables, err = around.With(c, len(r.common), out.Cols)
	r.common = append(r.common, t)
	return err
}

// Column implements analyze.Maker.
func (m maker) Column(e *ast.Column) (Node, error) {
	scope := m.scope()
	found, err := scope.Resolve(e)
	if err != nil {
		return m.dynamic(scope, e, err)
	}
	return m.item(found).made(found.Column), nil
}

// dynamic is the dynamic column that a name means which nothing else has.
func (m maker) dynamic(scope *bind.Scope, e *ast.Column, missing error) (Node, error) {
	if !sqlerr.Has(missing, sqlerr.UndefinedColumn) {
		return nil, missing
	}
	value, err := scope.Dynamic(e)
	if err != nil || value == nil {
		return nil, cmp.Or(err, missing)
	}
	return m.Expr(value)
}

// made is a column, or with -1 the row as a whole, which for a function of one column is that.
func (it item) made(column int) Node {
	if column < 0 && it.rel.Kind == FunctionKind && len(it.rel.Cols) == 1 {
		column = 0
	}
	if column < 0 {
		return &Variable{it.rel, -1, typed{types.Record}}
	}
	return it.cols[column].Expr
}

// reads says whether an expression reads a column of the query itself.
func (a *analyzer) reads(n Node) bool {
	found := false
	walk(n, func(n Node) {
		switch n := n.(type) {
		case *Variable:
			found = found || slices.Contains(a.q.Relations, n.Rel)
		case *Merged:
			found = true
		}
	})
	return found
}

// walk visits an expression and all below it, without those of subqueries.
func walk(n Node, visit func(Node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, in := range inputs(n) {
		walk(in, visit)
	}
}

func inputs(n Node) []Node {
	switch n := n.(type) {
	case *Call:
		return n.Args
	case *Operation:
		return n.Args
	case *Distinct:
		return []Node{n.Left, n.Right}
	case *NullIf:
		return n.Args
	case *ArrayOperation:
		return []Node{n.Left, n.Right}
	case *Cast:
		return []Node{n.Arg}
	case *Logic:
		return n.Args
	case *Array:
		return n.Items
	case *Row:
		return n.Args
	case *Alternatives:
		return n.Args
	case *IsNull:
		return []Node{n.Arg}
	case *IsBool:
		return []Node{n.Arg}
	case *Field:
		return []Node{n.Arg}
	case *Collate:
		return []Node{n.Arg}
	case *Case:
		out := []Node{n.Else}
		if n.Arg != nil {
			out = append(out, n.Arg)
		}
		return slices.Concat(out, n.Conditions, n.Results)
	case *Subscript:
		return []Node{n.Arg}
	}
	return nil
}

// add adds columns.
func (r *Relation) add(cols []clause.Column) {
	for _, c := range cols {
		r.Cols = append(r.Cols, Column{Name: c.Name, t: c.Type})
	}
}
