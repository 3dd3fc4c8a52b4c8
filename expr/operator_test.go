package expr_test

import (
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/recorded"
	"zproxy/types"
)

// question is what an operator or a function is given.
type question struct {
	context *expr.Context
	oids    []types.OID
	args    []types.Value
}

// newQuestion reads the types and the texts of arguments, which take turns.
func newQuestion(t *testing.T, in ...string) *question {
	t.Helper()
	q := &question{context: &expr.Context{Env: &types.Env{Location: recorded.Zone(t)}}}
	for ; len(in) > 0; in = in[2:] {
		info, ok := types.Lookup(in[0])
		if !ok {
			t.Fatalf("no type %s", in[0])
		}
		v, err := types.ParseText(in[1], types.Of(info.OID), q.context.Env)
		if err != nil {
			t.Fatalf("%s as %s: %v", in[1], in[0], err)
		}
		q.oids, q.args = append(q.oids, info.OID), append(q.args, v)
	}
	return q
}

// answer is the result of the function that takes the arguments, as record.sh prints it.
func (q *question) answer(t *testing.T, name string, overloads []*expr.Function) string {
	t.Helper()
	at := slices.IndexFunc(overloads, func(f *expr.Function) bool { return slices.Equal(f.Args, q.oids) })
	if at < 0 {
		t.Fatalf("no %s of %v", name, q.oids)
	}
	f := overloads[at]
	var v types.Value
	var err error
	if f.Fn1 != nil {
		v, err = f.Fn1(q.context, q.args[0])
	} else {
		v, err = f.Fn2(q.context, q.args[0], q.args[1])
	}
	if err != nil {
		return recorded.Error(err)
	}
	return types.FormatText(v, types.Of(f.Result), q.context.Env)
}

func TestRecordedOperators(t *testing.T) {
	recorded.Each(t, "testdata/operator.tsv", func(in []string) string {
		return newQuestion(t, in[0], in[1], in[3], in[4]).answer(t, in[2], builtin.Operators(in[2], 2))
	})
}

func TestRecordedFunctions(t *testing.T) {
	recorded.Each(t, "testdata/function.tsv", func(in []string) string {
		overloads := slices.Concat(builtin.Functions(in[0]), builtin.Operators(in[0], 1))
		return newQuestion(t, in[1], in[2]).answer(t, in[0], overloads)
	})
}
