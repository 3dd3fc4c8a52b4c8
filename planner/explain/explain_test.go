package explain_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cardinality"
	"zproxy/planner/explain"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// TestExplain runs testdata. define takes CREATE TABLE and CREATE INDEX, know what ANALYZE
// would have found; explain plans a statement and prints what EXPLAIN does. Its arguments:
// values=(1, 2) gives parameters, which have no values otherwise; units is for a store
// that charges for reads, unordered for one whose partitions have no order; why, costs and
// analyze are those of EXPLAIN, the last with made-up measurements; changed=n has n rows changed since ANALYZE.
func TestExplain(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s plantest.Schema
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out string
			var err error
			switch d.Cmd {
			case "define":
				err = s.Define(d.Input)
			case "know":
				err = s.Know(d.CmdArgs[0].Key, d.Input)
			case "explain":
				out, err = explained(&s, d)
			default:
				d.Fatalf(t, "there is no command %q", d.Cmd)
			}
			if err != nil {
				return err.Error()
			}
			return out
		})
	})
}

func explained(s *plantest.Schema, d *datadriven.TestData) (string, error) {
	n, err := s.Plan(d.Input)
	if err != nil {
		return "", err
	}
	on := access.Store{OrderedPartitions: !d.HasArg("unordered"), Units: d.HasArg("units")}
	if n, err = optimizer.Optimize(n, &optimizer.Options{Env: &types.Env{}, Store: on}); err != nil {
		return "", err
	}
	x := explain.Options{Values: &expr.Context{Env: &types.Env{}}, Store: store.Capabilities{Units: on.Units},
		Why: d.HasArg("why"), Costs: d.HasArg("costs")}
	if arg, ok := d.Arg("values"); ok {
		for _, value := range arg.Vals { // of parameters that are texts
			x.Values.Params = append(x.Values.Params, types.NewText(value))
		}
	}
	if x.Costs {
		x.Estimator = &cardinality.Estimator{Values: x.Values}
	}
	if arg, ok := d.Arg("changed"); ok {
		n, err := strconv.ParseInt(arg.Vals[0], 10, 64)
		if err != nil {
			return "", err
		}
		x.Changed = func(*catalog.Table) int64 { return n }
	}
	if d.HasArg("analyze") {
		x.Profile = measured(n)
	}
	properties := x.Describe(n)
	if form := properties.In(explain.JSONFormat)[0]; !json.Valid([]byte(form)) {
		return "", fmt.Errorf("this is no JSON:\n%s", form)
	}
	if form := properties.In(explain.XMLFormat)[0]; xml.Unmarshal([]byte(form), new(struct{})) != nil {
		return "", fmt.Errorf("this is no XML:\n%s", form)
	}
	return strings.Join(properties.In(explain.TextFormat), "\n"), nil
}

// TestNoPlan shows in each form what PostgreSQL answers of statements without a plan.
func TestNoPlan(t *testing.T) {
	for f, want := range map[explain.Format]string{
		explain.TextFormat: "Utility statements have no plan structure",
		explain.JSONFormat: "[\n  \"Utility Statement\"\n]",
		explain.XMLFormat:  "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Utility-Statement />\n</explain>",
		explain.YAMLFormat: "- \"Utility Statement\"",
	} {
		if got := explain.NoPlan(f); len(got) != 1 || got[0] != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// measured is a profile in which every node delivered 3 rows.
func measured(n plan.Node) *plan.Profile {
	p := plan.NewProfile(n)
	for i := 0; p.Node(i) != nil; i++ {
		at := p.Node(i)
		*at = plan.NodeProfile{
			Loops: 1, Rows: 3, First: time.Millisecond, Time: 1500 * time.Microsecond, Removed: 2,
		}
		at.Lookups = 5
		at.Stats = store.Stats{Requests: 1, Examined: 10, Items: 5, Seeks: 2, Pages: 1, Bytes: 99, ReadUnits: 2.5}
	}
	return p
}
