package vector_test

import (
	"errors"
	"slices"
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
	return ""
}

// TestPrograms wants the values of programs, the rows that they keep and their errors to be those of Eval.
func TestPrograms(t *testing.T) {
	g := newGenerator(t)
	var n outcomes
	for i := range 4000 {
		e := g.of(columns[i%len(columns)], 1+g.IntN(3))
		c := &expr.Context{Env: &types.Env{}}
		program := vector.Compile(e, c)
		for range 3 {
			g.compare(e, c, program, &n)
		}
	}
	if n.failed < 300 || n.plain < 3000 {
		t.Errorf("%d expressions failed, %d made plain numbers", n.failed, n.plain)
	}
}

// outcomes counts what comes of expressions.
type outcomes struct{ failed, plain int }

// compare runs a program over a batch.
func (g generator) compare(e expr.Expr, c *expr.Context, program *vector.Program, n *outcomes) {
	t := g.t
	t.Helper()
	b := g.batch()
	var sel []int32
	for i := range b.Len() {
		if g.IntN(3) > 0 {
			sel = append(sel, int32(i))
		}
	}
	want, codes := expected(e, c, b, sel)
	if g.IntN(3) > 0 {
		b.ToColumns()
	}
	got, err := program.Values(b, sel)
	if err != nil || len(codes) > 0 {
		if n.failed++; err == nil || !codes[codeOf(err)] {
			t.Fatalf("%s: error %v, want one of %v", e, err, codes)
		}
		return
	}
	if len(sel) > 0 && got.Kind != types.KindNull {
		n.plain++
	}
	for i, v := range want {
		if !types.Identical(got.Value(int(i)), v) || got.IsNull(int(i)) != v.IsNull() {
			t.Fatalf("%s of %v is %v, want %v", e, b.Row(int(i)), got.Value(int(i)), v)
		}
	}
	if e.Type().OID == types.OIDBool {
		g.keeps(e, program, b, sel, want)
	}
}

// expected are the values of an expression row by row, or the codes of the errors.
func expected(e expr.Expr, c *expr.Context, b *types.Batch, sel []int32) (map[int32]types.Value, map[sqlerr.Code]bool) {
	want, codes := map[int32]types.Value{}, map[sqlerr.Code]bool{}
	for _, i := range sel {
		v, err := e.Eval(c, b.Row(int(i)))
		if want[i] = v; err != nil {
			codes[codeOf(err)] = true
		}
	}
	return want, codes
}

// keeps wants a condition to keep the rows for which it is true.
func (g generator) keeps(e expr.Expr, p *vector.Program, b *types.Batch, sel []int32, want map[int32]types.Value) {
	g.t.Helper()
	var kept []int32
	for _, i := range sel {
		if want[i].IsTrue() {
			kept = append(kept, i)
		}
	}
	got, err := p.Keep(b, slices.Clone(sel))
	if err != nil || !slices.Equal(got, kept) {
		g.t.Fatalf("%s kept %v, %v; want %v", e, got, err, kept)
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
