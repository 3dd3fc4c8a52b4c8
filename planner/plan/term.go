package plan

import (
	"slices"

	"zproxy/encoding/span"
	"zproxy/expr"
	patterns "zproxy/expr/builtin/text"
	"zproxy/types"
)

// Term says of a column what its operator says, against expressions that are fixed
// while the statement runs.
type Term struct {
	Op   TermOp
	Args []expr.Expr
	// Image is what is said of a function of the column, which then bounds the column on the sides that Op
	// does; nil: the term is about the column itself.
	Image *image
	Area  *area // of Args, in which an axis of the column lies; nil: the term is no such one
}

// TermOp is how a Term bounds its column.
type TermOp uint8

// The terms.
const (
	TermEQ TermOp = iota
	TermLT
	TermLE
	TermGT
	TermGE
	TermIn
	TermAny    // an element of the array Args[0]
	TermPrefix // a text that begins with Args[0]
	TermWithin // lies between what the Image leaves
	TermNull
	TermNotNull
)

// Set is what the term leaves of its column. A comparison with NULL is never true, so it leaves
// nothing.
func (t Term) Set(c *expr.Context) (span.Set, error) {
	switch t.Op {
	case TermNull:
		return span.OnlyNull, nil
	case TermNotNull:
		return span.NotNull, nil
	}
	if t.Image != nil {
		return t.Image.set(c)
	}
	values := make([]types.Value, len(t.Args))
	for i, arg := range t.Args {
		v, err := arg.Eval(c, nil)
		if err != nil {
			return span.Set{}, err
		}
		values[i] = v
	}
	if t.Area != nil {
		return t.Area.set(values)
	}
	if t.Op == TermIn || t.Op == TermEQ {
		return span.Points(values...), nil
	}
	v := values[0]
	if v.IsNull() {
		return span.Set{}, nil
	}
	switch t.Op {
	case TermAny:
		return span.Points(v.Array().Items...), nil
	case TermLT:
		return span.Of(span.Interval{High: v, HighOpen: true}), nil
	case TermLE:
		return span.Of(span.Interval{High: v}), nil
	case TermGT:
		return span.Of(span.Interval{Low: v, LowOpen: true}), nil
	case TermGE:
		return span.Of(span.Interval{Low: v}), nil
	default:
		return span.Of(span.Prefix(v.Text())), nil
	}
}

// TermOf reads a condition that bounds a column as a term on it: a comparison with something fixed,
// IN, = ANY of an array, LIKE with a prefix, IS [NOT] NULL, or a boolean column by itself. The first three
// may be about a function that rises with the column, too. An exact term says all that the condition does.
func TermOf(cond expr.Expr) (col int, term Term, exact, ok bool) {
	switch e := cond.(type) {
	case expr.Compare:
		return boundCompare(e)
	case expr.In:
		if e.Not || !allFixed(e.List) {
			return 0, term, false, false
		}
		return termOn(e.Arg, Term{Op: TermIn, Args: e.List})
	case expr.Quantified:
		return boundAny(e)
	case expr.IsNull:
		c, isColumn := ColumnOf(e.Arg)
		op := TermNull
		if e.Not {
			op = TermNotNull
		}
		return c.Index, Term{Op: op}, true, isColumn
	case expr.Column:
		return e.Index, equalsBool(true), true, true
	case expr.Not:
		c, isColumn := e.Arg.(expr.Column)
		return c.Index, equalsBool(false), true, isColumn
	case expr.Call:
		return boundLike(e)
	}
	return 0, term, false, false
}

// ColumnOf sees a column through casts that change nothing.
func ColumnOf(e expr.Expr) (expr.Column, bool) {
	c, ok := expr.Uncast(e).(expr.Column)
	return c, ok
}

func equalsBool(v bool) Term {
	return Term{Op: TermEQ, Args: []expr.Expr{expr.Const{Value: types.NewBool(v), T: types.Bool}}}
}

func allFixed(list []expr.Expr) bool {
	for _, e := range list {
		if !expr.Fixed(e) {
			return false
		}
	}
	return true
}

var termOf = map[expr.CompareOp]TermOp{
	expr.EQ: TermEQ, expr.LT: TermLT, expr.LE: TermLE, expr.GT: TermGT, expr.GE: TermGE,
}

// termOn is a term on a column, or on a function that rises with it.
func termOn(e expr.Expr, t Term) (col int, term Term, exact, ok bool) {
	if column, ok := ColumnOf(e); ok {
		return column.Index, t, true, alike(column.T, t.Args)
	}
	column, ok := risen(e)
	if !ok {
		return 0, Term{}, false, false
	}
	term = Term{Op: t.Op, Args: t.Args, Image: &image{Of: e, Term: t}}
	switch t.Op {
	case TermEQ, TermIn, TermAny:
		term.Op = TermWithin
	}
	return column.Index, term, false, true
}

// alike says whether values that a column of rows is compared with are rows of the same fields. Comparing it with
// others is an error, and they lie at no keys.
func alike(column types.T, args []expr.Expr) bool {
	if element, ok := types.ElementOf(column); ok {
		column = element
	}
	if !column.IsComposite() || column.Def == nil {
		return true
	}
	return !slices.ContainsFunc(args, func(arg expr.Expr) bool {
		t := arg.Type()
		if element, ok := types.ElementOf(t); ok {
			t = element
		}
		return t.OID != column.OID && !slices.EqualFunc(fieldsOf(arg, t), column.Def.Types, sameField)
	})
}

// fieldsOf are the types of the fields of rows of a type that an expression makes, none if they are not known.
func fieldsOf(e expr.Expr, t types.T) (out []types.T) {
	switch e := e.(type) {
	case expr.Const:
		if e.Value.Kind() == types.KindRecord {
			return e.Value.Record().Types
		}
	case expr.Row:
		fields := e.Given
		if fields == nil {
			fields = e.Args
		}
		for _, field := range fields {
			out = append(out, field.Type())
		}
		return out
	}
	if t.Def == nil {
		return nil
	}
	return t.Def.Types
}

func sameField(a, b types.T) bool { return a.OID == b.OID }

func boundCompare(e expr.Compare) (col int, term Term, exact, ok bool) {
	of, value, op := e.Left, e.Right, e.Op
	if expr.Fixed(of) {
		of, value, op = e.Right, e.Left, e.Op.Flip()
	}
	term.Op, ok = termOf[op]
	if !ok || !expr.Fixed(value) {
		return 0, term, false, false
	}
	term.Args = []expr.Expr{value}
	return termOn(of, term)
}

// boundAny reads column = ANY (array). The items of an array that is known, or written
// out, are points as in IN.
func boundAny(e expr.Quantified) (col int, term Term, exact, ok bool) {
	test, isCompare := e.Test.(expr.Compare)
	if e.All || !isCompare || test.Op != expr.EQ || !expr.Fixed(e.Array) {
		return 0, term, false, false
	}
	term = Term{Op: TermAny, Args: []expr.Expr{e.Array}}
	switch a := e.Array.(type) {
	case expr.ArrayOf:
		if !a.Nested {
			term = Term{Op: TermIn, Args: a.Items}
		}
	case expr.Const:
		term = Term{Op: TermIn}
		if a.Value.IsNull() {
			break
		}
		element, _ := types.ElementOf(a.T)
		for _, item := range a.Value.Array().Items {
			term.Args = append(term.Args, expr.Const{Value: item, T: element})
		}
	}
	return termOn(e.Arg, term)
}

// boundLike reads column LIKE 'prefix...', column ~ '^prefix...' and column ^@ 'prefix'. Texts are in
// byte order, so a prefix is an interval; what follows the prefix is left to the residual.
func boundLike(e expr.Call) (col int, term Term, exact, ok bool) {
	if len(e.Args) != 2 {
		return 0, term, false, false
	}
	column, isColumn := ColumnOf(e.Args[0])
	pattern, isConst := e.Args[1].(expr.Const)
	if !isColumn || !isConst || pattern.Value.Kind() != types.KindText || column.T.Kind() != types.KindText {
		return 0, term, false, false
	}
	text := pattern.Value.Text()
	term.Op = TermPrefix
	switch e.Fn.Operator {
	case "~~":
		prefix, rest := patterns.LikePrefix(text)
		if rest == "" {
			term.Op = TermEQ
		}
		text, exact, ok = prefix, rest == "" || rest == "%", prefix != "" || rest == ""
	case "~":
		text = patterns.RegexpPrefix(text)
		ok = text != ""
	case "^@":
		exact, ok = true, text != ""
	}
	term.Args = []expr.Expr{expr.Const{Value: types.NewText(text), T: types.Text}}
	return column.Index, term, exact, ok
}

// Same says whether two terms that are about their columns themselves say the same.
func (t Term) Same(other Term) bool {
	return t.Op == other.Op && slices.EqualFunc(t.Args, other.Args, expr.Equal)
}

// String is how a term is shown while its values are not known.
func (t Term) String() string {
	if t.Image != nil {
		return t.Image.Of.String() + " " + t.Image.Term.String()
	}
	if len(t.Args) == 0 {
		return t.Op.String()
	}
	return t.Op.String() + " " + texts(t.Args)
}

// String is how a term is shown.
func (op TermOp) String() string {
	return [...]string{
		TermEQ: "=", TermLT: "<", TermLE: "<=", TermGT: ">", TermGE: ">=", TermIn: "in", TermAny: "any of",
		TermPrefix: "begins with", TermWithin: "within", TermNull: "null", TermNotNull: "not null",
	}[op]
}
