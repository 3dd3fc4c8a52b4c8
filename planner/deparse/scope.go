package deparse

import (
	"cmp"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// relationKind is what a relation of a query is.
type relationKind uint8

const (
	tableKind relationKind = iota
	queryKind
	functionKind
	valuesKind
	commonKind
	joinKind
)

// relation is what has columns in a query, PostgreSQL's range table entry.
type relation struct {
	kind    relationKind
	name    string   // what it is called without an alias; empty: nothing
	alias   string   // as written
	aliases []string // of columns, as written
	cols    []column
	lateral bool

	rowName    string // of the type of its rows
	id         uint32 // of a table, a view or a sequence
	query      *query
	calls      []node
	ordinality bool
	types      []types.T // of a column definition list
	values     [][]node
	common     *commonTable
	forced     map[int]string // names of columns that a USING gives
}

// column is a column of a relation: as the text names it, and as it is called now.
type column struct {
	name string
	real string // empty: name
	t    types.T
	expr node // of a join
}

// called is the name by which a relation is found.
func (r *relation) called() string { return cmp.Or(r.alias, r.name) }

// item is what names can mean: a relation, whose own name or whose columns may be hidden.
type item struct {
	bind.Relation
	rel  *relation
	cols []column // with expressions
}

// item is the relation with all of its columns.
func (r *relation) item() item {
	it := item{rel: r, cols: slices.Clone(r.cols)}
	it.Name = r.called()
	for i, c := range it.cols {
		it.Add(c.name, c.t)
		if c.expr == nil || r.alias != "" {
			it.cols[i].expr = &variable{r, i, c.t}
		}
	}
	return it
}

// qualified hides the columns from names that do not name the relation, too.
func (it *item) qualified() { it.Mark(bind.Merged, func(int) bool { return true }) }

// visible are the columns that a bare name can mean.
func visible(items []item) (out []column) {
	for _, it := range items {
		for i, c := range it.cols {
			if !it.Is(bind.Merged, i) {
				out = append(out, c)
			}
		}
	}
	return out
}

// scope is what names can mean so far.
func (a *analyzer) scope() *bind.Scope {
	s := bind.NewScope()
	for _, it := range a.items {
		s.Relations = append(s.Relations, it.Relation)
	}
	return s
}

// resolver finds what stored names mean.
type resolver struct {
	bind.Names
	tables []*commonTable
}

func (r *resolver) inner() *resolver {
	c := *r
	c.tables = slices.Clone(r.tables)
	return &c
}

func (r *resolver) common(name ast.Name) *commonTable {
	for i := len(r.tables) - 1; i >= 0 && name.Schema == ""; i-- {
		if r.tables[i].name == name.Name {
			return r.tables[i]
		}
	}
	return nil
}

// column finds what a name means, here or further out.
func (a *analyzer) column(e *ast.Column) (node, error) {
	for at := a; at != nil; at = at.outer {
		n, err := at.ownColumn(e)
		if n != nil || err != nil {
			return n, err
		}
	}
	return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %s does not exist", strings.Join(e.Parts, "."))
}

func (a *analyzer) ownColumn(e *ast.Column) (node, error) {
	at, ok, err := a.scope().Find(e)
	if !ok {
		return nil, err
	}
	it := a.items[at.Relation]
	switch {
	case at.Column >= 0:
		return it.cols[at.Column].expr, nil
	case it.rel.kind == functionKind && len(it.rel.cols) == 1:
		return it.cols[0].expr, nil
	}
	return &variable{it.rel, -1, types.Record}, nil
}

func (a *analyzer) named(qualifier []string) *item {
	if k := a.scope().Index(qualifier); k >= 0 {
		return &a.items[k]
	}
	return nil
}

// star is what * or t.* stands for.
func (a *analyzer) star(e *ast.Star) ([]target, error) {
	var out []target
	if len(e.Table) > 0 {
		for at := a; at != nil; at = at.outer {
			if it := at.named(e.Table); it != nil {
				for _, c := range it.cols {
					out = append(out, target{c.expr, c.name})
				}
				return out, nil
			}
		}
		return nil, sqlerr.New(sqlerr.UndefinedTable, "missing FROM-clause entry for table %q", e.Table[0])
	}
	for _, c := range visible(a.items) {
		out = append(out, target{c.expr, c.name})
	}
	return out, nil
}

// reads says whether an expression reads a column of the query itself.
func (a *analyzer) reads(n node) bool {
	found := false
	walk(n, func(n node) {
		switch n := n.(type) {
		case *variable:
			found = found || slices.Contains(a.q.relations, n.rel)
		case *merged:
			found = true
		}
	})
	return found
}

// field is (record).name.
func (a *analyzer) field(e *ast.Field) (node, error) {
	arg, err := a.expr(e.Arg)
	if err != nil {
		return nil, err
	}
	switch arg := arg.(type) {
	case *variable:
		if arg.column < 0 {
			for i, c := range arg.rel.cols {
				if c.name == e.Name {
					return &variable{arg.rel, i, c.t}, nil // which PostgreSQL prints alike
				}
			}
		}
	case *call:
		for i, mode := range arg.proc.ArgModes {
			if mode != 'i' && arg.proc.ArgNames[i] == e.Name {
				return &field{arg, e.Name, types.Of(arg.proc.AllArgs[i])}, nil
			}
		}
	}
	if n := a.fieldOfRow(arg, e.Name); n != nil {
		return n, nil
	}
	return nil, sqlerr.Unsupported("printing a field of this record")
}

// walk visits an expression and all below it, without those of subqueries.
func walk(n node, visit func(node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, in := range inputs(n) {
		walk(in, visit)
	}
}

func inputs(n node) []node {
	switch n := n.(type) {
	case *call:
		return n.args
	case *operation:
		return n.args
	case *distinct:
		return []node{n.left, n.right}
	case *nullIf:
		return n.args
	case *arrayOperation:
		return []node{n.left, n.right}
	case *cast:
		return []node{n.arg}
	case *logic:
		return n.args
	case *array:
		return n.items
	case *row:
		return n.args
	case *function:
		return n.args
	case *nullTest:
		return []node{n.arg}
	case *boolTest:
		return []node{n.arg}
	case *field:
		return []node{n.arg}
	case *collate:
		return []node{n.arg}
	case *caseExpr:
		out := []node{n.els}
		if n.arg != nil {
			out = append(out, n.arg)
		}
		for _, w := range n.whens {
			out = append(out, w.cond, w.result)
		}
		return out
	case *subscript:
		return []node{n.arg}
	}
	return nil
}

// outColumns are the columns of the rows that a function returns.
func outColumns(c *call, alias string) []column {
	var out []column
	p := c.proc
	for i, mode := range p.ArgModes {
		if mode == 'o' || mode == 'b' || mode == 't' {
			t := p.AllArgs[i]
			if bind.IsPolymorphic(t) {
				t = c.t.OID
				if t == types.OIDRecord {
					t = types.InfoOf(c.args[0].typ().OID).Element
				}
			}
			out = append(out, column{name: p.ArgNames[i], t: types.Of(t)})
		}
	}
	if out == nil {
		out = []column{{name: cmp.Or(alias, p.Name), t: c.t}}
	}
	return out
}

// quote is a name as SQL reads it.
func quote(name string) string { return expr.QuoteIdent(name) }
