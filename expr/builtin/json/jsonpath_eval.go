package json

import (
	"errors"
	"math"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
	"zproxy/types/jsonpath"
	"zproxy/types/numeric"
)

// pathRun evaluates one jsonpath over one document, as SQL/JSON says: every item turns one
// value into any number of values, which the next item takes one by one.
type pathRun struct {
	context *expr.Context
	strict  bool
	lenient bool // a structure that does not fit is no error
	root    *json.Value
	vars    *json.Value // nil: every variable is null
	current *json.Value // @
	size    int         // of the array whose subscript is evaluated, for last
	probing bool        // only whether anything is found is asked
	zoned   bool        // moments with and without a zone are compared by that of the session
}

// found is called with each value. Its error ends the evaluation.
type found = func(*json.Value) error

// errEnough ends an evaluation that knows its answer.
var errEnough = errors.New("enough")

// pathError is an error of the document's data, which a silent call and a predicate do
// without.
type pathError struct{ error }

// Unwrap gives the error that a call that is not silent answers.
func (e pathError) Unwrap() error { return e.error }

func badItem(code sqlerr.Code, format string, args ...any) error {
	return pathError{sqlerr.New(code, format, args...)}
}

func isPathError(err error) bool {
	_, ok := err.(pathError)
	return ok
}

// structural is badItem where the document does not have the structure that the path
// expects, which is no error in lax mode.
func (r *pathRun) structural(code sqlerr.Code, format string, args ...any) error {
	if r.lenient {
		return nil
	}
	return badItem(code, format, args...)
}

// eval evaluates an item and what follows it. In lax mode an array is unwrapped for an
// item that is not for arrays.
func (r *pathRun) eval(n *jsonpath.Node, j *json.Value, unwrap bool, yield found) error {
	if err := r.context.Tick(pathUnits); err != nil {
		return err
	}
	switch n.Op {
	case jsonpath.Root:
		return r.next(n, r.root, yield)
	case jsonpath.Current:
		return r.next(n, r.current, yield)
	case jsonpath.Key:
		return r.key(n, j, unwrap, yield)
	case jsonpath.AnyKey:
		return r.anyKey(n, j, unwrap, yield)
	case jsonpath.AnyArray:
		return r.anyElement(n, j, yield)
	case jsonpath.Indexes:
		return r.indexes(n, j, yield)
	case jsonpath.Any:
		return r.anyLevel(n, j, yield)
	case jsonpath.Filter:
		return r.filter(n, j, unwrap, yield)
	case jsonpath.Method:
		return r.method(n, j, unwrap, yield)
	case jsonpath.Add, jsonpath.Sub, jsonpath.Mul, jsonpath.Div, jsonpath.Mod:
		return r.arithmetic(n, j, yield)
	case jsonpath.Plus, jsonpath.Minus:
		return r.sign(n, j, yield)
	}
	if !n.Op.IsPredicate() {
		v, err := r.literal(n)
		if err != nil {
			return err
		}
		return r.next(n, v, yield)
	}
	answer, err := r.test(n, j)
	if err != nil {
		return err
	}
	v := &json.Value{Kind: json.Bool, Bool: answer == pathTrue}
	if answer == pathUnknown {
		v = &json.Value{}
	}
	return r.next(n, v, yield)
}

// pathUnits is the work of an item of a path for one value.
const pathUnits = 64

// next hands a value to the item that follows, or to the caller.
func (r *pathRun) next(n *jsonpath.Node, j *json.Value, yield found) error {
	if n.Next == nil {
		return yield(j)
	}
	return r.eval(n.Next, j, !r.strict, yield)
}

// elements evaluates an item for each element of an array.
func (r *pathRun) elements(n *jsonpath.Node, j *json.Value, yield found) error {
	for i := range j.Items {
		if err := r.eval(n, &j.Items[i], false, yield); err != nil {
			return err
		}
	}
	return nil
}

func (r *pathRun) literal(n *jsonpath.Node) (*json.Value, error) {
	switch n.Op {
	case jsonpath.String:
		return &json.Value{Kind: json.String, Text: n.Text}, nil
	case jsonpath.Number:
		return &json.Value{Kind: json.Number, Number: n.Number}, nil
	case jsonpath.Bool:
		return &json.Value{Kind: json.Bool, Bool: n.Bool}, nil
	case jsonpath.LastIndex:
		return jsonNumber(apd.New(int64(r.size)-1, 0)), nil
	case jsonpath.Null:
		return &json.Value{}, nil
	}
	if r.vars == nil {
		return &json.Value{}, nil
	}
	if v := r.vars.Member(n.Text); v != nil {
		return v, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedObject, "could not find jsonpath variable \"%s\"", n.Text)
}

func jsonNumber(d *apd.Decimal) *json.Value {
	return &json.Value{Kind: json.Number, Number: d}
}

func (r *pathRun) key(n *jsonpath.Node, j *json.Value, unwrap bool, yield found) error {
	switch {
	case j.Kind == json.Object:
		if m := j.Member(n.Text); m != nil {
			return r.next(n, m, yield)
		}
		return r.structural(sqlerr.SQLJSONMemberNotFound, "JSON object does not contain key \"%s\"", n.Text)
	case unwrap && j.Kind == json.Array:
		return r.elements(n, j, yield)
	}
	return r.structural(sqlerr.SQLJSONMemberNotFound, "jsonpath member accessor can only be applied to an object")
}

func (r *pathRun) anyKey(n *jsonpath.Node, j *json.Value, unwrap bool, yield found) error {
	switch {
	case j.Kind == json.Object:
		return r.nextOfAll(n, j, yield)
	case unwrap && j.Kind == json.Array:
		return r.elements(n, j, yield)
	}
	return r.structural(sqlerr.SQLJSONObjectNotFound,
		"jsonpath wildcard member accessor can only be applied to an object")
}

func (r *pathRun) nextOfAll(n *jsonpath.Node, j *json.Value, yield found) error {
	for i := range j.Items {
		if err := r.next(n, &j.Items[i], yield); err != nil {
			return err
		}
	}
	return nil
}

func (r *pathRun) anyElement(n *jsonpath.Node, j *json.Value, yield found) error {
	switch {
	case j.Kind == json.Array:
		return r.nextOfAll(n, j, yield)
	case !r.strict:
		return r.next(n, j, yield)
	}
	return r.structural(sqlerr.SQLJSONArrayNotFound, "jsonpath wildcard array accessor can only be applied to an array")
}

// indexes takes what is no array for an array of it, in lax mode.
func (r *pathRun) indexes(n *jsonpath.Node, j *json.Value, yield found) error {
	items := j.Items
	switch {
	case j.Kind == json.Array:
	case r.strict:
		return r.structural(sqlerr.SQLJSONArrayNotFound, "jsonpath array accessor can only be applied to an array")
	default:
		items = []json.Value{*j}
	}
	outer := r.size
	defer func() { r.size = outer }()
	for _, s := range n.Subscripts {
		r.size = len(items)
		from, err := r.index(s[0], j)
		if err != nil {
			return err
		}
		to := from
		if s[1] != nil {
			if to, err = r.index(s[1], j); err != nil {
				return err
			}
		}
		if !r.lenient && (from < 0 || from > to || to >= len(items)) {
			return badItem(sqlerr.InvalidSQLJSONSubscript, "jsonpath array subscript is out of bounds")
		}
		for i := max(from, 0); i <= min(to, len(items)-1); i++ {
			if err := r.next(n, &items[i], yield); err != nil {
				return err
			}
		}
	}
	return nil
}

// index evaluates a subscript, of which the fraction is cut.
func (r *pathRun) index(n *jsonpath.Node, j *json.Value) (int, error) {
	all, err := r.list(n, j, !r.strict)
	if err != nil {
		return 0, err
	}
	if len(all) != 1 || all[0].Kind != json.Number {
		return 0, badItem(sqlerr.InvalidSQLJSONSubscript, "jsonpath array subscript is not a single numeric value")
	}
	i, err := numeric.Trunc(all[0].Number, 0).Int64()
	if err != nil || i != int64(int32(i)) {
		return 0, badItem(sqlerr.InvalidSQLJSONSubscript, "jsonpath array subscript is out of integer range")
	}
	return int(i), nil
}

// list is all values of an expression.
func (r *pathRun) list(n *jsonpath.Node, j *json.Value, unwrap bool) (all []*json.Value, err error) {
	outer := r.probing
	r.probing = false
	defer func() { r.probing = outer }()
	err = r.eval(n, j, unwrap, func(v *json.Value) error {
		all = append(all, v)
		return nil
	})
	return all, err
}

// unwrapped is list with the elements of arrays in their place, in lax mode.
func (r *pathRun) unwrapped(n *jsonpath.Node, j *json.Value) ([]*json.Value, error) {
	all, err := r.list(n, j, !r.strict)
	if err != nil || r.strict {
		return all, err
	}
	var out []*json.Value
	for _, v := range all {
		if v.Kind != json.Array {
			out = append(out, v)
			continue
		}
		for i := range v.Items {
			out = append(out, &v.Items[i])
		}
	}
	return out, nil
}

// anyLevel is the value itself and all below it, of the levels that are asked for.
func (r *pathRun) anyLevel(n *jsonpath.Node, j *json.Value, yield found) error {
	strictly := r.lenient
	r.lenient = true
	defer func() { r.lenient = strictly }()
	if n.First == 0 {
		if err := r.next(n, j, yield); err != nil {
			return err
		}
	}
	return r.below(n, j, 1, yield)
}

func (r *pathRun) below(n *jsonpath.Node, j *json.Value, level uint32, yield found) error {
	if level > n.Last {
		return nil
	}
	leaves := n.First == jsonpath.Last && n.Last == jsonpath.Last
	for i := range j.Items {
		item := &j.Items[i]
		if level >= n.First || leaves && isScalar(item) {
			if err := r.next(n, item, yield); err != nil {
				return err
			}
		}
		if err := r.below(n, item, level+1, yield); err != nil {
			return err
		}
	}
	return nil
}

func (r *pathRun) filter(n *jsonpath.Node, j *json.Value, unwrap bool, yield found) error {
	if unwrap && j.Kind == json.Array {
		return r.elements(n, j, yield)
	}
	outer := r.current
	r.current = j
	answer, err := r.test(n.Left, j)
	r.current = outer
	if err != nil || answer != pathTrue {
		return err
	}
	return r.next(n, j, yield)
}

func (r *pathRun) arithmetic(n *jsonpath.Node, j *json.Value, yield found) error {
	a, err := r.operand(n, n.Left, j, "left")
	if err != nil {
		return err
	}
	b, err := r.operand(n, n.Right, j, "right")
	if err != nil {
		return err
	}
	f := map[jsonpath.Op]func(a, b *apd.Decimal) (*apd.Decimal, error){
		jsonpath.Add: numeric.Add, jsonpath.Sub: numeric.Sub, jsonpath.Mul: numeric.Mul,
		jsonpath.Div: numeric.Div, jsonpath.Mod: numeric.Mod,
	}[n.Op]
	d, err := f(a, b)
	if err != nil {
		return pathError{err}
	}
	return r.next(n, jsonNumber(d), yield)
}

func (r *pathRun) operand(n, operand *jsonpath.Node, j *json.Value, side string) (*apd.Decimal, error) {
	all, err := r.unwrapped(operand, j)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 || all[0].Kind != json.Number {
		return nil, badItem(sqlerr.SingletonSQLJSONItemRequired,
			"%s operand of jsonpath operator %s is not a single numeric value", side, n.Op)
	}
	return all[0].Number, nil
}

// sign does to each value what + or - before it does. As in PostgreSQL, where only its
// existence is asked for, what is no number does not exist.
func (r *pathRun) sign(n *jsonpath.Node, j *json.Value, yield found) error {
	all, err := r.unwrapped(n.Left, j)
	if err != nil {
		return err
	}
	for _, v := range all {
		if v.Kind != json.Number && r.probing && n.Next == nil {
			continue
		}
		if v.Kind != json.Number {
			return badItem(sqlerr.SQLJSONNumberNotFound, "operand of unary jsonpath operator %s is not a numeric value",
				n.Op)
		}
		d := v.Number
		if n.Op == jsonpath.Minus {
			if d, err = number.NegateNumeric(d); err != nil {
				return err
			}
		}
		if err := r.next(n, jsonNumber(d), yield); err != nil {
			return err
		}
	}
	return nil
}

// method evaluates .type() and its like.
func (r *pathRun) method(n *jsonpath.Node, j *json.Value, unwrap bool, yield found) error {
	switch n.Text {
	case "type":
		return r.next(n, &json.Value{Kind: json.String, Text: itemType(j)}, yield)
	case "size":
		if j.Kind == json.Array {
			return r.next(n, jsonNumber(apd.New(int64(len(j.Items)), 0)), yield)
		}
		if r.strict {
			return r.structural(sqlerr.SQLJSONArrayNotFound,
				"jsonpath item method .%s() can only be applied to an array", n.Text)
		}
		return r.next(n, jsonNumber(apd.New(1, 0)), yield)
	}
	if unwrap && j.Kind == json.Array {
		return r.elements(n, j, yield)
	}
	switch n.Text {
	case "datetime":
		return r.datetime(n, j, yield)
	case "keyvalue":
		return r.keyValue(n, j, yield)
	}
	d, err := r.numberMethod(n.Text, j)
	if err != nil {
		return err
	}
	return r.next(n, jsonNumber(d), yield)
}

func (r *pathRun) numberMethod(name string, j *json.Value) (*apd.Decimal, error) {
	if name == "double" {
		return double(j)
	}
	if j.Kind != json.Number {
		return nil, badItem(sqlerr.NonNumericSQLJSONItem,
			"jsonpath item method .%s() can only be applied to a numeric value", name)
	}
	switch name {
	case "abs":
		return number.AbsNumeric(j.Number)
	case "floor":
		return number.FloorNumeric(j.Number)
	}
	return number.CeilNumeric(j.Number)
}

// double is a string as the number that a float8 holds of it. A number only has to be in
// the range of a float8, and stays as it is.
func double(j *json.Value) (*apd.Decimal, error) {
	switch j.Kind {
	case json.Number:
		if _, err := types.ParseText(string(numeric.Append(nil, j.Number)), types.Float8, nil); err != nil {
			return nil, badItem(sqlerr.NonNumericSQLJSONItem,
				"numeric argument of jsonpath item method .double() is out of range for type double precision")
		}
		return j.Number, nil
	case json.String:
		v, err := types.ParseText(j.Text, types.Float8, nil)
		if err != nil || math.IsInf(v.Float(), 0) || math.IsNaN(v.Float()) {
			return nil, badItem(sqlerr.NonNumericSQLJSONItem,
				"string argument of jsonpath item method .double() is not a valid representation of a double precision number")
		}
		cast, _ := types.FindCast(types.OIDFloat8, types.OIDNumeric)
		v, err = cast.Fn(v, types.Numeric, nil)
		return v.Numeric(), err
	}
	return nil, badItem(sqlerr.NonNumericSQLJSONItem,
		"jsonpath item method .double() can only be applied to a string or numeric value")
}

// keyValue gives the members of an object with a number that tells objects apart.
func (r *pathRun) keyValue(n *jsonpath.Node, j *json.Value, yield found) error {
	if j.Kind != json.Object {
		return badItem(sqlerr.SQLJSONObjectNotFound, "jsonpath item method .%s() can only be applied to an object",
			n.Text)
	}
	id, _ := offsetInJSONB(r.root, j, 0)
	for i, key := range j.Keys {
		v := json.NewObject([]string{"id", "key", "value"}, []json.Value{
			*jsonNumber(apd.New(id, 0)), {Kind: json.String, Text: key}, j.Items[i],
		})
		if err := r.next(n, v, yield); err != nil {
			return err
		}
	}
	return nil
}
