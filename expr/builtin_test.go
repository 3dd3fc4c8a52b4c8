package expr_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/system"
	"zproxy/expr/builtin/text"
	"zproxy/sqlerr"
	"zproxy/types"
)

// TestFunctionTable checks what every literal of the table promises.
func TestFunctionTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range builtin.All() {
		signature := fmt.Sprint(f.Name, f.Args)
		if f.Variadic {
			signature += "..."
		}
		if f.Operator == "@@@" {
			continue // the old name of @@
		}
		if seen[signature] {
			t.Errorf("%s is there twice", signature)
		}
		seen[signature] = true
		if !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: Doc %q is no sentence", signature, f.Doc)
		}
		got := []bool{f.Fn0 != nil, f.Fn1 != nil, f.Fn2 != nil, f.FnN != nil}
		if special := f.Rows != nil || f.Typed != nil; special && slices.Contains(got, true) || !special &&
			!slices.Equal(got, wantFn(f)) {
			t.Errorf("%s: has Fn0, Fn1, Fn2, FnN %v", signature, got)
		}
		if types.InfoOf(f.Result).OID != f.Result {
			t.Errorf("%s: unknown result %d", signature, f.Result)
		}
	}
	for _, a := range builtin.AllAggregates() {
		signature := fmt.Sprint("aggregate ", a.Name, a.Args)
		if seen[signature] || !strings.HasSuffix(a.Doc, ".") || a.New == nil || a.Result == types.OIDInvalid {
			t.Errorf("%s is not as it should be", signature)
		}
		seen[signature] = true
	}
}

func wantFn(f *expr.Function) []bool {
	want := make([]bool, 4)
	n := len(f.Args)
	if f.Variadic || n > 2 || f.FnN != nil && slices.Contains(overloadedN, f.Name) {
		n = 3
	}
	want[n] = true
	return want
}

// overloadedN take two arguments as they do three, by one FnN.
var overloadedN = []string{"lpad", "rpad", "format", "regexp_count", "regexp_instr", "regexp_substr", "regexp_match",
	"regexp_split_to_array", "string_to_array"}

var testZone = func() *time.Location {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		panic(err)
	}
	return zone
}()

func testContext() *expr.Context {
	return &expr.Context{Env: &types.Env{Location: testZone}, Transaction: time.Unix(1.7e9, 0),
		Host: &system.Host{User: "u", Database: "d", Session: system.SessionInfo{Path: []string{"public"}}}}
}

// script reads a file of what PostgreSQL answered; see testdata/record.sh.
func script(t *testing.T, name string, run func(input string) (string, error)) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		input, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		got, err := run(input)
		if err != nil {
			e := sqlerr.From(err)
			got = fmt.Sprintf("ERROR %s: %s", e.Code, e.Message)
		}
		if got = strings.ReplaceAll(got, "\n", `\n`); got != want {
			t.Errorf("%s\n got %s\nwant %s", input, got, want)
		}
	}
}

func format1(v types.Value, oid types.OID, c *expr.Context) string {
	if v.IsNull() {
		return "NULL"
	}
	return types.FormatText(v, types.Of(oid), c.Env)
}

func TestFunctions(t *testing.T) { runFunctions(t, "functions") }

// TestToChar formats and reads by patterns.
func TestToChar(t *testing.T) {
	runFunctions(t, "to_char")
	runFunctions(t, "to_timestamp")
}

// TestRegexps finds matches and their groups.
func TestRegexps(t *testing.T) { runFunctions(t, "regexps") }

func runFunctions(t *testing.T, name string) {
	c := testContext()
	script(t, name, func(input string) (string, error) {
		name, args := parseCall(t, input, c)
		f := findFunction(name, args)
		if f == nil {
			return "no such function", nil
		}
		if f.AnyArgs {
			for i, a := range args {
				args[i] = text.OutputText(a)
			}
		}
		v, err := expr.Call{Fn: f, Args: args, T: types.Of(f.Result)}.Eval(c, nil)
		return format1(v, f.Result, c), err
	})
}

var literal = regexp.MustCompile(`(\w+) '((?:[^']|'')*)'|NULL::(\w+)`)

// parseCall reads name(type 'literal', ...) or an operator between literals.
func parseCall(t *testing.T, input string, c *expr.Context) (name string, args []expr.Expr) {
	t.Helper()
	for _, m := range literal.FindAllStringSubmatch(input, -1) {
		info, ok := types.Lookup(m[1] + m[3])
		if !ok {
			t.Fatalf("%s: no type %s", input, m[1]+m[3])
		}
		arg := expr.Const{T: types.Of(info.OID)}
		if m[3] == "" {
			v, err := types.ParseText(strings.ReplaceAll(m[2], "''", "'"), arg.T, c.Env)
			if err != nil {
				t.Fatalf("%s: %v", input, err)
			}
			arg.Value = v
		}
		args = append(args, arg)
	}
	rest := strings.TrimSpace(literal.ReplaceAllString(input, ""))
	name, _, _ = strings.Cut(rest, "(")
	return name, args
}

func findFunction(name string, args []expr.Expr) *expr.Function {
	given := make([]types.OID, len(args))
	for i, a := range args {
		given[i] = a.Type().OID
	}
	for _, f := range append(builtin.Functions(name), builtin.Operators(name, len(args))...) {
		if slices.EqualFunc(f.Args, given, accepts) || f.AnyArgs && len(given) >= len(f.Args) {
			return f
		}
	}
	return nil
}

// accepts says whether an argument can stand for a declared type, without a cast.
func accepts(declared, given types.OID) bool {
	array := types.InfoOf(given).Element != types.OIDInvalid
	switch declared {
	case pg.AnyArray, pg.AnyCompatibleArray:
		return array
	case pg.AnyNonArray, pg.AnyElement, pg.AnyCompatible:
		return !array
	}
	return declared == given
}

func TestAggregates(t *testing.T) {
	c := testContext()
	script(t, "aggregates", func(input string) (string, error) {
		words := strings.Fields(input)
		info, _ := types.Lookup(words[1])
		var a *expr.Aggregate
		for _, candidate := range builtin.Aggregates(words[0]) {
			if len(candidate.Args) > 0 && (candidate.Args[0] == types.OIDAny || candidate.Args[0] == info.OID) {
				a = candidate
			}
		}
		if a == nil {
			return "no such aggregate", nil
		}
		acc := a.New([]types.T{types.Of(info.OID)})
		for _, word := range words[2:] {
			args := []types.Value{types.Null, types.NewText("/")}
			if word != "NULL" {
				v, err := types.ParseText(word, types.Of(info.OID), c.Env)
				if err != nil {
					return "", err
				}
				args[0] = v
			}
			if err := acc.Add(c, args); err != nil {
				return "", err
			}
		}
		v, err := acc.Result(c)
		return format1(v, a.Result, c), err
	})
}

// TestFixedWidthDoesNotAllocate calls what runs once for each row.
func TestFixedWidthDoesNotAllocate(t *testing.T) {
	c := testContext()
	for _, input := range []string{
		"int4 '1' + int4 '2'", "int8 '7' / int8 '2'", "float8 '1' * float8 '2'", "float4 '1' - float4 '2'",
		"- int4 '1'", "abs(float8 '1')", "date '2024-01-01' + int4 '1'", "date '2024-01-01' - date '2023-01-01'",
		"text 'abcdef' ~~ text '%c%e_'", "text 'abc' ~ text 'b'", "length(text 'abc')", "left(text 'abc', int4 '2')",
		"substring(text 'abc', int4 '2')", "date_trunc(text 'month', timestamptz '2024-01-01 00:00:00')",
		"date_part(text 'year', timestamp '2024-01-01 00:00:00')",
	} {
		name, args := parseCall(t, input, c)
		call := expr.Call{Fn: findFunction(name, args), Args: args}
		if n := testing.AllocsPerRun(20, func() { _, _ = call.Eval(c, nil) }); n != 0 {
			t.Errorf("%s: %v allocations", input, n)
		}
	}
}
