package bind

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/collate"
	"zproxy/sqlerr"
	"zproxy/types"
)

func typeList(args []expr.Expr) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a.Type().Bare().String()
	}
	return strings.Join(names, ", ")
}

// operation makes a comparison or a call of another operator.
func (b *Binder) operation(sign string, args []expr.Expr, pos ast.Pos) (expr.Expr, error) {
	bare := strings.TrimPrefix(sign, pg.CatalogSchema+".")
	_, compares := comparisons[bare]
	if !compares || len(args) != 2 || exactOperator(b.Operators(sign, 2), analyze.Types(args)) != nil {
		return b.operator(sign, args, pos)
	}
	out, err := b.Compare(bare, args[0], args[1], pos)
	if sqlerr.Has(err, sqlerr.UndefinedFunction) && b.hasOperators() {
		if other, failed := b.operator(sign, args, pos); failed == nil {
			return other, nil
		}
	}
	return out, err
}

// operator makes a call of an operator that is not a comparison.
func (b *Binder) operator(sign string, args []expr.Expr, pos ast.Pos) (expr.Expr, error) {
	all := b.Operators(sign, len(args))
	c, ambiguous := exactOperator(all, analyze.Types(args)), false
	if c == nil {
		c, ambiguous = analyze.ChooseFunction(all, analyze.Given{Types: analyze.Types(args), Implicit: b.Implicit})
	}
	if ambiguous {
		return nil, sqlerr.New(sqlerr.AmbiguousFunction, "operator is not unique: %s", operation(sign, args)).
			WithHint("Could not choose a best candidate operator. You might need to add explicit type casts.").At(int(pos))
	}
	if c != nil && c.Fn.Via != nil && c.Fn.Via.Shell {
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "operator is only a shell: %s",
			operation(sign, args)).At(int(pos))
	}
	if c == nil {
		if schema, _ := signIn(sign); schema != "" && !b.HasSchema(schema) {
			return nil, sqlerr.New(sqlerr.InvalidSchemaName, "schema %q does not exist", schema).At(int(pos))
		}
		return nil, noOperator(sign, args, pos)
	}
	usesOperator(&b.Names, c.Fn.Via)
	if op, ok := ordering(c.Fn); ok {
		return compared(b, op, args, c.Fn.Args, pos)
	}
	return b.coercion().Call(analyze.Call[expr.Expr]{Chosen: c, Args: args, Pos: pos})
}

// ordering is the comparison that an operator is which has a sign of its own for it.
func ordering(f *expr.Function) (expr.CompareOp, bool) {
	if len(f.Args) != 2 || f.Args[0] != f.Args[1] {
		return 0, false
	}
	sign, ok := types.InfoOf(f.Args[0]).OrderSign(f.Operator)
	return comparisons[sign], ok
}

// compared is the comparison of two operands as values of one type.
func compared(b *Binder, op expr.CompareOp, args []expr.Expr, as []types.OID, pos ast.Pos) (expr.Expr, error) {
	args, err := b.coercion().Arguments(args, as, pos)
	if err != nil {
		return nil, err
	}
	return expr.Compare{Op: op, Left: args[0], Right: args[1]}, nil
}

// exactOperator is the operator of just the operands' types, where an unknown beside another
// type is taken to be of that.
func exactOperator(all []*expr.Function, given []types.T) *analyze.Chosen {
	same := analyze.Alike(given)
	for _, f := range all {
		if slices.Equal(f.Args, same) {
			s := analyze.Signature{Args: f.Args, Result: f.Result}
			return &analyze.Chosen{Candidate: &analyze.Candidate{Signature: s}, Fn: f}
		}
	}
	return nil
}

func noOperator(sign string, args []expr.Expr, pos ast.Pos) error {
	hint := "No operator matches the given name and argument types. You might need to add explicit type casts."
	if len(args) == 1 {
		hint = "No operator matches the given name and argument type. You might need to add an explicit type cast."
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", operation(sign, args)).
		WithHint("%s", hint).At(int(pos))
}

func operation(sign string, args []expr.Expr) string {
	if len(args) == 1 {
		return sign + " " + typeList(args)
	}
	return args[0].Type().Bare().String() + " " + sign + " " + args[1].Type().Bare().String()
}

var comparisons = map[string]expr.CompareOp{
	"=": expr.EQ, "<>": expr.NE, "!=": expr.NE, "<": expr.LT, "<=": expr.LE, ">": expr.GT, ">=": expr.GE,
}

// Compare makes a comparison of two expressions brought to one kind.
func (b *Binder) Compare(sign string, left, right expr.Expr, pos ast.Pos) (expr.Expr, error) {
	l, r, err := b.comparable(sign, left, right, pos)
	if err != nil {
		return nil, err
	}
	return expr.Compare{Op: comparisons[sign], Left: l, Right: r}, nil
}

// comparable brings two expressions to types that are held in the same way. Types that
// are so already, such as int4 and int8, are left as they are, so that an index on the
// column still serves.
func (b *Binder) comparable(sign string, left, right expr.Expr, pos ast.Pos) (l, r expr.Expr, err error) {
	x, y := left.Type().In(types.Collation{}), right.Type().In(types.Collation{})
	none := func() error { return noOperator(sign, []expr.Expr{left, right}, pos) }
	switch {
	case x.OID == types.OIDUnknown && y.OID == types.OIDUnknown:
		x, y = types.Text, types.Text
	case x.OID == types.OIDUnknown:
		x = typeOfUnknown(y)
	case y.OID == types.OIDUnknown:
		y = typeOfUnknown(x)
	}
	if x.Kind() == types.KindArray && numberOfArrays(x) != numberOfArrays(y) {
		return nil, nil, none() // arrays of int4 and of int8 do not compare, nor do those of a domain and others
	}
	if element, ok := types.ElementOf(x); ok && !analyze.Ordered(x) {
		return nil, nil, noComparison(sign, element)
	}
	if !analyze.Ordered(x) || !analyze.Ordered(y) || types.InfoOf(x.OID).Around != "" && isOrder(sign) {
		return nil, nil, none()
	}
	own := x.OID != y.OID && (comparesAlone(x) || comparesAlone(y))
	if x.Kind() != y.Kind() || x.Kind() == types.KindTimestamp || own ||
		types.IsOID(x.OID) != types.IsOID(y.OID) {
		wide, ok := operandType(x.OID, y.OID)
		if !ok && x.OID != y.OID {
			return nil, nil, none()
		}
		if wide == types.OIDFloat4 {
			wide = types.OIDFloat8 // the other type has values between those of a float4
		}
		if ok {
			x, y = types.Of(wide), types.Of(wide)
		}
	}
	if l, err = b.comparand(left, x, pos, none); err != nil {
		return nil, nil, err
	}
	if r, err = b.comparand(right, y, pos, none); err != nil {
		return nil, nil, err
	}
	return collate.Compared(b.Catalog, l, r)
}

// numberOfArrays is the OID by which types of arrays are told from each other, which domains over one share.
func numberOfArrays(t types.T) types.OID {
	if t.IsDomain() {
		return t.OID
	}
	return t.Number()
}

// isOrder says whether a comparison is one of an order.
func isOrder(sign string) bool { return comparisons[sign] >= expr.LT }

// comparesAlone says whether values of a type compare only with those of that type, though others are held alike.
func comparesAlone(t types.T) bool {
	switch t.Kind() {
	case types.KindBytes, types.KindEnum, types.KindRange:
		return true
	}
	return t.OID == types.OIDMoney
}

// operandType is the type whose comparison serves two others: the preferred one, but
// varchar has no operators of its own.
func operandType(a, b types.OID) (types.OID, bool) {
	x, y := types.InfoOf(a), types.InfoOf(b)
	switch {
	case x.Category != y.Category && analyze.Implicitly(a, b): // a time is an interval, too
		return b, true
	case x.Category != y.Category:
		return a, analyze.Implicitly(b, a)
	case (a == types.OIDVarchar || y.Preferred) && analyze.Implicitly(a, b):
		return b, true
	case b == types.OIDVarchar && analyze.Implicitly(b, a):
		return a, true
	case a == types.OIDCitext || b == types.OIDCitext: // which no other type of texts becomes by itself
		return types.OIDText, true
	}
	return analyze.Wider(a, b)
}

func (b *Binder) comparand(e expr.Expr, to types.T, pos ast.Pos, none func() error) (expr.Expr, error) {
	if from := e.Type(); from.OID == to.OID || from.Kind() == types.KindFloat && to.Kind() == types.KindFloat {
		return e, nil
	}
	return b.coercion().Must(e, to.Bare(), pos, none)
}

// typeOfUnknown is what an unknown becomes beside a type; a literal beside a varchar is
// a text, so that its length is not cut.
func typeOfUnknown(t types.T) types.T {
	switch {
	case t.OID == types.OIDVarchar:
		return types.Text
	case t.OID.IsRow():
		return types.Record // which has the comparisons
	}
	return t.Bare()
}

// noComparison is the error of comparing arrays whose elements do not compare.
func noComparison(sign string, element types.T) error {
	what := "a comparison function"
	if op := comparisons[sign]; op == expr.EQ || op == expr.NE {
		what = "an equality operator"
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "could not identify %s for type %s", what, element)
}
