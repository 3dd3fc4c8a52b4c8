package vector_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/vector"
	"zproxy/sqlerr"
	"zproxy/types"
)

func codeOf(err error) sqlerr.Code {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return "none"
	}
	return ""
}

// TestPrograms wants the values of programs, the rows that they keep and their errors to be those of Eval. The programs
// of a set have expressions in common, and are asked for any rows of a batch in any order.
func TestPrograms(t *testing.T) {
	g := newGenerator(t)
	var n outcomes
	for i := range 2000 {
		clear(g.drawn)
		var exprs []expr.Expr
		var programs []*vector.Program
		c := &expr.Context{Env: &types.Env{Location: g.zone()}}
		set := vector.NewSet(c)
		for range 1 + g.IntN(3) {
			e := g.of(columns[(i+len(exprs))%len(columns)], 1+g.IntN(3))
			exprs, programs = append(exprs, e), append(programs, set.Compile(e))
		}
		for range 3 {
			b := g.batch()
			all := g.expected(exprs, c, b)
			if g.IntN(3) > 0 {
				b.ToColumns()
			}
			set.Begin(b)
			for range 2 * len(exprs) {
				at := g.IntN(len(exprs))
				g.compare(all[at], programs[at], g.some(b.Len()), &n)
			}
		}
	}
	if n.failed < 300 || n.plain < 2000 {
		t.Errorf("%d expressions failed, %d made plain numbers", n.failed, n.plain)
	}
}

// outcomes counts what comes of expressions.
type outcomes struct{ failed, plain int }

// some draws some of a number of rows, or all.
func (g generator) some(rows int) (sel []int32) {
	part := 1 + g.IntN(4)
	for i := range rows {
		if part == 4 || g.IntN(4) < part {
			sel = append(sel, int32(i))
		}
	}
	return sel
}

// expectation is an expression by Eval: for each row its value, or the error.
type expectation struct {
	expr.Expr
	values []types.Value
	codes  []sqlerr.Code
	row    func(i int32) string
}

// compare runs a program over rows of a batch.
func (g generator) compare(want expectation, program *vector.Program, sel []int32, n *outcomes) {
	t := g.t
	t.Helper()
	codes := map[sqlerr.Code]bool{}
	for _, i := range sel {
		codes[want.codes[i]] = true
	}
	delete(codes, "")
	if len(codes) > 0 && !program.MayFail() {
		t.Fatalf("%s fails with %v, which it may not", want, codes)
	}
	got, err := program.Values(sel)
	if err != nil || len(codes) > 0 {
		if n.failed++; err == nil || !codes[codeOf(err)] {
			t.Fatalf("%s: error %v, want one of %v", want, err, codes)
		}
		return
	}
	if len(sel) > 0 && got.Kind != types.KindNull {
		n.plain++
	}
	for _, i := range sel {
		v := want.values[i]
		if !types.Identical(got.Value(int(i)), v) || got.IsNull(int(i)) != v.IsNull() {
			t.Fatalf("%s of %s is %v, want %v", want, want.row(i), got.Value(int(i)), v)
		}
	}
	if want.Type().OID == types.OIDBool {
		g.keeps(want, program, sel)
	}
}

// expected is what expressions are for the rows of a batch.
func (g generator) expected(exprs []expr.Expr, c *expr.Context, b *types.Batch) []expectation {
	out := make([]expectation, len(exprs))
	for at, e := range exprs {
		out[at] = expectation{Expr: e, row: func(i int32) string { return rowText(b.Row(int(i))) }}
		for i := range b.Len() {
			v, err := e.Eval(c, b.Row(i))
			out[at].values, out[at].codes = append(out[at].values, v), append(out[at].codes, codeOf(err))
		}
	}
	return out
}

func rowText(row types.Row) string {
	var out []string
	for i, v := range row {
		out = append(out, fmt.Sprintf("c%d = %s", i, expr.Const{Value: v, T: columns[i]}))
	}
	return strings.Join(out, ", ")
}

// keeps wants a condition to keep the rows for which it is true.
func (g generator) keeps(want expectation, p *vector.Program, sel []int32) {
	g.t.Helper()
	var kept []int32
	for _, i := range sel {
		if want.values[i].IsTrue() {
			kept = append(kept, i)
		}
	}
	got, err := p.Keep(slices.Clone(sel))
	if err != nil || !slices.Equal(got, kept) {
		g.t.Fatalf("%s kept %v, %v; want %v", want, got, err, kept)
	}
}

// TestKernelsHaveFunctions wants each kernel to be that of a function.
func TestKernelsHaveFunctions(t *testing.T) {
	found := 0
	for _, f := range builtin.Tables() {
		if vector.HasKernel(f) {
			found++
		}
	}
	if found != vector.Kernels() {
		t.Errorf("%d functions have a kernel, and there are %d kernels", found, vector.Kernels())
	}
}
