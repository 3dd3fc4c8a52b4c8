package analyze_test

import (
	"slices"
	"testing"

	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/planner/analyze"
	"zproxy/types"
)

// ordinary are the types that columns have, with a few arrays.
func ordinary() (out []types.OID) {
	arrays := []types.OID{types.OIDInt4, types.OIDInt8, types.OIDText, types.OIDVarchar, types.OIDNumeric}
	for _, t := range types.All() {
		vector := types.Of(t.OID).Kind() == types.KindArray && t.Array != types.OIDInvalid
		many := vector || t.Element != types.OIDInvalid && !slices.Contains(arrays, t.Element)
		if t.Category != types.CategoryPseudo && t.OID != types.OIDUnknown && !many {
			out = append(out, t.OID)
		}
	}
	return out
}

// TestCasts holds the casts of the types of columns against pg_cast, by which casts are printed.
func TestCasts(t *testing.T) {
	recorded := map[[2]types.OID]byte{}
	for _, r := range pgproc.CastRows() {
		recorded[[2]types.OID{r.From, r.To}] = r.Context
	}
	for _, from := range ordinary() {
		for _, to := range ordinary() {
			c, ok := types.FindCast(from, to)
			context, is := recorded[[2]types.OID{from, to}]
			if from != to && is && (!ok || "iae"[c.Context] != context) {
				t.Errorf("%s to %s: found %v, in context %c, not %c", types.Of(from), types.Of(to), ok,
					"iae"[c.Context], context)
			}
		}
	}
}

// others are functions whose rows of pg_proc take other types, for a reason.
var others = map[string]string{
	"aclexplode":              "what it takes are texts here",
	"json_extract_path":       "it is #>, too, which takes an array",
	"json_extract_path_text":  "it is #>>, too, which takes an array",
	"jsonb_delete":            "it is -, too, which takes an array",
	"jsonb_extract_path":      "it is #>, too, which takes an array",
	"jsonb_extract_path_text": "it is #>>, too, which takes an array",
	"pg_get_expr":             "what it takes are texts here",
	"pg_mcv_list_items":       "what it takes is a text here",
}

// TestFunctions holds what calls of one or two arguments choose in the tables of functions against pg_proc.
func TestFunctions(t *testing.T) {
	anyTypes := append(ordinary(), types.OIDUnknown)
	var pairs [][]types.OID
	for _, a := range anyTypes {
		pairs = append(pairs, []types.OID{a})
		for _, b := range anyTypes {
			pairs = append(pairs, []types.OID{a, b})
		}
	}
	seen := map[string]bool{}
	for _, f := range builtin.All() {
		if f.Schema != "" || f.Syntax || seen[f.Name] || others[f.Name] != "" {
			continue
		}
		seen[f.Name] = true
		for _, given := range pairs {
			if len(given) == 1 || len(f.Args) > 1 {
				sameChoice(t, f.Name, given)
			}
		}
	}
}

// sameChoice holds one choice against the rows of pg_proc.
func sameChoice(t *testing.T, name string, oids []types.OID) {
	t.Helper()
	given := make([]types.T, len(oids))
	for i, oid := range oids {
		given[i] = types.Of(oid)
	}
	fn, _ := analyze.ChooseFunction(builtin.Functions(name), analyze.Given{Types: given})
	if fn == nil {
		return
	}
	s, err := fn.Resolve(given)
	if err != nil || slices.Contains(s.Args, types.OIDAny) {
		return
	}
	var procs []*pgproc.Proc
	var shapes []analyze.Shape
	for _, p := range builtin.ProcsNamed("", name) {
		shape := analyze.Shape{
			Signature: analyze.Signature{Args: p.Args, Result: p.Result}, Params: p.ArgNames, Defaults: len(p.Defaults),
			Variadic: p.Variadic != 0,
		}
		if shape.Variadic {
			shape.Args = append(slices.Clone(p.Args[:len(p.Args)-1]), p.Variadic)
		}
		if p.Kind == 'f' {
			procs, shapes = append(procs, p), append(shapes, shape)
		}
	}
	c, _ := analyze.Choose(shapes, analyze.Given{Types: given})
	if c == nil || procs[c.Of].OID != fn.Fn.OID {
		t.Errorf("%s(%s) chooses (%s)", name, listed(oids), listed(fn.Fn.Args))
	}
}
