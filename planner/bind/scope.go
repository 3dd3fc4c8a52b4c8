package bind

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Scope is the columns that names may refer to: those of the FROM list, side by side, and
// behind them those of the queries around.
type Scope struct {
	Relations []Relation
	// Target is the table that an INSERT writes to, whose columns have no values yet.
	Target *catalog.Table
	// Refusal is the error where no column may stand.
	Refusal string
	Tables  *CommonTables
	// Listed are the names of the FROM list so far, which not all of its parts may read.
	Listed []string

	Outer *Scope // nil outside
	Link  *Link  // to outer
	// by binds the expression in outer that this query stands in; nil when it stands in FROM.
	by *Scalars
	// Links are those from inside to this scope: who makes the rows of this scope puts
	// their slots.
	Links []*Link
}

// Link is what a query reads of the queries around it.
type Link struct {
	Slots   []plan.Slot  // with values over the row of the scope outside
	Depends map[int]bool // the numbers of these and of slots further out
}

// Relation is one item of a FROM list.
type Relation struct {
	Schema  string
	Name    string   // the alias, or the table's own name; empty for what only has columns
	Behind  string   // the table's own name where the alias hides it
	Hides   []string // the names within a join that has an alias
	Cols    []plan.Column
	Marks   []mark      // of the columns; nil: none has any
	Exprs   []expr.Expr // what the columns are over the row; nil: what stands from first on
	First   int         // ordinal of its first column in the row
	Table   *catalog.Table
	RowType types.T // the type of its rows; zero where they are records
	// Present is the ordinal of a hidden column that is NULL where an outer join made the row; 0: none.
	Present int
	Scalar  bool // a function's single column, which the relation's name means too
	// Nullable is set where an outer join may make a row of NULLs of it.
	Nullable bool
	// Recursive is set of the rows that came last, in the recursive term.
	Recursive bool
	Needs     []*Need // on the relation, or on those that a subquery reads
}

// NewScope is a scope of relations with nothing around it.
func NewScope(relations ...Relation) *Scope {
	return &Scope{Relations: relations}
}

// Inside is a scope of a query within this one.
func (s *Scope) Inside() *Scope {
	in := NewScope()
	in.Outer, in.Tables = s, s.Tables
	in.Link = &Link{Depends: map[int]bool{}}
	s.Links = append(s.Links, in.Link)
	return in
}

// Sibling is a scope of other relations that lies in the same query.
func (s *Scope) Sibling(relations []Relation) *Scope {
	c := NewScope(relations...)
	c.Outer, c.Link, c.Tables, c.by, c.Listed = s.Outer, s.Link, s.Tables, s.by, s.Listed
	return c
}

// At is what a column of a relation is over the row.
func (r *Relation) At(i int) expr.Expr {
	if r.Exprs != nil {
		return r.Exprs[i]
	}
	return expr.Column{Index: r.First + i, Name: r.Cols[i].Name, T: r.Cols[i].Type}
}

// positioned is what a column is, with the position where it is named.
func positioned(e expr.Expr, pos ast.Pos) expr.Expr {
	if c, ok := e.(expr.Column); ok {
		c.Pos = int(pos) + 1
		return c
	}
	return e
}

// Named is a column that is named at a position, which the statement then reads.
func (r *Relation) Named(i int, pos ast.Pos) (expr.Expr, plan.Column) {
	r.Read(i)
	return positioned(r.At(i), pos), r.Cols[i]
}

// Read notes that the statement reads a column of the relation.
func (r *Relation) Read(i int) { r.reads(r.Cols[i]) }

func (r *Relation) reads(c plan.Column) {
	for _, n := range r.Needs {
		n.Privileges |= catalog.MaySelect
		if c.Table == n.Relation {
			privilege.Note(&n.Read, c.Attribute)
		}
	}
}

// Needs are those on all relations of the scope.
func (s *Scope) Needs() (out []*Need) {
	for i := range s.Relations {
		out = append(out, s.Relations[i].Needs...)
	}
	return out
}

// full is the name of a column with that of the relation.
func (r *Relation) full(column string) string {
	if r.Name == "" {
		return column
	}
	return r.Name + "." + column
}

// mark says how a column differs from others. Marks are added up.
type mark uint8

// What a column may be marked as.
const (
	Hidden mark = 1 << iota // cannot be named, and not in *
	System                  // can be named although hidden
	Merged                  // by a join's USING: only named with the relation's name
	Later                   // hidden from a stored query, but a part of the whole row
	Bytes                   // has dynamic columns of type bytea
	JSON                    // has dynamic columns of type jsonb
)

// Is says whether a column has a mark.
func (r *Relation) Is(m mark, i int) bool { return r.Marks != nil && r.Marks[i]&m != 0 }

// Mark gives the columns a mark of which a function says so. Copies of the relation keep theirs.
func (r *Relation) Mark(m mark, is func(i int) bool) {
	var marks []mark
	for i := range r.Cols {
		if !is(i) {
			continue
		}
		if marks == nil {
			marks = make([]mark, len(r.Cols))
			copy(marks, r.Marks)
			r.Marks = marks
		}
		marks[i] |= m
	}
}

// Add adds a column.
func (r *Relation) Add(name string, t types.T) {
	r.Cols = append(r.Cols, plan.Column{Name: name, Type: t})
}

// column resolves c, t.c or s.t.c here or further out.
func (s *Scope) column(p *Binder, e *ast.Column) (expr.Expr, error) {
	found, err := s.Resolve(e)
	if err != nil {
		return nil, err
	}
	at, crossed := s.further(found.Out)
	out, name := at.made(found, e)
	return p.carry(out, name, crossed), nil
}

// Resolve finds what c, t.c or s.t.c means here or further out.
func (s *Scope) Resolve(e *ast.Column) (Var, error) {
	if s.Refusal != "" {
		return Var{}, sqlerr.New(sqlerr.FeatureNotSupported, "%s", s.Refusal).At(int(e.Pos))
	}
	for at, out := s, 0; at != nil; at, out = at.Outer, out+1 {
		found, ok, err := at.Find(e)
		if found.Out = out; err != nil || ok {
			return found, err
		}
	}
	return Var{}, s.missing(e)
}

// Qualified finds the relation that a qualifier names here or further out.
func (s *Scope) Qualified(qualifier []string, pos ast.Pos) (Var, error) {
	for at, out := s, 0; at != nil; at, out = at.Outer, out+1 {
		if k := at.Index(qualifier); k >= 0 {
			return Var{out, k, -1}, nil
		}
	}
	return Var{}, s.missingTable(qualifier, pos)
}

// further is the scope so many scopes further out, with those that are crossed on the way.
func (s *Scope) further(out int) (at *Scope, crossed []*Scope) {
	for at = s; len(crossed) < out; at = at.Outer {
		crossed = append(crossed, at)
	}
	return at, crossed
}

// carry takes a value from an outer scope inwards, through the scopes crossed from the
// inside out: it gets a slot where it leaves its own scope.
func (b *Binder) carry(e expr.Expr, name string, crossed []*Scope) expr.Expr {
	if len(crossed) == 0 {
		return e
	}
	last := crossed[len(crossed)-1].Link
	out := expr.Outer{Slot: -1, Name: name, T: e.Type()}
	for _, slot := range last.Slots {
		if expr.Equal(slot.Value, e) {
			out.Slot = slot.Number
		}
	}
	if out.Slot < 0 {
		out.Slot = b.slots
		b.slots++
		b.keepRecord(out.Slot, e)
		last.Slots = append(last.Slots, plan.Slot{Number: out.Slot, Value: e})
	}
	for _, s := range crossed {
		s.Link.Depends[out.Slot] = true
	}
	return out
}

// Var is where a name is found: how many scopes further out, in which relation there, and which of its columns it
// is, -1 for the row as a whole, -2 for tableoid.
type Var struct{ Out, Relation, Column int }

// Find looks up a name in this scope alone, and says false when it is not there.
func (s *Scope) Find(e *ast.Column) (found Var, ok bool, err error) {
	name, qualifier := e.Parts[len(e.Parts)-1], e.Parts[:len(e.Parts)-1]
	first, behind := 0, len(s.Relations)
	if len(qualifier) > 0 {
		if first = s.Index(qualifier); first < 0 {
			return found, false, nil
		}
		behind = first + 1
	}
	for k := first; k < behind; k++ {
		r := &s.Relations[k]
		for i, c := range r.Cols {
			if c.Name != name || r.Is(Hidden, i) && !r.Is(System, i) || len(qualifier) == 0 && r.Is(Merged, i) {
				continue
			}
			if ok {
				return found, false, ambiguous(e)
			}
			found, ok = Var{0, k, i}, true
		}
		if name != tableoid.Name || !r.ofOneTable() {
			continue
		}
		if ok {
			return found, false, ambiguous(e)
		}
		found, ok = Var{0, k, tableOID}, true
	}
	if !ok && len(qualifier) > 0 {
		return found, false, s.suggest(e, missingColumn(e))
	}
	if k := s.Index(e.Parts); !ok && k >= 0 {
		return Var{0, k, -1}, true, nil
	}
	return found, ok, nil
}

// Has says whether a name means something in this scope, or several things, which is an error where it is resolved.
func (s *Scope) Has(e *ast.Column) bool {
	_, ok, err := s.Find(e)
	return ok || err != nil
}

// Own resolves a name in this scope alone, nil when it is not there, and tells the name
// with that of its relation.
func (s *Scope) Own(e *ast.Column) (found expr.Expr, full string, err error) {
	at, ok, err := s.Find(e)
	if !ok {
		return nil, "", err
	}
	found, full = s.made(at, e)
	return found, full, nil
}

// made is the expression of a column of this scope, with its name.
func (s *Scope) made(at Var, e *ast.Column) (found expr.Expr, full string) {
	r, name := &s.Relations[at.Relation], e.Parts[len(e.Parts)-1]
	if at.Column == tableOID {
		r.reads(tableoid.Column(r.Table.ID))
		return tableoid.Of(r.Table.ID), r.full(name)
	}
	if at.Column < 0 {
		return positioned(r.whole(e.Pos), e.Pos), name
	}
	r.Read(at.Column)
	return positioned(r.At(at.Column), e.Pos), r.full(name)
}

// whole is the row of a relation as one value. A row of a table has a key, so without one it is the NULL of an
// outer join. The row of a function that returns no row is its value.
func (r *Relation) whole(pos ast.Pos) expr.Expr {
	if r.Scalar {
		return r.At(0)
	}
	row := expr.Row{T: r.RowType, Relation: r.Name, Pos: int(pos) + 1}
	for i, c := range r.Cols {
		if !r.Is(Hidden, i) || r.Is(Later, i) {
			r.Read(i)
			row.Args, row.Names = append(row.Args, r.At(i)), append(row.Names, c.Name)
		}
	}
	switch {
	case r.Nullable && r.Table != nil:
		row.Present = r.At(r.Table.Ordinal(r.Table.Primary.Columns()[0]))
	case r.Nullable && r.Present > 0:
		row.Present = r.At(r.Present)
	}
	if r.RowType.Def != nil {
		row.Names = r.RowType.Def.Names
	}
	return row
}

// starRow is t.* where one value is wanted: the row of the relation as a whole.
func (s *Scope) starRow(p *Binder, e *ast.Star) (expr.Expr, error) {
	if len(e.Table) == 0 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "row expansion via \"*\" is not supported here").At(int(e.Pos))
	}
	found, err := s.Qualified(e.Table, e.Pos)
	if err != nil {
		return nil, err
	}
	at, crossed := s.further(found.Out)
	r := &at.Relations[found.Relation]
	return p.carry(r.whole(e.Pos), r.Name, crossed), nil
}

// Named is the relation that a qualifier names, nil when there is none.
func (s *Scope) Named(qualifier []string) *Relation {
	if k := s.Index(qualifier); k >= 0 {
		return &s.Relations[k]
	}
	return nil
}

// Index is the number of the relation that a qualifier names, -1 when there is none.
func (s *Scope) Index(qualifier []string) int {
	last := len(qualifier) - 1
	return slices.IndexFunc(s.Relations, func(r Relation) bool {
		return r.Name == qualifier[last] && r.Name != "" && (last == 0 || r.Schema == qualifier[last-1])
	})
}

// Lists adds relations to the FROM list that is planned in this scope.
func (s *Scope) Lists(relations []Relation) {
	for _, r := range relations {
		s.Listed = append(s.Listed, r.Name)
	}
}

// missing is the error for a name that no scope knows.
func (s *Scope) missing(e *ast.Column) error {
	if len(e.Parts) == 1 {
		err := missingColumn(e)
		if s.Target != nil && s.Target.Column(e.Parts[0]) >= 0 {
			return err.WithHint("There is a column named %q in table %q, but it cannot be referenced from this part of the query.", e.Parts[0], s.Target.Name)
		}
		return s.suggest(e, err)
	}
	return s.missingTable(e.Parts[:len(e.Parts)-1], e.Pos)
}

func missingColumn(e *ast.Column) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedColumn, "column %s does not exist", quoteParts(e.Parts)).At(int(e.Pos))
}

// missingTable is the error for a qualifier that names nothing.
func (s *Scope) missingTable(qualifier []string, pos ast.Pos) error {
	name := qualifier[len(qualifier)-1]
	for _, r := range s.Relations {
		if r.Behind != "" && r.Behind == name {
			return sqlerr.New(sqlerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", r.Behind).
				WithHint("Perhaps you meant to reference the table alias %q.", r.Name).At(int(pos))
		}
	}
	hidden := func(r Relation) bool {
		return len(qualifier) > 1 && r.Name == name || slices.Contains(r.Hides, name)
	}
	unread := slices.ContainsFunc(s.Relations, hidden)
	for at := s; at != nil && !unread; at = at.Outer {
		unread = slices.Contains(at.Listed, name)
	}
	if unread {
		return sqlerr.New(sqlerr.UndefinedTable, "invalid reference to FROM-clause entry for table %q", name).
			WithHint("There is an entry for table %q, but it cannot be referenced from this part of the query.",
				name).At(int(pos))
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

// Starred are the columns that * or t.* stands for, in its order. Those of t.* may lie further out.
func (s *Scope) Starred(e *ast.Star) (out []Var, err error) {
	if len(e.Table) == 0 {
		if len(s.Relations) == 0 {
			return nil, sqlerr.New(sqlerr.SyntaxError, "SELECT * with no tables specified is not valid").At(int(e.Pos))
		}
		return s.Visible(), nil
	}
	found, err := s.Qualified(e.Table, e.Pos)
	if err != nil {
		return nil, err
	}
	at, _ := s.further(found.Out)
	r := &at.Relations[found.Relation]
	out = make([]Var, 0, len(r.Cols))
	for i := range r.Cols {
		if !r.Is(Hidden, i) {
			out = append(out, Var{found.Out, found.Relation, i})
		}
	}
	return out, nil
}

// Visible are the columns that a name without a relation can mean.
func (s *Scope) Visible() (out []Var) {
	for k := range s.Relations {
		r := &s.Relations[k]
		out = slices.Grow(out, len(r.Cols))
		for i := range r.Cols {
			if !r.Is(Hidden, i) && !r.Is(Merged, i) {
				out = append(out, Var{0, k, i})
			}
		}
	}
	return out
}

// Star lists the columns that * or t.* stands for.
func (s *Scope) Star(p *Binder, e *ast.Star) ([]expr.Expr, []plan.Column, error) {
	vars, err := s.Starred(e)
	exprs, cols := s.at(p, vars, e.Pos)
	return exprs, cols, err
}

// All are the columns of *, in its order, which are not read yet.
func (s *Scope) All() (exprs []expr.Expr, cols []plan.Column) {
	for _, found := range s.Visible() {
		r := &s.Relations[found.Relation]
		exprs, cols = append(exprs, r.At(found.Column)), append(cols, r.Cols[found.Column])
	}
	return exprs, cols
}

// at are the expressions of columns of this scope and those around.
func (s *Scope) at(p *Binder, vars []Var, pos ast.Pos) ([]expr.Expr, []plan.Column) {
	exprs, cols := make([]expr.Expr, len(vars)), make([]plan.Column, len(vars))
	for i, found := range vars {
		at, crossed := s.further(found.Out)
		r := &at.Relations[found.Relation]
		if exprs[i], cols[i] = r.Named(found.Column, pos); len(crossed) > 0 {
			exprs[i] = p.carry(exprs[i], r.full(cols[i].Name), crossed)
		}
	}
	return exprs, cols
}

// fieldsOf are the fields of a column of records, nil when they are not known.
func (s *Scope) fieldsOf(index int) *plan.Fields {
	for _, r := range s.Relations {
		if i := index - r.First; r.Exprs == nil && i >= 0 && i < len(r.Cols) {
			return r.Cols[i].Fields
		}
	}
	return nil
}
