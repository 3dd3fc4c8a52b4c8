package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/internal/plantest"
	"zproxy/parser"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestScripts runs testdata/queries. define takes CREATE TABLE and CREATE INDEX; plan plans a
// statement and shows the types of its parameters and columns and its tree; error shows
// where and why a statement is refused. params=(int4, text) declares parameters.
//
// TestPostgresSaysTheSame holds the same scripts against PostgreSQL, but for refuse, which
// is error for what PostgreSQL would take, and own, which is plan for what is ours.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/queries", func(t *testing.T, path string) {
		var s plantest.Schema
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			a := ask(&s, d)
			switch d.Cmd {
			case "define":
				if err := s.Define(d.Input); err != nil {
					return plantest.Refusal(d.Input, err)
				}
				return ""
			case "plan", "own":
				if a.err != nil {
					t.Errorf("%s: refused", d.Pos)
					return plantest.Refusal(d.Input, a.err)
				}
				return a.String()
			case "error", "refuse":
				if a.err == nil {
					t.Errorf("%s: planned", d.Pos)
					return a.String()
				}
				return plantest.Refusal(d.Input, a.err)
			}
			d.Fatalf(t, "there is no command %q", d.Cmd)
			return ""
		})
	})
}

// answer is what planning a statement comes to.
type answer struct {
	node   plan.Node
	params []types.T
	err    error
}

func ask(s *plantest.Schema, d *datadriven.TestData) answer {
	if d.Cmd == "define" {
		return answer{}
	}
	list, err := parser.Parse(d.Input)
	if err != nil {
		return answer{err: err}
	}
	p := s.Planner()
	p.Params, err = declared(d)
	for len(p.Params) < list[0].Params {
		p.Params = append(p.Params, types.Unknown)
	}
	if err != nil {
		return answer{err: err}
	}
	n, err := p.Plan(list[0].Statement)
	return answer{n, p.Params, err}
}

// declared are the types that a script declares for parameters.
func declared(d *datadriven.TestData) ([]types.T, error) {
	var out []types.T
	for _, arg := range d.CmdArgs {
		for _, name := range arg.Vals {
			info, ok := types.Lookup(name)
			if !ok {
				return nil, fmt.Errorf("there is no type %q", name)
			}
			out = append(out, types.Of(info.OID))
		}
	}
	return out, nil
}

func (a answer) String() string {
	var b strings.Builder
	for i, t := range a.params {
		fmt.Fprintf(&b, "$%d %s\n", i+1, t)
	}
	if cols := a.node.Columns(); len(cols) > 0 {
		var out []string
		for _, c := range cols {
			out = append(out, c.Name+" "+c.Type.String())
		}
		b.WriteString(strings.Join(out, ", ") + "\n")
	}
	return b.String() + plantest.Tree(a.node)
}
