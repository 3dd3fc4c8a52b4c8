package expr_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// procedures are the lines of testdata/pg_proc.tsv by kind, name and arguments.
func procedures(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/pg_proc.tsv")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for line := range strings.Lines(string(data)) {
		c := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 4)
		found[c[0]+" "+c[1]+"("+c[2]+")"] = c[3]
	}
	return found
}

func typeNames(oids []types.OID) string {
	names := make([]string, len(oids))
	for i, oid := range oids {
		names[i] = types.InfoOf(oid).Name
	}
	return strings.Join(names, " ")
}

// argumentNames are the argument types as pg_proc has them.
func argumentNames(f *expr.Function) string {
	args := builtin.ArgumentOIDs(f)
	names := make([]string, len(args))
	for i, oid := range args {
		names[i] = types.InfoOf(oid).Name
		if name := map[types.OID]string{pg.NodeTree: "pg_node_tree", pg.ACLItems: "_aclitem", pg.Common: "pg_mcv_list",
			pg.Attribute: "pg_attribute", pg.TypeRow: "pg_type"}[oid]; name != "" {
			names[i] = name
		}
	}
	return strings.Join(names, " ")
}

// TestFunctionsAreThoseOfPostgres compares result, volatility and strictness with
// pg_proc, and the operators with pg_operator.
func TestFunctionsAreThoseOfPostgres(t *testing.T) {
	theirs := procedures(t)
	check := func(f *expr.Function, key string, set bool) {
		strict := !f.NotStrict
		want := strings.Split(theirs[key], "\t")
		if len(f.Args) == 0 && len(want) > 2 {
			strict = want[2] == "t" // it makes no difference
		}
		if f.Variadic && len(want) > 2 && want[2] == "t" {
			strict = true // which means the array of the arguments there
		}
		result := types.InfoOf(f.Result).Name
		if f.Name == "acldefault" {
			result = "_aclitem" // which are texts here
		}
		if f.Name == "pg_partition_root" {
			want[1] = "s" // it reads the catalog, which an immutable function here cannot
		}
		got := []string{result, string("isv"[f.Volatility]), bit(strict), bit(set)}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, PostgreSQL has %q", key, got, want)
		}
	}
	for _, f := range builtin.Tables() {
		if _, extends := pg.ExtensionOf(f.Schema); extends || f.OID != 0 {
			continue
		}
		args := argumentNames(f)
		key := "f " + name(f) + "(" + args + ")"
		if !f.Syntax && (f.Operator == "" || theirs[key] != "") {
			check(f, key, f.Rows != nil)
		}
		if f.Operator != "" && !isComparison("o "+f.Operator+"(") { // which are not in the file
			check(f, "o "+f.Operator+"("+args+")", false)
		}
	}
}

// TestAggregatesAreThoseOfPostgres compares the results of aggregates.
func TestAggregatesAreThoseOfPostgres(t *testing.T) {
	theirs := procedures(t)
	for _, a := range builtin.AllAggregates() {
		if a.OID != 0 {
			continue // which PostgreSQL does not have
		}
		key := "a " + a.Name + "(" + typeNames(a.Args) + ")"
		if want, _, _ := strings.Cut(theirs[key], "\t"); types.InfoOf(a.Result).Name != want {
			t.Errorf("%s: %s, PostgreSQL has %q", key, types.InfoOf(a.Result).Name, want)
		}
	}
}

func bit(b bool) string {
	if b {
		return "t"
	}
	return "f"
}
