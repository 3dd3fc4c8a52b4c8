package proof_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
	"zproxy/types"
)

// world has one table, over which conditions are.
type world struct {
	t      *testing.T
	schema plantest.Schema
	rows   []types.Row
}

// values are those of each column of the table, besides NULL.
var values = []struct {
	column, typ string
	texts       []string
}{
	{"a", "int", []string{"0", "1", "2", "3"}},
	{"b", "int", []string{"1", "2"}},
	{"c", "varchar", []string{"", "a", "ab", "b"}},
	{"d", "bool", []string{"t", "f"}},
	{"e", "numeric", []string{"1.0", "1.00", "2"}},
	{"f", "char(2)", []string{"a", "b"}},
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, rows: []types.Row{{}}}
	var defs []string
	for _, v := range values {
		defs = append(defs, v.column+" "+v.typ)
	}
	if err := w.schema.Define("CREATE TABLE t (" + strings.Join(defs, ", ") + ")"); err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		column := w.schema.Catalog.Table("public", "t").Columns[i].Type
		var longer []types.Row
		for _, row := range w.rows {
			longer = append(longer, append(row[:i:i], types.Null))
			for _, text := range v.texts {
				x, err := types.ParseText(text, column, nil)
				if err == nil {
					x, err = types.ApplyMod(x, column, false, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				longer = append(longer, append(row[:i:i], x))
			}
		}
		w.rows = longer
	}
	return w
}

// condition reads a condition over the columns of the table.
func (w *world) condition(sql string) expr.Expr {
	n, err := w.schema.Plan("SELECT * FROM t WHERE " + sql)
	if err != nil {
		w.t.Fatalf("%s: %v", sql, err)
	}
	for {
		if f, ok := n.(plan.Filter); ok {
			return f.Cond
		}
		n = n.Inputs()[0]
	}
}

// passes are the rows for which a condition is true. An error counts as false.
func (w *world) passes(cond expr.Expr) []bool {
	out := make([]bool, len(w.rows))
	for i, row := range w.rows {
		v, err := cond.Eval(&expr.Context{Env: &types.Env{}}, row)
		out[i] = err == nil && v.IsTrue()
	}
	return out
}

// TestProofs has a line for each question whether one condition follows from another one. That a
// proof was found is checked by all rows. With filled=(a, b) columns have no NULL.
func TestProofs(t *testing.T) {
	w := newWorld(t)
	datadriven.RunTest(t, "testdata/proofs", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		var filled []string
		for _, arg := range d.CmdArgs {
			filled = append(filled, arg.Vals...)
		}
		for line := range strings.Lines(d.Input) {
			left, right, ok := strings.Cut(strings.TrimSpace(line), " => ")
			if !ok {
				d.Fatalf(t, "no =>")
			}
			fmt.Fprintln(&out, map[bool]string{true: "yes", false: "no"}[w.implies(left, right, filled)])
		}
		return out.String()
	})
}

// implies says whether there is a proof, and fails if it is wrong.
func (w *world) implies(left, right string, filled []string) bool {
	w.t.Helper()
	given, cond := w.condition(left), w.condition(right)
	full := map[int]bool{}
	for i, v := range values {
		for _, name := range filled {
			full[i] = full[i] || name == v.column
		}
	}
	if !proof.Implies([]expr.Expr{given}, cond, func(c int) bool { return full[c] }) {
		return false
	}
	passes := w.passes(cond)
	for i, ok := range w.passes(given) {
		if ok && !passes[i] && !w.hasNull(w.rows[i], full) {
			w.t.Fatalf("%s does not imply %s: row %v, columns without NULL: %v", left, right, w.shown(w.rows[i]),
				filled)
		}
	}
	return true
}

func (w *world) hasNull(row types.Row, in map[int]bool) bool {
	for i, v := range row {
		if in[i] && v.IsNull() {
			return true
		}
	}
	return false
}

func (w *world) shown(row types.Row) string {
	var out []string
	for i, c := range w.schema.Catalog.Table("public", "t").Columns[:len(row)] {
		text := "NULL"
		if !row[i].IsNull() {
			text = types.FormatText(row[i], c.Type, nil)
		}
		out = append(out, c.Name+"="+text)
	}
	return strings.Join(out, " ")
}

// TestRandomProofs looks for proofs between random conditions, and tries each that is found on all
// rows.
func TestRandomProofs(t *testing.T) {
	g := &generator{rand.New(rand.NewPCG(testseed.Of(t), 0))}
	w := newWorld(t)
	proved := 0
	const trials = 4000
	for range trials {
		left := g.condition(3)
		right := g.condition(2)
		if g.IntN(4) == 0 { // related, so that there is something to prove
			left = "(" + right + ") AND " + left
		}
		var filled []string
		for _, v := range values {
			if g.IntN(4) == 0 {
				filled = append(filled, v.column)
			}
		}
		if w.implies(left, right, filled) {
			proved++
		}
	}
	t.Logf("%d of %d proved", proved, trials)
	if proved < trials/20 {
		t.Errorf("only %d of %d were proved", proved, trials)
	}
}

// TestRandomContradictions looks for random conditions of which one contradicts what is declared, and tries each
// that is found on all rows.
func TestRandomContradictions(t *testing.T) {
	g := &generator{rand.New(rand.NewPCG(testseed.Of(t), 1))}
	w := newWorld(t)
	found := 0
	const trials = 1000
	for range trials {
		declared, wanted := g.condition(1), g.condition(1)
		if g.IntN(4) == 0 { // about the same column, so that there is something to find
			v := values[g.IntN(len(values))]
			at := g.IntN(len(v.texts))
			declared = fmt.Sprintf("%s > '%s'", v.column, v.texts[at])
			wanted = fmt.Sprintf("%s %s '%s'", v.column, g.pick("=", "<", "<=", ">"), v.texts[g.IntN(len(v.texts))])
		}
		conds := []expr.Expr{expr.IsBool{Arg: w.condition(declared), Not: true}, w.condition(wanted)}
		if !proof.Contradict(conds, nil) {
			continue
		}
		found++
		passes := w.passes(conds[1])
		for i, ok := range w.passes(conds[0]) {
			if ok && passes[i] {
				t.Fatalf("%s IS NOT FALSE does not contradict %s: row %v", declared, wanted, w.shown(w.rows[i]))
			}
		}
	}
	t.Logf("%d of %d contradict", found, trials)
	if found < trials/100 {
		t.Errorf("only %d of %d contradict", found, trials)
	}
}

// generator makes conditions.
type generator struct{ *rand.Rand }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) condition(depth int) string {
	if depth == 0 {
		return g.leaf()
	}
	switch g.IntN(6) {
	case 0:
		return "(" + g.condition(depth-1) + " AND " + g.condition(depth-1) + ")"
	case 1:
		return "(" + g.condition(depth-1) + " OR " + g.condition(depth-1) + ")"
	case 2:
		return "NOT (" + g.condition(depth-1) + ")"
	case 3:
		return "(" + g.condition(depth-1) + ") IS " + g.pick("", "NOT ") + g.pick("TRUE", "FALSE")
	}
	return g.leaf()
}

func (g *generator) leaf() string {
	v := values[g.IntN(len(values))]
	value := func() string {
		if g.IntN(10) == 0 {
			return "NULL"
		}
		return "'" + v.texts[g.IntN(len(v.texts))] + "'"
	}
	op := g.pick("=", "<>", "<", "<=", ">", ">=")
	switch g.IntN(12) {
	case 0:
		return v.column + " IS " + g.pick("", "NOT ") + "NULL"
	case 1:
		return v.column + g.pick("", " NOT") + " IN (" + value() + ", " + value() + ")"
	case 2:
		return v.column + " IS " + g.pick("", "NOT ") + "DISTINCT FROM " + value()
	case 3:
		return v.column + " BETWEEN " + value() + " AND " + value()
	case 4:
		return g.pick("d", "NOT d", "d IS TRUE", "d IS NOT FALSE", "d = true")
	case 5:
		return "c " + g.pick("", "NOT ") + "LIKE '" + g.pick("a", "a%", "ab%", "%", "_", "a_%", "%b", "") + "'"
	case 6:
		return g.pick("a "+op+" b", "b "+op+" a", "a + b "+op+" 2", "b "+op+" 1 + 1", "a % 2 = 0", "length(c) "+op+" 1",
			"e::text = '1.0'", "f::text "+op+" 'a'", "a "+op+" e", "coalesce(a, b) = 1")
	case 7:
		return v.column + " " + g.pick("= ANY", "<> ALL", "< ANY", "= ALL") + " (" +
			g.pick("ARRAY["+value()+", "+value()+"]::"+v.typ+"[]", "'{}'::"+v.typ+"[]") + ")"
	case 8:
		return g.pick("(a, b) "+op+" (1, 2)", "(a, c) IN ((1, 'a'), (2, 'b'))", "true", "NULL::bool",
			"CASE WHEN a > 1 THEN d ELSE b = 1 END")
	}
	return v.column + " " + op + " " + value()
}
