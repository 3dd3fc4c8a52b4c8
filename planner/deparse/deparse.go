// Package deparse prints the expressions and queries that the catalog keeps as PostgreSQL
// prints them: with every name resolved, every cast shown and parentheses around everything.
//
// What is printed is a tree of package bound. Names mean what they meant when the text was stored, and are
// printed as they are now. Read Deparser first, and print_query.go and print_expr.go for what is printed how.
package deparse

import (
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/bound"
	"zproxy/types"
)

// Deparser prints what the catalog keeps.
type Deparser struct {
	Catalog    *catalog.Snapshot // as it is now
	Path       []string          // search_path of expressions
	Env        *types.Env
	Literals   *types.Env // that texts of literals are read with; nil: Env
	ParseExpr  func(text string) (ast.Expr, error)
	ParseQuery func(text string) (*ast.Select, error)
	// RelationName is a relation as SQL names it, with its schema where that is needed.
	RelationName func(id uint32) string
}

// Style is how a text is laid out.
type Style struct {
	Pretty bool // few parentheses
	Indent bool // on several lines
	Wrap   int  // the length of lines; 0 gives every column one, less than 0 none
}

// View is the query of a view.
func (d *Deparser) View(v *catalog.View, s Style) (string, error) {
	tree, err := d.ParseQuery(v.Query)
	if err != nil {
		return "", err
	}
	if d, err = d.reading(v.Read); err != nil {
		return "", err
	}
	q, err := d.source(d.Catalog.As(v.Uses), v.Path).Query(tree)
	if err != nil {
		return "", err
	}
	names := make([]string, len(v.Columns))
	for i, c := range v.Columns {
		names[i] = c.Name
	}
	p := d.printer(s)
	p.query, p.prefix = q, true
	queryPrinter{p}.print(names, true)
	return p.b.String() + ";", nil
}

func (d *Deparser) printer(s Style) *printer {
	return &printer{d: d, b: &strings.Builder{}, named: map[*bound.Relation]*naming{}, pretty: s.Pretty,
		indent: s.Indent, wrap: s.Wrap}
}

// Default is the default of a column, in the type of the column.
func (d *Deparser) Default(c catalog.Column, s Style) (string, error) {
	d, err := d.reading(c.DefaultRead)
	if err != nil {
		return "", err
	}
	then, env := *d, *d.Env
	env.Names = boundNames{d.Env.Names, c.DefaultUses}
	then.Env = &env
	return then.text(c.Default, bound.Renamed{}, s, c.Type)
}

// Generated is the expression of a generated column.
func (d *Deparser) Generated(t *catalog.Table, c catalog.Column, s Style) (string, error) {
	then, err := d.reading(&c.Generated.Literals)
	if err != nil {
		return "", err
	}
	return then.text(c.Generated.Text, bound.Renamed{Was: t.As(c.Generated.Over), Is: t}, s, c.Type)
}

// Indexed is the expression that a column of expressions has the value of, as keys of indexes show it: in parentheses
// unless it looks like the call of a function.
func (d *Deparser) Indexed(t *catalog.Table, c catalog.Column, s Style) (string, error) {
	then, err := d.reading(&c.Generated.Literals)
	if err != nil {
		return "", err
	}
	n, p, err := then.read(c.Generated.Text, bound.Renamed{Was: t.As(c.Generated.Over), Is: t}, s, c.Type)
	if err != nil {
		return "", err
	}
	behind := ""
	if c, ok := n.(*bound.Collate); ok { // which an index has beside its expression
		n, behind = c.Arg, collation(p, c)
	}
	p.expr(n, false)
	if _, column := n.(*bound.Variable); called(n) || column && behind != "" {
		return p.b.String() + behind, nil
	}
	return "(" + p.b.String() + ")" + behind, nil
}

// called says whether an expression is printed as a call of a function, by PostgreSQL's looks_like_function.
func called(n bound.Node) bool {
	switch n.(type) {
	case *bound.Call, *bound.Aggregate, *bound.Alternatives, *bound.NullIf, *bound.ValueFunction:
		return true
	}
	return false
}

// Check is the condition of a CHECK constraint.
func (d *Deparser) Check(t *catalog.Table, c catalog.Check, s Style) (string, error) {
	d, err := d.reading(c.Read)
	if err != nil {
		return "", err
	}
	return d.text(c.Text, bound.Renamed{Was: t.Named(c.Columns), Is: t}, s, types.Bool)
}

// DomainCheck is the condition of a check of a domain over a type.
func (d *Deparser) DomainCheck(base types.T, c catalog.Check, s Style) (string, error) {
	d, err := d.reading(c.Read)
	if err != nil {
		return "", err
	}
	value := catalog.Domain{Base: d.Catalog.Defined(base)}.Value()
	return d.text(c.Text, bound.Renamed{Was: value, Is: value, Bare: "VALUE"}, s, types.Bool)
}

// Condition is the condition of a partial index.
func (d *Deparser) Condition(t *catalog.Table, c *catalog.Condition, s Style) (string, error) {
	then, err := d.reading(&c.Literals)
	if err != nil {
		return "", err
	}
	return then.text(c.Text, bound.Renamed{Was: t.As(c.Over), Is: t}, s, types.Bool)
}

// When is the condition of a trigger of a table, or of something else that has no columns for it.
func (d *Deparser) When(t *catalog.Table, c *catalog.Condition, s Style) (string, error) {
	then, err := d.reading(&c.Literals)
	if err != nil {
		return "", err
	}
	tree, err := then.ParseExpr(c.Text)
	if err != nil {
		return "", err
	}
	var over bound.Renamed
	if t != nil {
		over = bound.Renamed{Was: c.Whole(t), Is: t}
	}
	n, q, err := then.source(d.Catalog, d.Path).When(tree, over)
	if err != nil {
		return "", err
	}
	p := then.printer(s)
	p.query, p.prefix = q, true
	for i, name := range []string{"old", "new"} {
		p.of(q.Relations[i]).ref = name
		p.nameColumns(q.Relations[i])
	}
	p.expr(n, false)
	return p.b.String(), nil
}

// Policy is what a policy of row security says.
func (d *Deparser) Policy(t *catalog.Table, c *catalog.StoredText, s Style) (string, error) {
	then, err := d.reading(c.Read)
	if err != nil {
		return "", err
	}
	tree, err := d.ParseExpr(c.Text)
	if err != nil {
		return "", err
	}
	over := bound.Renamed{Was: t.As(c.Uses[0]), Is: t}
	n, q, err := then.source(d.Catalog.As(c.Uses), c.Path).Expr(tree, over, types.Bool)
	if err != nil {
		return "", err
	}
	p := then.over(q, s)
	p.of(q.Relations[0]).ref = t.Name // as subqueries name it
	p.expr(n, false)
	return p.b.String(), nil
}

// Computed is an expression of a statistics object.
func (d *Deparser) Computed(t *catalog.Table, c *catalog.Condition, s Style) (string, error) {
	then, err := d.reading(&c.Literals)
	if err != nil {
		return "", err
	}
	return then.text(c.Text, bound.Renamed{Was: t.As(c.Over), Is: t}, s, types.T{})
}

// reading is the deparser of a text whose constants are read by settings of their own, if any.
func (d *Deparser) reading(l *catalog.Literals) (*Deparser, error) {
	env, err := l.Env()
	if env == nil {
		return d, err
	}
	then := *d
	then.Literals = env
	return &then, err
}

// source is what a stored text is read with.
func (d *Deparser) source(then *catalog.Snapshot, path []string) bound.Source {
	return bound.Source{
		Names:     bind.Names{Catalog: then, SearchPath: path},
		Constants: bind.Constants{Env: d.Env, Literals: d.Literals},
		Now:       d.Catalog,
	}
}

// Expression is an expression over the columns of a relation, which may be nil.
func (d *Deparser) Expression(text string, r catalog.Relation, s Style) (string, error) {
	return d.text(text, bound.Renamed{Was: r, Is: r}, s, types.T{})
}

// text prints an expression as one of a type; the zero type is its own.
func (d *Deparser) text(text string, over bound.Renamed, s Style, to types.T) (string, error) {
	n, p, err := d.read(text, over, s, to)
	if err != nil {
		return "", err
	}
	p.expr(n, false)
	return p.b.String(), nil
}

// read is an expression of a type, and what prints it.
func (d *Deparser) read(text string, over bound.Renamed, s Style, to types.T) (bound.Node, *printer, error) {
	tree, err := d.ParseExpr(text)
	if err != nil {
		return nil, nil, err
	}
	n, q, err := d.source(d.Catalog, d.Path).Expr(tree, over, to)
	if err != nil {
		return nil, nil, err
	}
	p := d.over(q, s)
	p.bare = over.Bare
	return n, p, nil
}

// over prints expressions over the only relation of a query.
func (d *Deparser) over(q *bound.Query, s Style) *printer {
	p := d.printer(s)
	p.query = q
	p.nameColumns(q.Relations[0])
	return p
}

// boundNames are the relations that a default names, which go on to mean what they meant when
// it was stored.
type boundNames struct {
	types.Names
	bound []catalog.Bound
}

// OIDOf implements types.Names.
func (n boundNames) OIDOf(kind types.OID, text string) (uint32, error) {
	for _, b := range n.bound {
		if kind == types.OIDRegclass && b.Name == text {
			return b.ID, nil
		}
	}
	return n.Names.OIDOf(kind, text)
}
