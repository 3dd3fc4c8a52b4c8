package inverted

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// asking is an operator of classes, with a function that says what it says.
type asking struct {
	classes         []string
	operator        string
	function        string // that is the operator
	column, sought  types.T
	values, queries func(*rand.Rand) string
}

var (
	texts    = types.Of(types.InfoOf(types.OIDText).Array)
	document = types.Of(types.OIDJSONB)
	searched = types.Of(types.OIDTSVector)
	path     = types.Of(types.OIDJSONPath)
	patterns = []string{"gin_trgm_ops", "gist_trgm_ops"}
	set      = types.Of(types.OIDHstore)
	sets     = []string{"gin_hstore_ops", "gist_hstore_ops"}
	askings  = []asking{
		{[]string{"array_ops"}, "@>", "arraycontains", texts, texts, anArray, anArray},
		{[]string{"array_ops"}, "<@", "arraycontained", texts, texts, anArray, anArray},
		{[]string{"array_ops"}, "&&", "arrayoverlap", texts, texts, anArray, anArray},
		{[]string{"jsonb_ops", "jsonb_path_ops"}, "@>", "jsonb_contains", document, document, aDocument, aDocument},
		{[]string{"jsonb_ops"}, "?", "jsonb_exists", document, types.Text, aDocument, aWord},
		{[]string{"jsonb_ops"}, "?|", "jsonb_exists_any", document, texts, aDocument, anArray},
		{[]string{"jsonb_ops"}, "?&", "jsonb_exists_all", document, texts, aDocument, anArray},
		{[]string{"jsonb_ops", "jsonb_path_ops"}, "@?", "jsonb_path_exists_opr", document, path, aDocument, aPath},
		{[]string{"jsonb_ops", "jsonb_path_ops"}, "@@", "jsonb_path_match_opr", document, path, aDocument, aPath},
		{[]string{"tsvector_ops"}, "@@", "ts_match_vq", searched, types.Of(types.OIDTSQuery), aVector, aQuery},
		{sets, "@>", "hs_contains", set, set, aSet, aSet},
		{sets, "?", "exist", set, types.Text, aSet, aWord},
		{sets, "?|", "exists_any", set, texts, aSet, anArray},
		{sets, "?&", "exists_all", set, texts, aSet, anArray},
		{patterns, "~~", "textlike", types.Text, types.Text, aText, aPattern},
		{patterns, "~~*", "texticlike", types.Text, types.Text, aText, aPattern},
		{patterns, "~", "textregexeq", types.Text, types.Text, aText, anExpression},
		{patterns, "~*", "texticregexeq", types.Text, types.Text, aText, anExpression},
		{patterns, "%", "similarity_op", types.Text, types.Text, aText, aText},
		{patterns, "%>", "word_similarity_commutator_op", types.Text, types.Text, aText, aText},
		{patterns, "%>>", "strict_word_similarity_commutator_op", types.Text, types.Text, aText, aText},
	}
)

// TestQueriesMissNoValue draws values: whenever an operator is true of one, the value has the elements that the
// operator asks for.
func TestQueriesMissNoValue(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for _, a := range askings {
		f := functionOf(t, a)
		for _, name := range a.classes {
			k := Classes[slices.IndexFunc(Classes, func(k *Class) bool { return k.Name == name })]
			met := 0
			for range 5000 {
				v, q := parsed(t, a.values(r), a.column), parsed(t, a.queries(r), a.sought)
				if !isTrue(t, f, v, q, a) {
					continue
				}
				met++
				if asked, ok := finds(t, k, a.operator, v, q); !ok {
					t.Fatalf("%s: %s %s %s is true, but %+v does not find it", name, types.FormatText(v, a.column, nil),
						a.operator, types.FormatText(q, a.sought, nil), asked)
				}
			}
			if met < 20 {
				t.Errorf("%s of %s was true %d times", a.operator, name, met)
			}
		}
	}
}

func functionOf(t *testing.T, a asking) *expr.Function {
	t.Helper()
	all := slices.Concat(builtin.FunctionsIn(pg.OfExtension("pg_trgm"), a.function),
		builtin.FunctionsIn(pg.OfExtension("hstore"), a.function), builtin.Functions(a.function))
	for _, f := range all {
		if len(f.Args) == 2 {
			return f
		}
	}
	t.Fatalf("there is no function %s", a.function)
	return nil
}

func parsed(t *testing.T, text string, of types.T) types.Value {
	t.Helper()
	v, err := types.ParseText(text, of, nil)
	if err != nil {
		t.Fatalf("%s as %s: %v", text, of, err)
	}
	return v
}

func isTrue(t *testing.T, f *expr.Function, v, q types.Value, a asking) bool {
	t.Helper()
	call := expr.Call{Fn: f, T: types.Bool,
		Args: []expr.Expr{expr.Const{Value: v, T: a.column}, expr.Const{Value: q, T: a.sought}}}
	out, err := call.Eval(&expr.Context{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return !out.IsNull() && out.Bool()
}

// finds says whether a value has the elements that are asked for.
func finds(t *testing.T, k *Class, operator string, v, sought types.Value) (Query, bool) {
	t.Helper()
	c := &expr.Context{}
	has, err := k.Elements(c, 1, v)
	if err != nil {
		t.Fatal(err)
	}
	q, err := k.Query(c, 1, operator, sought)
	if err != nil {
		t.Fatal(err)
	}
	return q, meets(q, has)
}

func meets(q Query, has []string) bool {
	switch {
	case q.All:
		return true
	case q.Leaf():
		return slices.ContainsFunc(has, func(e string) bool {
			return e == q.Element || q.Prefix && strings.HasPrefix(e, q.Element)
		})
	}
	n := 0
	for _, of := range q.Of {
		if meets(of, has) {
			n++
		}
	}
	return n >= q.Least
}

func one(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

func several(r *rand.Rand, most int, between string, of func(*rand.Rand) string) string {
	list := make([]string, r.IntN(most+1))
	for i := range list {
		list[i] = of(r)
	}
	return strings.Join(list, between)
}

func aWord(r *rand.Rand) string { return one(r, "a", "b", "c", "ab", strings.Repeat("long", 30), "é") }

func anArray(r *rand.Rand) string {
	return "{" + several(r, 4, ",", func(r *rand.Rand) string { return one(r, aWord(r), "NULL", `""`) }) + "}"
}

func aDocument(r *rand.Rand) string { return documentOf(r, 3) }

func documentOf(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(3) == 0 {
		return one(r, "1", "1.0", "true", "null", `"a"`, `"`+aWord(r)+`"`)
	}
	below := func(r *rand.Rand) string { return documentOf(r, depth-1) }
	if r.IntN(2) == 0 {
		return "[" + several(r, 3, ",", below) + "]"
	}
	member := func(r *rand.Rand) string { return `"` + one(r, "a", "b", "c") + `":` + below(r) }
	return "{" + several(r, 3, ",", member) + "}"
}

func aText(r *rand.Rand) string {
	return several(r, 4, one(r, " ", "-", ""), func(r *rand.Rand) string {
		return one(r, "Annabel", "anna", "bell", "lee", "é1", "Éa", "x")
	})
}

func aPattern(r *rand.Rand) string {
	return several(r, 4, "", func(r *rand.Rand) string {
		return one(r, "%", "_", "%ann%", "Anna", "bell", "ee", " ", "-", `\a`, "é", "%É%")
	})
}

// anExpression is a regular expression.
func anExpression(r *rand.Rand) string {
	atom := func(r *rand.Rand) string {
		return one(r, "ann", "Anna", "[Bb]ell", "(ann|lee)", "(Anna|bell|.)", "(be)+", "(lee)*", "e{2}", ".*", `\s`,
			`\y`, "^", "$", "[^x]", "é", "x?", "-", "(?=b)", "a")
	}
	return one(r, "", "", "(?i)", "***=") + several(r, 5, one(r, "", "", "|"), atom)
}

// aSet is an hstore.
func aSet(r *rand.Rand) string {
	return several(r, 3, ",", func(r *rand.Rand) string {
		return one(r, "a", "b", "é", aWord(r)) + "=>" + one(r, "NULL", `""`, aWord(r))
	})
}

// aPath is a path of SQL/JSON, or a predicate.
func aPath(r *rand.Rand) string {
	mode := one(r, "", "", "strict ")
	if r.IntN(2) == 0 {
		return mode + aChain(r, "$", 2)
	}
	return mode + aPredicate(r, "$", 2)
}

func aChain(r *rand.Rand, from string, depth int) string {
	step := func(r *rand.Rand) string {
		if depth > 0 && r.IntN(3) == 0 {
			return " ? (" + aPredicate(r, "@", depth-1) + ")"
		}
		return one(r, ".a", ".b", ".c", "[*]", "[0]", ".*", ".**", ".size()", ".double()")
	}
	return from + several(r, 3, "", step)
}

func aPredicate(r *rand.Rand, from string, depth int) string {
	root := one(r, from, from, "$")
	if depth > 0 && r.IntN(3) == 0 {
		left, right := aPredicate(r, from, depth-1), aPredicate(r, from, depth-1)
		return "(" + left + ")" + one(r, " && ", " || ") + "(" + right + ")"
	}
	scalar := one(r, "1", "1.0", "true", "null", `"a"`, `"b"`)
	switch r.IntN(6) {
	case 0:
		return "exists(" + aChain(r, root, depth-1) + ")"
	case 1:
		return "!(" + aChain(r, root, depth-1) + " == " + scalar + ")"
	case 2:
		return scalar + " == " + aChain(r, root, depth-1)
	}
	return aChain(r, root, depth-1) + one(r, " == ", " == ", " == ", " != ") + scalar
}

func aVector(r *rand.Rand) string {
	return several(r, 4, " ", func(r *rand.Rand) string { return aWord(r) + one(r, "", ":1", ":2A") })
}

func aQuery(r *rand.Rand) string {
	return one(r, "", "!") + one(r, aWord(r), aWord(r)+":*", "("+aWord(r)+"|"+aWord(r)+")") +
		one(r, "", " & "+aWord(r), " | !"+aWord(r), " <-> "+aWord(r), " & !"+aWord(r))
}
