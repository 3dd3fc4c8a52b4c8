package expr_test

import (
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/types"
)

// anyFunction is the overload for arguments of which some may be of any type.
func anyFunction(name string, args []expr.Expr) *expr.Function {
	if f := findFunction(name, args); f != nil {
		return f
	}
	for _, f := range builtin.Functions(name) {
		fits := len(f.Args) == len(args) || f.Variadic && len(args) >= len(f.Args)
		for i, a := range args {
			fits = fits && fitsAny(f.Args[min(i, len(f.Args)-1)], a.Type())
		}
		if fits {
			return f
		}
	}
	return nil
}

func fitsAny(declared types.OID, given types.T) bool {
	switch declared {
	case types.OIDAny, types.OIDAnyElement:
		return true
	case types.OIDAnyArray:
		return given.Kind() == types.KindArray
	}
	return declared == given.OID
}

func TestJSONFunctions(t *testing.T) { callScript(t, "json") }

func TestJSONPathFunctions(t *testing.T) { callScript(t, "jsonpath") }

// callScript calls functions whose arguments may be of any type.
func callScript(t *testing.T, file string) {
	c := testContext()
	script(t, file, func(input string) (string, error) {
		name, args := parseCall(t, input, c)
		f := anyFunction(name, args)
		if f == nil {
			return "no such function", nil
		}
		v, err := expr.Call{Fn: f, Args: args, T: types.Of(f.Result)}.Eval(c, nil)
		return format1(v, f.Result, c), err
	})
}

func TestJSONRows(t *testing.T) {
	c := testContext()
	script(t, "json_rows", func(input string) (string, error) {
		name, args := parseCall(t, input, c)
		f := anyFunction(name, args)
		if f == nil {
			return "no such function", nil
		}
		out := []string{}
		values := make([]types.Value, len(args))
		for i, a := range args {
			values[i] = a.(expr.Const).Value
		}
		for row, err := range f.Rows(c, values) {
			if err != nil {
				return "", err
			}
			v, of := row[0], f.Result
			if len(f.Out) > 1 {
				r := &types.RecordValue{Values: slices.Clone(row)}
				for _, o := range f.Out {
					r.Names, r.Types = append(r.Names, o.Name), append(r.Types, types.Of(o.Type))
				}
				v, of = types.NewRecord(r), types.OIDRecord
			}
			out = append(out, format1(v, of, c))
		}
		if len(out) == 0 {
			return "NULL", nil
		}
		return strings.Join(out, " "), nil
	})
}

func TestJSONAggregates(t *testing.T) {
	c := testContext()
	script(t, "json_aggregates", func(input string) (string, error) {
		name, rows, _ := strings.Cut(strings.TrimSuffix(input, "))"), "(VALUES (")
		var acc expr.Accumulator
		for row := range strings.SplitSeq(rows, "), (") {
			_, args := parseCall(t, row, c)
			values, of := make([]types.Value, len(args)), make([]types.T, len(args))
			for i, a := range args {
				values[i], of[i] = a.(expr.Const).Value, a.Type()
			}
			if acc == nil {
				acc = builtin.Aggregates(name)[0].New(of)
			}
			if err := acc.Add(c, values); err != nil {
				return "", err
			}
		}
		v, err := acc.Result(c)
		return format1(v, builtin.Aggregates(name)[0].Result, c), err
	})
}
