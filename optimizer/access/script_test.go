package access_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/planner/explain"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/types"
)

// TestScripts runs testdata. define takes CREATE TABLE and CREATE INDEX, know what ANALYZE
// would have found (plantest.Schema.Know). path plans a SELECT and shows the path of its
// scan:
//
//	idx2 ordered                        the index, in the order asked for, or what keys are merged
//	spans: /"b"/"c" - /"b"/"f"          or the box
//	entry filter: (c4 = 'd')            checked on what the index holds
//	fan-out: 3 partitions (...)         where the spans are in several
//	lookup                              the row is fetched from the table
//	row filter: (c5 = 'e')              checked on the row
//
// Its arguments: unordered, for a store whose partitions have no order; price=50, for one where
// each range is a request, and costs as much as so many rows; why, for the
// table of all candidates; estimate, for the numbers behind it; with=(1,2), for values of the
// parameters, with which the path is chosen if it waits for them.
func TestScripts(t *testing.T) {
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
			case "path":
				out, err = showPath(&s, d)
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

func showPath(s *plantest.Schema, d *datadriven.TestData) (string, error) {
	n, err := s.Plan(d.Input)
	if err != nil {
		return "", err
	}
	o := optimizer.Options{Store: access.Store{OrderedPartitions: !d.HasArg("unordered"), Loose: d.HasArg("loose")},
		Env: &types.Env{}}
	if price, ok := d.Arg("price"); ok {
		if o.Store.RangePrice, err = strconv.ParseFloat(price.Vals[0], 64); err != nil {
			return "", err
		}
		o.Store.Requests = true
	}
	if n, err = optimizer.Optimize(n, &o); err != nil {
		return "", err
	}
	x := explain.Options{Values: &expr.Context{Env: &types.Env{}}, Why: d.HasArg("why")}
	var b strings.Builder
	if n, err = chosen(&b, n, &o, d, &x); err != nil {
		return "", err
	}
	scan, _ := scanOf(n)
	if err := shown(&b, scan, x.Values); err != nil {
		return "", err
	}
	for _, line := range x.Lines(scan) {
		if e, ok := strings.CutPrefix(line, "  Fan-out: "); ok {
			b.WriteString("fan-out: " + e + "\n")
		}
		if e, ok := strings.CutPrefix(line, "  Estimate: "); ok && d.HasArg("estimate") {
			b.WriteString("estimate: " + e + "\n")
		}
		if e, ok := strings.CutPrefix(line, "  Z-Order Estimate: "); ok && d.HasArg("estimate") {
			b.WriteString("z-order: " + e + "\n")
		}
		if e, ok := strings.CutPrefix(line, "  Search Space: "); ok && d.HasArg("estimate") {
			b.WriteString("space: " + e + "\n")
		}
	}
	if d.HasArg("why") {
		lines := x.Lines(scan)
		for i, line := range lines {
			if strings.TrimSpace(line) == "Why:" {
				b.WriteString(strings.Join(lines[i:], "\n") + "\n")
			}
		}
	}
	return b.String(), nil
}

// chosen is a plan for values of its parameters, if there are any.
func chosen(b *strings.Builder, n plan.Node, o *optimizer.Options, d *datadriven.TestData,
	x *explain.Options) (plan.Node, error) {
	arg, ok := d.Arg("with")
	if !ok {
		return n, nil
	}
	kinds := map[int]types.T{}
	for _, cond := range plan.Scans(n)[0].Filter {
		expr.Any(cond, func(e expr.Expr) bool {
			if p, ok := e.(expr.Param); ok {
				kinds[p.Number] = p.T
			}
			return false
		})
	}
	for i, text := range arg.Vals {
		v, err := types.ParseText(text, kinds[i], &types.Env{})
		if err != nil {
			return nil, err
		}
		x.Values.Params = append(x.Values.Params, v)
	}
	chooser := optimizer.NewPlanChooser(n, o)
	if !chooser.Chooses() {
		b.WriteString("waits for nothing\n")
		return n, nil
	}
	return chooser.Shown(x.Values), nil
}

// shown shows how a scan reads its table; keys of several indexes as a tree.
func shown(b *strings.Builder, s plan.Scan, c *expr.Context) error {
	title(b, s)
	if k, ok := s.Access.Keys(); ok {
		if err := keyTree(b, k, "  ", c); err != nil {
			return err
		}
		fmt.Fprintf(b, "recheck: %s\n", expr.Conjoin(s.Access.Cond))
	} else if err := bounds(b, s, c); err != nil {
		return err
	}
	residual(b, s)
	return nil
}

func keyTree(b *strings.Builder, k plan.Keys, indent string, c *expr.Context) error {
	for _, in := range k.Of {
		var part strings.Builder
		var err error
		switch in := in.(type) {
		case plan.Keys:
			part.WriteString(map[bool]string{true: "any", false: "all"}[in.Any] + "\n")
			err = keyTree(&part, in, "  ", c)
		case plan.Scan:
			err = shown(&part, in, c)
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(part.String()) {
			b.WriteString(indent + line)
		}
	}
	return nil
}

// scanOf is the first scan of a plan.
func scanOf(n plan.Node) (plan.Scan, bool) {
	scans := plan.Scans(n)
	if len(scans) == 0 {
		return plan.Scan{}, false
	}
	return scans[0], true
}

func layoutOf(s plan.Scan) *catalog.Layout {
	return s.Layout()
}

func title(b *strings.Builder, s plan.Scan) {
	if k, ok := s.Access.Keys(); ok {
		b.WriteString(k.String())
	} else {
		b.WriteString(s.Access.Name())
	}
	if s.Access.Ordered {
		b.WriteString(" ordered")
	}
	if s.Access.Reverse {
		b.WriteString(" reverse")
	}
	if m := s.Access.Merge; m != nil {
		fmt.Fprintf(b, " merged in streams by the first %d", m.Parts)
	}
	b.WriteString("\n")
}

// setsOf are the values that bounds leave of each column.
func setsOf(bounds []plan.Bound, c *expr.Context) (keys.Sets, error) {
	sets, some, err := spans.SetsOf(bounds, c)
	if err == nil && !some {
		sets = func(uint32) span.Set { return span.Set{} }
	}
	return sets, err
}

func bounds(b *strings.Builder, s plan.Scan, known *expr.Context) error {
	sets, err := setsOf(factsOf(s.Access).Bounds, known)
	if err != nil {
		return err
	}
	if box, ok := s.Access.Path.(plan.Box); ok {
		return boxes(b, s, box, known)
	}
	codec, err := keys.NewCodec(s.Table, layoutOf(s))
	if err != nil {
		return err
	}
	path, _ := s.Access.Spans()
	var shown []string
	spans, err := spans.In(path, codec, sets, known)
	if err != nil {
		return err
	}
	for _, sp := range spans {
		shown = append(shown, keys.FormatSpan(sp, codec.Types()))
	}
	if shown == nil {
		shown = []string{"none"}
	}
	fmt.Fprintf(b, "spans: %s\n", strings.Join(shown, ", "))
	if path.Skip == 0 {
		return nil
	}
	fmt.Fprintf(b, "skip by the first %d:", path.Skip)
	for i, p := range append(layoutOf(s).Parts(), layoutOf(s).Tie...)[:path.Skip] {
		if set := sets(p.Column); p.Kind == part.Column && i >= path.Parts() && !set.IsEverything() {
			c := s.Table.Columns[s.Table.Ordinal(p.Column)]
			fmt.Fprintf(b, " %s %s", c.Name, keys.FormatSet(set, c.Type))
		}
	}
	b.WriteString("\n")
	return nil
}

// boxes shows the sides of each box, and what is left to be checked at the edges.
func boxes(b *strings.Builder, s plan.Scan, box plan.Box, known *expr.Context) error {
	for _, bounds := range box.Sides {
		sets, err := setsOf(bounds, known)
		if err != nil {
			return err
		}
		b.WriteString("box:")
		for _, d := range layoutOf(s).Sort[0].Curve {
			c := s.Table.Columns[s.Table.Ordinal(d.Column)]
			fmt.Fprintf(b, " %s %s", c.Name, keys.FormatSet(sets(d.Column), c.Type))
		}
		b.WriteString("\n")
	}
	codec, err := keys.NewCodec(s.Table, layoutOf(s))
	if err != nil {
		return err
	}
	made, _, err := spans.Boxes(box, codec, known)
	switch {
	case err != nil:
		return err
	case len(made.List) > len(box.Sides):
		fmt.Fprintf(b, "boxes: %d\n", len(made.List))
	}
	if len(box.Edges) > 0 && !made.Exact {
		fmt.Fprintf(b, "at the edges: %s\n", expr.Conjoin(box.Edges))
	}
	return nil
}

func residual(b *strings.Builder, s plan.Scan) {
	list := func(what string, conds []expr.Expr) {
		if len(conds) > 0 {
			fmt.Fprintf(b, "%s: %s\n", what, expr.Conjoin(conds))
		}
	}
	list("entry filter", s.Access.Entries().Filter)
	if s.Access.Lookup != nil {
		b.WriteString("lookup\n")
	}
	list("row filter", s.Access.RowFilter())
	for _, n := range s.Access.Notices {
		fmt.Fprintf(b, "notice: %s\n", n)
	}
}
