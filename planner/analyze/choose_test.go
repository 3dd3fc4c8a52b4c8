package analyze_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/planner/analyze"
	"zproxy/types"
)

// TestChoose runs testdata/choose. choose gives the types of a call's arguments, as given=(int4, unknown), and a
// list of types on each line, the last of which repeats behind "...". It shows what the best candidate takes and
// returns, whose result type is the first argument's unless "=> type" says another.
func TestChoose(t *testing.T) {
	datadriven.RunTest(t, "testdata/choose", func(t *testing.T, d *datadriven.TestData) string {
		given := analyze.Given{Types: typesNamed(t, d, "given"), Variadic: d.HasArg("variadic")}
		var shapes []analyze.Shape
		for line := range strings.Lines(d.Input) {
			shapes = append(shapes, shape(t, d, strings.TrimSpace(line)))
		}
		best, ambiguous := analyze.Choose(shapes, given)
		switch {
		case ambiguous:
			return "ambiguous\n"
		case best == nil:
			return "none\n"
		}
		s, err := best.Resolve(given.Types)
		if err != nil {
			return err.Error() + "\n"
		}
		return listed(s.Args) + " => " + types.Of(s.Result).String() + "\n"
	})
}

func typesNamed(t *testing.T, d *datadriven.TestData, key string) (out []types.T) {
	for _, a := range d.CmdArgs {
		if a.Key == key {
			for _, name := range a.Vals {
				out = append(out, types.Of(oid(t, d, name)))
			}
		}
	}
	return out
}

func oid(t *testing.T, d *datadriven.TestData, name string) types.OID {
	if name == "unknown" {
		return types.OIDUnknown
	}
	base, array := strings.CutSuffix(name, "[]")
	info, ok := types.Lookup(base)
	if !ok {
		d.Fatalf(t, "no type %q", name)
	}
	if array {
		return info.Array
	}
	return info.OID
}

func shape(t *testing.T, d *datadriven.TestData, line string) (s analyze.Shape) {
	args, result, returns := strings.Cut(line, " => ")
	args, s.Variadic = strings.CutSuffix(args, "...")
	for _, name := range strings.Split(args, ", ") {
		s.Args = append(s.Args, oid(t, d, name))
	}
	if s.Result = s.Args[0]; returns {
		s.Result = oid(t, d, result)
	}
	return s
}

func listed(all []types.OID) string {
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = fmt.Sprint(types.Of(o))
	}
	return strings.Join(names, ", ")
}
