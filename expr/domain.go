package expr

import (
	"slices"

	"zproxy/sqlerr"
	"zproxy/types"
)

// Constrained is a value of a type in which there are domains: it is that of Arg, and must meet their constraints.
type Constrained struct {
	Arg   Expr
	To    types.T
	Rules *Rules // nil: there are no constraints
}

// Rules are the constraints of the domains in a type.
type Rules struct {
	Domain  *types.Domain // of which NotNull and Checks are; nil: of none
	NotNull bool
	Names   []string // of Checks
	Checks  []Expr   // over a row that is the value, in the order in which they are looked at
	Items   *Rules   // of the elements of an array, or of the bounds of ranges
	Fields  []*Rules // of a row
}

func (Constrained) expr() {}

// Type implements Expr.
func (e Constrained) Type() types.T { return e.To }

// Inputs implements Expr.
func (e Constrained) Inputs() []Expr { return []Expr{e.Arg} }

// WithInputs implements Expr.
func (e Constrained) WithInputs(in []Expr) Expr { e.Arg = in[0]; return e }

// String implements Expr.
func (e Constrained) String() string { return "(" + e.Arg.String() + ")::" + e.To.String() }

// Eval implements Expr.
func (e Constrained) Eval(c *Context, row types.Row) (types.Value, error) {
	v, err := e.Arg.Eval(c, row)
	if err == nil {
		err = e.Rules.Check(c, v)
	}
	return v, err
}

// Check is the error of a value that violates the rules.
func (r *Rules) Check(c *Context, v types.Value) error {
	if r == nil {
		return nil
	}
	if r.NotNull && v.IsNull() {
		e := sqlerr.New(sqlerr.NotNullViolation, "domain %s does not allow null values", r.Domain.Name)
		e.Schema, e.DataType = r.Domain.Schema, r.Domain.Name
		return e
	}
	for i, check := range r.Checks {
		ok, err := check.Eval(c, types.Row{v})
		switch {
		case err != nil:
			return err
		case !ok.IsNull() && !ok.Bool():
			e := sqlerr.New(sqlerr.CheckViolation, "value for domain %s violates check constraint \"%s\"",
				r.Domain.Name, r.Names[i])
			e.Schema, e.DataType, e.Constraint = r.Domain.Schema, r.Domain.Name, r.Names[i]
			return e
		}
	}
	return r.checkInside(c, v)
}

// Rows are those of a function, which meet the rules of their type.
func (r *Rules) Rows(of func(*Context, []types.Value) Set, row *types.Definition) func(*Context, []types.Value) Set {
	return func(c *Context, args []types.Value) Set {
		return func(yield func(types.Row, error) bool) {
			for fields, err := range of(c, args) {
				if err == nil {
					whole := &types.RecordValue{Names: row.Names, Types: row.Types, Values: fields}
					err = r.Check(c, types.NewRecord(whole))
				}
				if !yield(fields, err) || err != nil {
					return
				}
			}
		}
	}
}

// checkInside is Check for what a value is made of.
func (r *Rules) checkInside(c *Context, v types.Value) error {
	var list []types.Value
	of := func(int) *Rules { return r.Items }
	switch {
	case v.Kind() == types.KindArray && r.Items != nil:
		list = v.Array().Items
	case v.Kind() == types.KindRange && r.Items != nil:
		list = slices.DeleteFunc(v.Range().Bounds(), types.Value.IsNull) // which bound nothing
	case v.Kind() == types.KindRecord && r.Fields != nil:
		list, of = v.Record().Values, func(i int) *Rules { return r.Fields[i] }
	}
	for i, x := range list {
		if err := of(i).Check(c, x); err != nil {
			return err
		}
	}
	return nil
}

// mutable says whether a value may meet the rules at one time and not at another.
func (r *Rules) mutable() bool {
	return r != nil && (slices.ContainsFunc(r.Checks, Mutable) || r.Items.mutable() ||
		slices.ContainsFunc(r.Fields, (*Rules).mutable))
}
