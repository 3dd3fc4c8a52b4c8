package expr_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/extension"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/window"
	"zproxy/internal/testpage"
	"zproxy/types"
)

var writePage = flag.Bool("write-page", false, "write docs/functions.md anew")

const functionsPage = "../docs/functions.md"

// TestPage wants the page for users to say what the tables of functions say.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Functions and operators\n\n" +
		"They are PostgreSQL 15's. What it has and zproxy has not is listed, with reasons, in `expr/testdata/missing`.\n" +
		"Functions behind comparisons, casts and the formats of types, such as `int4lt`, `textin` and `float8send`, can be called by their names, too;\n" +
		"those that are parts of aggregates or of PostgreSQL's planner only give NULL for NULL.\n" +
		"This page is made from the tables of functions: `go test ./expr -run TestPage -write-page`.\n")
	var functions, operators, sets, aggregates, windows []pageLine
	for _, f := range builtin.All() {
		if _, ok := pg.ExtensionOf(f.Schema); ok {
			continue
		}
		line := pageLine{name(f), "(" + signature(f) + ")", types.Of(f.Result).String(), f.Doc}
		if f.Operator != "" {
			operators = append(operators, pageLine{f.Operator, operatorText(f), line.result, f.Doc})
		}
		if f.Rows != nil {
			sets = append(sets, line)
		} else {
			functions = append(functions, line)
		}
	}
	for _, a := range allAggregates {
		aggregates = append(aggregates, pageLine{a.Name, arguments(a), types.Of(a.Result).String(), a.Doc})
	}
	for _, w := range window.Functions {
		windows = append(windows, pageLine{w.Name, "(" + typeList(w.Args) + ")", types.Of(w.Result).String(), w.Doc})
	}
	for _, s := range []struct {
		title string
		lines []pageLine
	}{{"Operators", operators}, {"Functions", functions}, {"Functions that return rows", sets}, {"Aggregates", aggregates}, {"Window functions", windows}} {
		writeSection(&b, s.title, s.lines)
	}
	writeExtensions(&b)
	testpage.Check(t, functionsPage, b.String(), *writePage)
}

var allAggregates = builtin.AllAggregates()

// writeExtensions lists the extensions, and the functions and operators of each.
func writeExtensions(b *strings.Builder) {
	b.WriteString("\n## Extensions\n\n`CREATE EXTENSION` makes the functions and operators of one known, in its schema. " +
		"Another extension is refused: `extension \"x\" is not available`.\n\n| | version | |\n|---|---|---|\n")
	for _, x := range extension.All() {
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", x.Name, x.Version, x.Comment)
	}
	for _, x := range extension.All() {
		var lines []pageLine
		for _, f := range x.Functions {
			call := "(" + signature(f) + ")"
			if f.Operator != "" {
				call += ", " + operatorText(f)
			}
			lines = append(lines, pageLine{f.Name, call, types.Of(f.Result).String(), f.Doc})
		}
		if lines != nil {
			writeSection(b, "Extension "+x.Name, lines)
		}
	}
}

// operatorText is an operator between the types of its operands.
func operatorText(f *expr.Function) string {
	left, right := "", types.Of(f.Args[len(f.Args)-1]).String()
	if len(f.Args) == 2 {
		left = types.Of(f.Args[0]).String() + " "
	}
	return left + f.Operator + " " + right
}

// pageLine is one overload: its name, how its arguments stand, its result and its sentence.
type pageLine struct{ name, args, result, doc string }

// name has the schema if it is not pg_catalog.
func name(f *expr.Function) string {
	if x, ok := pg.ExtensionOf(f.Schema); ok {
		return x + "." + f.Name
	}
	if f.Schema == "" {
		return f.Name
	}
	return f.Schema + "." + f.Name
}

func arguments(a *expr.Aggregate) string {
	if !a.Ordered {
		return "(" + typeList(a.Args) + ")"
	}
	direct := len(a.Args) - a.Sorted
	within := typeList(a.Args[direct:])
	if a.Hypothetical {
		within = typeList(a.Args)
	}
	return "(" + typeList(a.Args[:direct]) + ") WITHIN GROUP (ORDER BY " + within + ")"
}

func typeList(oids []types.OID) string {
	names := make([]string, len(oids))
	for i, oid := range oids {
		names[i] = types.Of(oid).String()
	}
	return strings.Join(names, ", ")
}

func writeSection(b *strings.Builder, title string, lines []pageLine) {
	slices.SortStableFunc(lines, func(x, y pageLine) int { return cmp.Compare(x.name, y.name) })
	fmt.Fprintf(b, "\n## %s\n\n| | result | |\n|---|---|---|\n", title)
	cell := func(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
	for _, l := range lines {
		call := l.name + l.args
		if title == "Operators" {
			call = l.args
		}
		fmt.Fprintf(b, "| `%s` | `%s` | %s |\n", cell(call), l.result, cell(l.doc))
	}
}

// signature lists the arguments, with names where they have some, and what comes out.
func signature(f *expr.Function) string {
	var list []string
	for i, arg := range f.Args {
		word := types.Of(arg).String()
		if i < len(f.Params) && f.Params[i] != "" {
			word = expr.QuoteIdent(f.Params[i]) + " " + word
		}
		if f.Variadic && i == len(f.Args)-1 {
			if f.AnyArgs {
				word = types.Of(types.OIDAny).String()
			} else if arg != types.OIDAny {
				word += "[]"
			}
			word = "VARIADIC " + word
		}
		list = append(list, word)
	}
	for _, c := range f.Out {
		list = append(list, "OUT "+expr.QuoteIdent(c.Name)+" "+types.Of(c.Type).String())
	}
	return strings.Join(list, ", ")
}
