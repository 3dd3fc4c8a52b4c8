package vector_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/vector"
	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/types"
)

// generator draws expressions over the columns of a batch, and batches.
type generator struct{ *rand.Rand }

// columns are the types of the columns that there are.
var columns = []types.T{types.Int4, types.Int8, types.Float8, types.Numeric, types.Numeric, types.Bool, types.Date,
	types.Text, types.Bpchar}

// literals are values of the columns, of which those at an end make operators fail.
var literals = [][]string{
	{"0", "1", "-7", "100", "2147483647", "-2147483648"},
	{"0", "3", "-9", "9223372036854775807", "-9223372036854775808", "4294967296"},
	{"0", "1.5", "-2.25", "1e308", "-1e308", "1e-300", "NaN", "Infinity"},
	{"0.00", "1.25", "-3.10", "99999999.99", "922337203685477.58"},
	{"0", "1.5", "-2.125", "123456789012345678901234567890", "NaN", "0.000000000000000001", "92233720368547758.07"},
	{"t", "f"}, {"2024-02-29", "1999-12-31", "infinity"}, {"", "a", "b"},
	{"", "a ", "a", "b  "},
}

func (g generator) value(t *testing.T, column int) types.Value {
	if g.IntN(8) == 0 {
		return types.Null
	}
	list := literals[column]
	v, err := types.ParseText(list[g.IntN(len(list))], columns[column], &types.Env{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (g generator) batch(t *testing.T) *types.Batch {
	b := types.NewBatch(len(columns))
	nulls := g.IntN(2) == 0
	for range 1 + g.IntN(60) {
		row := b.Add()
		for i := range row {
			row[i] = g.value(t, i)
			for !nulls && row[i].IsNull() {
				row[i] = g.value(t, i)
			}
		}
	}
	return b
}

// of draws an expression of the type of a column.
func (g generator) of(t *testing.T, column, depth int) expr.Expr {
	switch leaf := depth == 0 || g.IntN(4) == 0; {
	case leaf && g.IntN(3) == 0:
		return expr.Const{Value: g.value(t, column), T: columns[column]}
	case leaf:
		return expr.Column{Index: column, Name: fmt.Sprint("c", column), T: columns[column]}
	case columns[column].OID == types.OIDBool:
		return g.condition(t, depth)
	case g.IntN(5) == 0:
		return expr.Case{T: columns[column], Else: g.of(t, column, depth-1), Whens: []expr.When{
			{Cond: g.condition(t, depth-1), Result: g.of(t, column, depth-1)}}}
	}
	oid := columns[column].OID
	sign := []string{"+", "-", "*", "/"}[g.IntN(4)]
	for _, f := range builtin.Operators(sign, 2) {
		if slices.Equal(f.Args, []types.OID{oid, oid}) && f.Result == oid {
			return expr.Call{Fn: f, T: columns[column],
				Args: []expr.Expr{g.of(t, column, depth-1), g.of(t, column, depth-1)}}
		}
	}
	return g.of(t, column, 0)
}

func (g generator) condition(t *testing.T, depth int) expr.Expr {
	if depth > 0 && g.IntN(2) == 0 {
		args := []expr.Expr{g.condition(t, depth-1), g.condition(t, depth-1), g.condition(t, depth-1)}
		return expr.Logic{Or: g.IntN(2) == 0, Args: args[:2+g.IntN(2)]}
	}
	column := g.IntN(len(columns))
	if g.IntN(4) == 0 {
		in := expr.In{Arg: g.of(t, column, 0), Not: g.IntN(2) == 0}
		for range 1 + g.IntN(4) {
			in.List = append(in.List, g.of(t, column, g.IntN(2)))
		}
		return in
	}
	return expr.Compare{Op: expr.CompareOp(g.IntN(6)), Left: g.of(t, column, max(depth-1, 0)),
		Right: g.of(t, column, max(depth-1, 0))}
}

func codeOf(err error) sqlerr.Code {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// TestPrograms wants the values of programs, the rows that they keep and their errors to be those of Eval.
func TestPrograms(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(testseed.Of(t), 0))}
	failed, plain := 0, 0
	for range 4000 {
		e := g.of(t, g.IntN(len(columns)), 1+g.IntN(3))
		c := &expr.Context{Env: &types.Env{}}
		program := vector.Compile(e, c)
		for range 3 {
			b := g.batch(t)
			var sel []int32
			for i := range b.Len() {
				if g.IntN(3) > 0 {
					sel = append(sel, int32(i))
				}
			}
			want, codes := map[int32]types.Value{}, map[sqlerr.Code]bool{}
			for _, i := range sel {
				v, err := e.Eval(c, b.Row(int(i)))
				if want[i] = v; err != nil {
					codes[codeOf(err)] = true
				}
			}
			if g.IntN(2) == 0 {
				b.ToColumns()
			}
			got, err := program.Values(b, sel)
			if err != nil || len(codes) > 0 {
				if failed++; err == nil || !codes[codeOf(err)] {
					t.Fatalf("%s: error %v, want one of %v", e, err, codes)
				}
				continue
			}
			if len(sel) > 0 && got.Kind != types.KindNull {
				plain++
			}
			for i, v := range want {
				if !types.Identical(got.Value(int(i)), v) || got.IsNull(int(i)) != v.IsNull() {
					t.Fatalf("%s of %v is %v, want %v", e, b.Row(int(i)), got.Value(int(i)), v)
				}
			}
			if e.Type().OID == types.OIDBool {
				g.keeps(t, program, b, sel, want)
			}
		}
	}
	if failed < 100 || plain < 1000 {
		t.Errorf("%d expressions failed, %d made plain numbers", failed, plain)
	}
}

// keeps wants a condition to keep the rows for which it is true.
func (g generator) keeps(t *testing.T, p *vector.Program, b *types.Batch, sel []int32, want map[int32]types.Value) {
	t.Helper()
	var kept []int32
	for _, i := range sel {
		if want[i].IsTrue() {
			kept = append(kept, i)
		}
	}
	got, err := p.Keep(b, slices.Clone(sel))
	if err != nil || !slices.Equal(got, kept) {
		t.Fatalf("kept %v, %v; want %v", got, err, kept)
	}
}
