package planner

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// scope is the columns that names may refer to: those of the FROM list, side by side, and
// behind them those of the queries around.
type scope struct {
	relations []relation
	// target is the table that an INSERT writes to, whose columns have no values yet.
	target *catalog.Table
	// refusal is the error where no column may stand.
	refusal string
	tables  *commonTables
	// besides are the names of the FROM list so far, which not all of its parts may read.
	besides []string

	outer *scope // nil outside
	link  *link  // to outer
	// by plans the expression in outer that this query stands in; nil when it stands in FROM.
	by *scalars
	// links are those from inside to this scope: who makes the rows of this scope puts
	// their slots.
	links []*link
}

// link is what a query reads of the queries around it.
type link struct {
	slots   []plan.Slot  // with values over the row of the scope outside
	depends map[int]bool // the numbers of these and of slots further out
}

// relation is one item of a FROM list.
type relation struct {
	schema  string
	name    string   // the alias, or the table's own name; empty for what only has columns
	behind  string   // the table's own name where the alias hides it
	hides   []string // the names within a join that has an alias
	cols    []plan.Column
	hidden  []bool      // cannot be named, and not in *
	system  []bool      // can be named although hidden
	merged  []bool      // by a join's USING: only named with the relation's name
	exprs   []expr.Expr // what the columns are over the row; nil: what stands from first on
	first   int         // place of its first column in the row
	table   *catalog.Table
	later   []bool  // hidden from a stored query, but a part of the whole row
	rowType types.T // the type of its rows; zero where they are records
	// present is the place of a hidden column that is NULL where an outer join made the row; 0: none.
	present int
	scalar  bool // a function's single column, which the relation's name means too
	// nullable is set where an outer join may make a row of NULLs of it.
	nullable bool
	// recursive is set of the rows that came last, in the recursive term.
	recursive bool
	needs     []*Need // on the relation, or on those that a subquery reads
}

func newScope(relations ...relation) *scope {
	return &scope{relations: relations}
}

// inside is a scope of a query within this one.
func (s *scope) inside() *scope {
	in := newScope()
	in.outer, in.tables = s, s.tables
	in.link = &link{depends: map[int]bool{}}
	s.links = append(s.links, in.link)
	return in
}

// beside is a scope of other relations that lies in the same query.
func (s *scope) beside(relations []relation) *scope {
	c := newScope(relations...)
	c.outer, c.link, c.tables, c.by, c.besides = s.outer, s.link, s.tables, s.by, s.besides
	return c
}

// at is what a column of a relation is over the row.
func (r *relation) at(i int) expr.Expr {
	if r.exprs != nil {
		return r.exprs[i]
	}
	return expr.Column{Index: r.first + i, Name: r.cols[i].Name, T: r.cols[i].Type}
}

// placed is what a column is, with the place where it is named.
func placed(e expr.Expr, pos ast.Pos) expr.Expr {
	if c, ok := e.(expr.Column); ok {
		c.Pos = int(pos) + 1
		return c
	}
	return e
}

// read notes that the statement reads columns of the relation.
func (r *relation) read() { also(r.needs, catalog.MaySelect) }

// needs are those on all relations of the scope.
func (s *scope) needs() (out []*Need) {
	for i := range s.relations {
		out = append(out, s.relations[i].needs...)
	}
	return out
}

// full is the name of a column with that of the relation.
func (r *relation) full(column string) string {
	if r.name == "" {
		return column
	}
	return r.name + "." + column
}

func (r *relation) is(list []bool, i int) bool { return list != nil && list[i] }

// column resolves c, t.c or s.t.c here or further out.
func (s *scope) column(p *Planner, e *ast.Column) (expr.Expr, error) {
	if s.refusal != "" {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "%s", s.refusal).At(int(e.Pos))
	}
	for at, crossed := s, []*scope(nil); ; at = at.outer {
		found, name, err := at.own(e)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return p.carry(found, name, crossed), nil
		}
		if at.outer == nil {
			return nil, s.missing(e)
		}
		crossed = append(crossed, at)
	}
}

// carry takes a value from an outer scope inwards, through the scopes crossed from the
// inside out: it gets a slot where it leaves its own scope.
func (p *Planner) carry(e expr.Expr, name string, crossed []*scope) expr.Expr {
	if len(crossed) == 0 {
		return e
	}
	last := crossed[len(crossed)-1].link
	out := expr.Outer{Slot: -1, Name: name, T: e.Type()}
	for _, slot := range last.slots {
		if expr.Equal(slot.Value, e) {
			out.Slot = slot.Number
		}
	}
	if out.Slot < 0 {
		out.Slot = p.slots
		p.slots++
		last.slots = append(last.slots, plan.Slot{Number: out.Slot, Value: e})
	}
	for _, s := range crossed {
		s.link.depends[out.Slot] = true
	}
	return out
}

// own resolves a name in this scope alone, nil when it is not there, and tells the name
// with that of its relation.
func (s *scope) own(e *ast.Column) (found expr.Expr, full string, err error) {
	name, qualifier := e.Parts[len(e.Parts)-1], e.Parts[:len(e.Parts)-1]
	rels := s.relations
	if len(qualifier) > 0 {
		r := s.named(qualifier)
		if r == nil {
			return nil, "", nil
		}
		rels = []relation{*r}
	}
	for k := range rels {
		r := &rels[k]
		for i, c := range r.cols {
			if c.Name != name || r.is(r.hidden, i) && !r.is(r.system, i) || len(qualifier) == 0 && r.is(r.merged, i) {
				continue
			}
			if found != nil {
				return nil, "", sqlerr.New(sqlerr.AmbiguousColumn, "column reference %q is ambiguous", name).At(int(e.Pos))
			}
			found, full = r.at(i), r.full(name)
			r.read()
		}
	}
	if found == nil && len(qualifier) == 0 {
		found, full = s.wholeRow(name, e.Pos), name
	}
	if found == nil && len(qualifier) > 0 {
		return nil, "", s.suggest(e, missingColumn(e))
	}
	return placed(found, e.Pos), full, nil
}

// wholeRow is the row of a relation that is named as if it were a column.
func (s *scope) wholeRow(name string, pos ast.Pos) expr.Expr {
	r := s.named([]string{name})
	if r == nil {
		return nil
	}
	return r.whole(pos)
}

// whole is the row of a relation as one value. A row of a table has a key, so without one it is the NULL of an
// outer join. The row of a function that returns no row is its value.
func (r *relation) whole(pos ast.Pos) expr.Expr {
	if r.scalar {
		return r.at(0)
	}
	r.read()
	row := expr.Row{T: r.rowType, Relation: r.name, Pos: int(pos) + 1}
	for i, c := range r.cols {
		if !r.is(r.hidden, i) || r.is(r.later, i) {
			row.Args, row.Names = append(row.Args, r.at(i)), append(row.Names, c.Name)
		}
	}
	switch {
	case r.nullable && r.table != nil:
		row.Present = r.at(r.table.Ordinal(r.table.Primary.Columns()[0]))
	case r.nullable && r.present > 0:
		row.Present = r.at(r.present)
	}
	if r.rowType.Row != nil {
		row.Names = r.rowType.Row.Names
	}
	return row
}

// starRow is t.* where one value is wanted: the row of the relation as a whole.
func (s *scope) starRow(p *Planner, e *ast.Star) (expr.Expr, error) {
	for at, crossed := s, []*scope(nil); at != nil && len(e.Table) > 0; at = at.outer {
		if r := at.named(e.Table); r != nil {
			return p.carry(r.whole(e.Pos), r.name, crossed), nil
		}
		crossed = append(crossed, at)
	}
	if len(e.Table) > 0 {
		return nil, s.missingTable(e.Table, e.Pos)
	}
	return nil, sqlerr.New(sqlerr.SyntaxError, "row expansion via \"*\" is not supported here").At(int(e.Pos))
}

// named is the relation that a qualifier names, nil when there is none.
func (s *scope) named(qualifier []string) *relation {
	for i := range s.relations {
		r := &s.relations[i]
		if r.name == qualifier[len(qualifier)-1] && r.name != "" && (len(qualifier) == 1 || r.schema == qualifier[len(qualifier)-2]) {
			return r
		}
	}
	return nil
}

// lists adds relations to the FROM list that is planned in this scope.
func (s *scope) lists(relations []relation) {
	for _, r := range relations {
		s.besides = append(s.besides, r.name)
	}
}

// missing is the error for a name that no scope knows.
func (s *scope) missing(e *ast.Column) error {
	if len(e.Parts) == 1 {
		err := missingColumn(e)
		if s.target != nil && s.target.Column(e.Parts[0]) >= 0 {
			return err.WithHint("There is a column named %q in table %q, but it cannot be referenced from this part of the query.", e.Parts[0], s.target.Name)
		}
		return s.suggest(e, err)
	}
	return s.missingTable(e.Parts[:len(e.Parts)-1], e.Pos)
}

func missingColumn(e *ast.Column) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedColumn, "column %s does not exist", quoteParts(e.Parts)).At(int(e.Pos))
}

// missingTable is the error for a qualifier that names nothing.
func (s *scope) missingTable(qualifier []string, pos ast.Pos) error {
	name := qualifier[len(qualifier)-1]
	for _, r := range s.relations {
		if r.behind != "" && r.behind == name {
			return sqlerr.New(sqlerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", r.behind).
				WithHint("Perhaps you meant to reference the table alias %q.", r.name).At(int(pos))
		}
	}
	hidden := func(r relation) bool {
		return len(qualifier) > 1 && r.name == name || slices.Contains(r.hides, name)
	}
	unread := slices.ContainsFunc(s.relations, hidden)
	for at := s; at != nil && !unread; at = at.outer {
		unread = slices.Contains(at.besides, name)
	}
	if unread {
		return sqlerr.New(sqlerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", name).
			WithHint("There is an entry for table %q, but it cannot be referenced from this part of the query.", name).At(int(pos))
	}
	return sqlerr.New(sqlerr.UndefinedTable, "missing FROM-clause entry for table %q", name).At(int(pos))
}

// quoteParts writes a column's name as PostgreSQL's message does: "c", but t.c bare.
func quoteParts(parts []string) string {
	if len(parts) == 1 {
		return `"` + parts[0] + `"`
	}
	return strings.Join(parts[len(parts)-2:], ".")
}

// star lists the columns that * or t.* stands for.
func (s *scope) star(p *Planner, e *ast.Star) ([]expr.Expr, []plan.Column, error) {
	if len(e.Table) > 0 {
		return s.starOf(p, e)
	}
	if len(s.relations) == 0 {
		return nil, nil, sqlerr.New(sqlerr.SyntaxError, "SELECT * with no tables specified is not valid").At(int(e.Pos))
	}
	exprs, cols := s.all(e.Pos)
	return exprs, cols, nil
}

// all are the columns of *, in its order.
func (s *scope) all(pos ast.Pos) (exprs []expr.Expr, cols []plan.Column) {
	for k := range s.relations {
		r := &s.relations[k]
		r.read()
		for i, c := range r.cols {
			if r.is(r.hidden, i) || r.is(r.merged, i) {
				continue
			}
			exprs, cols = append(exprs, placed(r.at(i), pos)), append(cols, c)
		}
	}
	return exprs, cols
}

// starOf lists the columns of one relation, which may lie further out.
func (s *scope) starOf(p *Planner, e *ast.Star) (exprs []expr.Expr, cols []plan.Column, err error) {
	for at, crossed := s, []*scope(nil); at != nil; at = at.outer {
		if r := at.named(e.Table); r != nil {
			r.read()
			for i, c := range r.cols {
				if !r.is(r.hidden, i) {
					exprs, cols = append(exprs, p.carry(placed(r.at(i), e.Pos), r.full(c.Name), crossed)),
						append(cols, c)
				}
			}
			return exprs, cols, nil
		}
		crossed = append(crossed, at)
	}
	return nil, nil, s.missingTable(e.Table, e.Pos)
}

// fieldsOf are the fields of a column of records, nil when they are not known.
func (s *scope) fieldsOf(index int) *plan.Fields {
	for _, r := range s.relations {
		if i := index - r.first; r.exprs == nil && i >= 0 && i < len(r.cols) {
			return r.cols[i].Fields
		}
	}
	return nil
}

// origin is the column that an expression is, with its table, or a new column.
func (s *scope) origin(e expr.Expr, name string) plan.Column {
	if c, ok := e.(expr.Column); ok {
		for _, r := range s.relations {
			if i := c.Index - r.first; r.exprs == nil && i >= 0 && i < len(r.cols) {
				col := r.cols[i]
				col.Name = name
				return col
			}
		}
	}
	t := e.Type()
	if t.OID == types.OIDInvalid {
		t = types.Unknown
	}
	return plan.Column{Name: name, Type: t}
}
