package expr_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/interval"
	"zproxy/types/ranges"
)

// walker makes large arguments for every function of the tables.
type walker struct {
	random *rand.Rand
	size   int // bytes of the larger texts
}

// texts are what large texts may be made of: what parsers, patterns and templates find most
// to do in.
var texts = []string{"x,", "a", "9", "[", "[1,", `{"a":`, `{"a":1,"b":[1,2]} `, "HH24:MI ", "aA1 %_\\", "(a|b)*", "é",
	"{1,", "$.a", " ", "10-", "%s", ".", "'\"", "\x01", "a\n"}

func (w *walker) text() string {
	unit := texts[w.random.IntN(len(texts))]
	n := w.size
	if w.random.IntN(3) == 0 {
		n = 1 + w.random.IntN(100)
	}
	s := strings.Repeat(unit, n/len(unit)+1)
	switch w.random.IntN(8) {
	case 0:
		return s + "!"
	case 1:
		return "[" + strings.TrimSuffix(strings.Repeat("1,", n/2+1), ",") + "]"
	case 2:
		return "{" + strings.TrimSuffix(strings.Repeat("1,", n/2+1), ",") + "}"
	}
	return s
}

// value is a large value of a type, now and then a small one.
func (w *walker) value(t types.OID) types.Value {
	if a, ok := types.ElementOf(types.Of(t)); ok {
		return w.array(a.OID)
	}
	switch t {
	case types.OIDAnyArray, types.OIDAnyCompatibleArray:
		return w.array(types.OIDInt4)
	case types.OIDAnyElement, types.OIDAnyNonArray, types.OIDAnyCompatible:
		return w.value(types.OIDInt4)
	case types.OIDAny:
		return types.NewText(w.text())
	case types.OIDAnyRange:
		t = int4range
	case types.OIDAnyMultirange:
		t = int4multirange
	}
	if r := types.RangeTypeOf(t); r != nil {
		return w.ranges(r, t)
	}
	switch t {
	case types.OIDTSVector, types.OIDTSQuery:
		return w.search(t)
	case types.OIDHstore:
		return w.pairs()
	case types.OIDRegconfig:
		return types.NewInt(13164) // english
	case types.OIDRegdict:
		return types.NewInt(13163)
	}
	switch kind := types.Of(t).Kind(); kind {
	case types.KindInt:
		return types.NewInt([]int64{0, 1, -1, 2, 7, 1000, int64(w.size), 100000, 2147483647,
			-2147483648}[w.random.IntN(10)])
	case types.KindFloat:
		return types.NewFloat([]float64{0, 1, -1, 1e9, 1e300}[w.random.IntN(5)])
	case types.KindBool:
		return types.NewBool(true)
	case types.KindNumeric:
		return types.NewNumeric(w.numeric())
	case types.KindBytes:
		if c := types.InfoOf(t).Category; c == types.CategoryGeometric || c == types.CategoryNetwork {
			return w.small(t)
		}
		return types.NewBytes([]byte(w.text()))
	case types.KindText, types.KindBpchar:
		return w.parsed(w.text(), t)
	case types.KindJSON, types.KindJSONB:
		return w.parsed(w.json(), t)
	case types.KindJSONPath:
		return w.parsed([]string{"$.**", "$[*] ? (@ > 0)", "$.a.b", "strict $[0 to last]",
			`$.** ? (@ like_regex "(a+)+$")`, "$.a[*] ? (exists (@.**))"}[w.random.IntN(6)], t)
	case types.KindInterval:
		return types.NewInterval(interval.Interval{Months: 1, Days: 2, Micros: 3})
	case types.KindDate:
		return types.NewDate(7000)
	case types.KindTimestamp:
		return types.NewTimestamp(1e15)
	case types.KindPoint:
		return types.NewPoint(1, 2)
	}
	return w.parsed(w.text(), t)
}

func (w *walker) parsed(s string, t types.OID) types.Value {
	v, err := types.ParseText(s, types.Of(t), &types.Env{})
	if err != nil {
		return w.small(t)
	}
	return v
}

// The types that polymorphic ranges are.
const (
	int4range      types.OID = 3904
	int4multirange types.OID = 4451
)

// ranges is a range, or a multirange of many.
func (w *walker) ranges(r *types.RangeType, t types.OID) types.Value {
	one := func(from, to types.Value) types.Range {
		return types.Range{Lower: r.Bound(from), Upper: r.Bound(to)}
	}
	first, second := w.small(r.Subtype.OID), types.Null
	switch {
	case t == r.OID:
		return r.Value(one(first, second))
	case t != int4multirange:
		return r.MultiValue(ranges.Join(one(first, second)))
	}
	var list types.Multirange
	for i := range int64(w.size / 20) {
		list = append(list, one(types.NewInt(3*i), types.NewInt(3*i+1+w.random.Int64N(2))))
	}
	return r.MultiValue(list)
}

// search is a document or a query of many lexemes.
func (w *walker) search(t types.OID) types.Value {
	separator, most := " ", min(w.size, 50000)
	if t == types.OIDTSQuery {
		separator, most = []string{" & ", " | ", " <-> "}[w.random.IntN(3)], min(w.size, 5000)
	}
	var lexemes []string
	for i := range most {
		lexemes = append(lexemes, "w"+strconv.Itoa(i)+[]string{":1", "", ":7A"}[w.random.IntN(3)])
	}
	if t == types.OIDTSQuery {
		for i, s := range lexemes {
			lexemes[i], _, _ = strings.Cut(s, ":")
		}
	}
	return w.parsed(strings.Join(lexemes, separator), t)
}

// small is some value of a type; NULL where none is known.
func (w *walker) small(t types.OID) types.Value {
	for _, s := range []string{"1", "{}", "[]", "a", "(1,2)", "101", "1.2.3.4", "2000-01-01", "12:00",
		"08:00:2b:01:02:03", "[(0,0),(1,1)]", "(0,0),(1,1)", "<(0,0),1>", "{1,1,1}",
		"00000000-0000-0000-0000-000000000000"} {
		if v, err := types.ParseText(s, types.Of(t), &types.Env{}); err == nil {
			return v
		}
	}
	return types.Null
}

func (w *walker) numeric() *apd.Decimal {
	d := &apd.Decimal{Exponent: -[]int32{0, 3, 1000, 16000}[w.random.IntN(4)]}
	digits := []int{1, 5, 1000, min(w.size, 131072)}[w.random.IntN(4)]
	d.Coeff.SetString(strings.Repeat([]string{"9", "1", "31"}[w.random.IntN(3)], digits)[:digits], 10)
	d.Negative = w.random.IntN(4) == 0
	return d
}

func (w *walker) json() string {
	n := w.size/20 + 1
	switch w.random.IntN(5) {
	case 0:
		return "[" + strings.Repeat(`{"a":[1,2,{"b":null}]},`, n) + "1]"
	case 1:
		var b strings.Builder
		b.WriteString("{")
		for i := range n {
			fmt.Fprintf(&b, "\"k%d\":%d,", i, i)
		}
		return b.String() + `"a":1}`
	case 2:
		deep := min(n, 3000)
		return strings.Repeat("[", deep) + strings.Repeat("]", deep)
	case 3:
		return `"` + strings.Repeat("a", n*20) + `"`
	}
	return `{"a": {"b": [1, 2]}}`
}

// pairs is a set of many pairs, or of one with a long value.
func (w *walker) pairs() types.Value {
	if w.random.IntN(3) == 0 {
		v, _ := types.HstoreOf([]types.Value{types.NewText("a")}, []types.Value{types.NewText(w.text())}, nil)
		return v
	}
	keys := make([]types.Value, w.size/20+1)
	for i := range keys {
		keys[i] = types.NewText(fmt.Sprint("key", i))
	}
	v, _ := types.HstoreOf(keys, keys, nil)
	return v
}

func (w *walker) array(element types.OID) types.Value {
	n := w.size / 24
	if w.random.IntN(3) == 0 {
		n = w.random.IntN(4)
	}
	items := make([]types.Value, n)
	some := []types.Value{w.small(element), w.small(element)}
	if k := types.Of(element).Kind(); k == types.KindText {
		some = []types.Value{types.NewText("a"), types.NewText("bb")}
	}
	whole := types.Of(element).Kind() == types.KindInt
	for i := range items {
		items[i] = some[i%2]
		if whole {
			items[i] = types.NewInt(int64(w.random.IntN(1 << 15)))
		}
	}
	return types.NewItems(element, items)
}

// call is a function with arguments of which no one is larger than a client can make.
func (w *walker) call(f *expr.Function) expr.Call {
	of := f.Args
	if f.Variadic {
		of = append(of[:len(of)-1:len(of)-1], of[len(of)-1], of[len(of)-1])
	}
	args := make([]expr.Expr, len(of))
	for i, t := range of {
		if f.AnyArgs {
			t = types.OIDText
		}
		args[i] = w.argument(t)
	}
	return expr.Call{Fn: f, Args: args, T: types.Of(f.Result)}
}

func (w *walker) argument(t types.OID) expr.Expr {
	v := w.value(t)
	switch t {
	case types.OIDAnyElement, types.OIDAnyNonArray, types.OIDAnyCompatible:
		t = types.OIDInt4
	case types.OIDAnyArray, types.OIDAnyCompatibleArray:
		t = 1007
	case types.OIDAny:
		t = types.OIDText
	case types.OIDAnyRange:
		t = int4range
	case types.OIDAnyMultirange:
		t = int4multirange
	}
	return expr.Const{Value: v, T: types.Of(t)}
}
