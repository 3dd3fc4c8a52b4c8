// Package collate finds the collation of an expression from those of its parts, as PostgreSQL derives it: a COLLATE
// that is written counts before the collations of columns, and these before the default one. It puts an expression into
// a collation where texts are compared, and makes it fail where the parts have none together. The orders themselves are
// in types/collation.
package collate

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/collation"
)

// strength is how an expression has come to its collation, the stronger the greater.
type strength uint8

const (
	noCollation strength = iota
	implied              // by its columns and types
	mixed                // of several columns, which do not agree
	written              // by COLLATE
)

// derived is the collation of an expression, PostgreSQL's collation derivation.
type derived struct {
	types.Collation
	by  strength
	pos int // 1-based, of COLLATE
}

// derive finds the collation of an expression. A COLLATE counts through all that is made of its text.
func derive(e expr.Expr) derived {
	t := e.Type()
	if !t.OID.Collates() {
		return derived{}
	}
	if c, ok := e.(expr.Collate); ok && c.Written {
		return derived{c.To, written, c.Pos}
	}
	if _, query := e.(expr.Subquery); !query {
		for _, in := range e.Inputs() {
			if d := derive(in); d.by == written {
				return d
			}
		}
	}
	out := derived{Collation: t.Collation, by: implied}
	switch {
	case t.Collation == types.Mixed:
		out.by = mixed
	case t.Collation.OID == 0 && (t.OID == types.OIDName || types.InfoOf(t.OID).Element == types.OIDName):
		out.OID = collation.C
	case t.Collation.OID == 0:
		out.OID = collation.Default
	}
	return out
}

// Together gives expressions the collation that they have together. It is Mixed where columns do not agree, and then
// they stay as they are.
func Together(snap *catalog.Snapshot, list []expr.Expr) ([]expr.Expr, types.Collation, error) {
	plain := true
	for _, e := range list {
		plain = plain && e.Type().Collation == types.Collation{}
	}
	if plain {
		return list, types.Collation{}, nil
	}
	all, err := together(snap, list)
	if err != nil || all.by == noCollation || all.by == mixed {
		return list, all.Collation, err
	}
	if all.OID == collation.Default && all.by != written {
		all.Collation = types.Collation{}
	}
	out := make([]expr.Expr, len(list))
	for i, e := range list {
		out[i] = expr.Compared(e, all.Collation)
	}
	return out, all.Collation, nil
}

// together is the collation of what is made of expressions.
func together(snap *catalog.Snapshot, list []expr.Expr) (all derived, err error) {
	for _, e := range list {
		d := derive(e)
		switch {
		case d.by > all.by:
			all = d
		case d.by < all.by || d.by == noCollation || d.OID == all.OID:
		case d.by == written:
			return all, sqlerr.New(sqlerr.CollationMismatch, "collation mismatch between explicit collations %q and %q",
				nameOf(snap, all.OID), nameOf(snap, d.OID)).At(d.pos - 1)
		case all.OID == collation.Default:
			all = d
		case d.OID != collation.Default:
			all = derived{Collation: types.Mixed, by: mixed}
		}
	}
	return all, nil
}

// Compared gives two expressions one collation. Where they have none together a comparison fails, if there is one.
func Compared(snap *catalog.Snapshot, left, right expr.Expr) (l, r expr.Expr, err error) {
	both, c, err := Together(snap, []expr.Expr{left, right})
	if err != nil {
		return nil, nil, err
	}
	if c == types.Mixed {
		return Undetermined(left, "string comparison"), right, nil
	}
	return both[0], both[1], nil
}

// Inputs gives the arguments of a function the collation that they have together. A function that looks at it fails
// where there is none, or where different texts may be equal by it and it does not know of that.
func Inputs(snap *catalog.Snapshot, fn *expr.Function, args []expr.Expr) ([]expr.Expr, types.Collation, error) {
	args, c, err := Together(snap, args)
	if c.OID == 0 || err != nil {
		return args, c, err
	}
	looks := lookOf(fn)
	switch {
	case c == types.Mixed && looks.needs != "":
		args = append([]expr.Expr{Undetermined(args[0], looks.needs)}, args[1:]...)
	case !c.Order.Deterministic() && looks.exact != "":
		failing := expr.Collate{Arg: args[0], To: c, Fails: sqlerr.New(sqlerr.FeatureNotSupported,
			"nondeterministic collations are not supported for %s", looks.exact)}
		args = append([]expr.Expr{failing}, args[1:]...)
	}
	return args, c, nil
}

// Output is a call of a function as an expression in the collation of its arguments. A function that returns a set
// passes on their values.
func Output(call expr.Call, in types.Collation) expr.Expr {
	switch {
	case call.Fn.Rows == nil:
		return OutputOf(call, in)
	case in.OID != 0 && call.T.OID.Collates() && types.InfoOf(call.Fn.Result).Category == types.CategoryPseudo:
		call.T = call.T.In(in)
	}
	return call
}

// OutputOf is the result of an aggregate or a window function in the collation of its arguments.
func OutputOf(e expr.Expr, in types.Collation) expr.Expr {
	if in.OID == 0 || !e.Type().OID.Collates() {
		return e
	}
	return expr.Collate{Arg: e, To: in}
}

// Undetermined is an expression that fails when it is evaluated, since it is of several collations.
func Undetermined(e expr.Expr, what string) expr.Expr {
	return expr.Collate{Arg: e, To: types.Mixed, Fails: sqlerr.New(sqlerr.IndeterminateCollation,
		"could not determine which collation to use for %s", what).
		WithHint("Use the COLLATE clause to set the collation explicitly.")}
}

// Mismatch is the error of two expressions whose columns are to be compared, and have no collation together.
func Mismatch(snap *catalog.Snapshot, left, right expr.Expr, pos ast.Pos) error {
	return sqlerr.New(sqlerr.CollationMismatch, "collation mismatch between implicit collations %q and %q",
		nameOf(snap, derive(left).OID), nameOf(snap, derive(right).OID)).
		WithHint("You can choose the collation by applying the COLLATE clause to one or both expressions.").At(int(pos))
}

// Sortable refuses an expression to sort by that is made of columns of several collations.
func Sortable(snap *catalog.Snapshot, e expr.Expr) error {
	if e.Type().Collation != types.Mixed {
		return nil
	}
	if one, other := mismatched(e, nil); other != nil {
		return Mismatch(snap, one, other, -1)
	}
	return nil
}

// Sorted is an expression as rows are sorted by it. It may not be equal to the expression of a group any more.
func Sorted(snap *catalog.Snapshot, e expr.Expr) (expr.Expr, error) {
	e, err := Determined(snap, e)
	if err != nil {
		return nil, err
	}
	if c := e.Type().Collation; c != types.Mixed && c.OID != 0 {
		return expr.Compared(e, c), nil
	}
	return e, nil
}

// Determined is an expression that rows can be sorted by, which fails with the first row where it has no collation.
func Determined(snap *catalog.Snapshot, e expr.Expr) (expr.Expr, error) {
	if err := Sortable(snap, e); err != nil {
		return nil, err
	}
	if e.Type().Collation == types.Mixed {
		return Undetermined(e, "string comparison"), nil
	}
	return e, nil
}

// mismatched finds two parts of an expression that have different collations; one is a part that was found before.
func mismatched(e, one expr.Expr) (first, other expr.Expr) {
	for _, in := range e.Inputs() {
		switch d := derive(in); {
		case d.by != implied || d.OID == collation.Default:
			if one, other = mismatched(in, one); other != nil {
				return one, other
			}
		case one == nil:
			one = in
		case derive(one).OID != d.OID:
			return one, in
		}
	}
	return one, nil
}

// nameOf is the name of a collation.
func nameOf(snap *catalog.Snapshot, oid uint32) string {
	if known, ok := collation.ByOID(oid); ok {
		return known.Name
	}
	if p := snap.PlainByID(oid); p != nil {
		return p.Name
	}
	return ""
}

// look says how errors call a function that looks at the collation of its texts.
type look struct {
	needs string // where there is no collation; empty: it needs none
	exact string // where different texts are equal; empty: it knows of such
}

// lookOf says how a function looks at the collation of its texts.
func lookOf(f *expr.Function) look {
	name := strings.TrimPrefix(strings.TrimPrefix(f.Name, "text"), "bpchar")
	switch {
	case name == "lower", name == "upper", name == "initcap":
		return look{needs: name + "() function"}
	case name == "like", name == "nlike", name == "notlike":
		return look{exact: "LIKE"}
	case name == "iclike", name == "icnlike":
		return look{"ILIKE", "ILIKE"}
	case strings.HasPrefix(name, "regex"), strings.HasPrefix(name, "icregex"):
		return look{"regular expression", "regular expressions"}
	case slices.Contains([]string{"position", "strpos", "replace", "split_part", "starts_with", "string_to_array",
		"string_to_table"}, name):
		return look{"string comparison", "substring searches"}
	case name == "hashtext", name == "hashtextextended":
		return look{needs: "string hashing"}
	}
	return look{}
}

// Extremes has an aggregate fail that compares texts without a collation.
func Extremes(fn *expr.Aggregate, args []expr.Expr, of types.Collation) {
	if of == types.Mixed && fn != nil && (fn.Name == "min" || fn.Name == "max") {
		args[0] = Undetermined(args[0], "string comparison")
	}
}
