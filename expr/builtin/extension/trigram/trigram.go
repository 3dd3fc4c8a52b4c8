// Package trigram is the functions and operators of the extension pg_trgm: how alike texts are by their trigrams, three
// characters of a word one after the other. A word is letters and digits, in lower case, with two spaces before it
// and one behind it. Begin with Functions, then of.
package trigram

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/checksum"
)

// Functions are those of pg_trgm.
var Functions = []*expr.Function{
	{Name: "show_trgm", OID: 9730, Args: pg.Sig{pg.Text}, Result: pg.TextArray, Doc: "Trigrams of a text, in order.", Fn1: show},
	{Name: "similarity", OID: 9731, Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "How alike two texts are, from 0 to 1: the share of their trigrams that both have.", Fn2: alike(similarity)},
	{Name: "word_similarity", OID: 9732, Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "How alike the first text is to the part of the second one that is most like it.", Fn2: alike(extent)},
	{Name: "strict_word_similarity", OID: 9733, Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "As word_similarity, for parts that are whole words.", Fn2: alike(words)},
	{Name: "similarity_op", OID: 9734, Operator: "%", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "True if texts are as alike as pg_trgm.similarity_threshold wants.", Fn2: enough(similarity, threshold)},
	{Name: "word_similarity_op", OID: 9735, Operator: "<%", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "True if word_similarity is at least pg_trgm.word_similarity_threshold.", Fn2: enough(extent, wordThreshold)},
	{Name: "word_similarity_commutator_op", OID: 9736, Operator: "%>", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "As <%, with the texts the other way round.", Fn2: enough(reversed(extent), wordThreshold)},
	{Name: "strict_word_similarity_op", OID: 9737, Operator: "<<%", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "True if strict_word_similarity is at least pg_trgm.strict_word_similarity_threshold.", Fn2: enough(words, strictThreshold)},
	{Name: "strict_word_similarity_commutator_op", OID: 9738, Operator: "%>>", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Volatility: expr.Stable, Doc: "As <<%, with the texts the other way round.", Fn2: enough(reversed(words), strictThreshold)},
	{Name: "similarity_dist", OID: 9739, Operator: "<->", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "1 - similarity.", Fn2: distance(similarity)},
	{Name: "word_similarity_dist_op", OID: 9740, Operator: "<<->", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "1 - word_similarity.", Fn2: distance(extent)},
	{Name: "word_similarity_dist_commutator_op", OID: 9741, Operator: "<->>", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "As <<->, with the texts the other way round.", Fn2: distance(reversed(extent))},
	{Name: "strict_word_similarity_dist_op", OID: 9742, Operator: "<<<->", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "1 - strict_word_similarity.", Fn2: distance(words)},
	{Name: "strict_word_similarity_dist_commutator_op", OID: 9743, Operator: "<->>>", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Float4, Doc: "As <<<->, with the texts the other way round.", Fn2: distance(reversed(words))},
	{Name: "show_limit", OID: 9744, Args: pg.Sig{}, Result: pg.Float4, Volatility: expr.Stable, Doc: "pg_trgm.similarity_threshold.", Fn0: showLimit},
	{Name: "set_limit", OID: 9745, Args: pg.Sig{pg.Float4}, Result: pg.Float4, Volatility: expr.Volatile, Doc: "Sets pg_trgm.similarity_threshold for the session.", Fn1: setLimit},
}

// trigram is three characters; more than three bytes are three of their hash.
type trigram [3]byte

// compare orders trigrams as PostgreSQL does on most machines, whose bytes have a sign.
func compare(a, b trigram) int {
	for i := range a {
		if order := cmp.Compare(int8(a[i]), int8(b[i])); order != 0 {
			return order
		}
	}
	return 0
}

// list is the trigrams of a text, one after the other, and which of them begin and end a word.
type list struct {
	all         []trigram
	first, last []bool
}

// of takes a text apart.
func of(c *expr.Context, s string) (out list, err error) {
	const work = 32 // of one byte
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }
	for word := range strings.FieldsFuncSeq(s, between) {
		if err := c.Tick(work * len(word)); err != nil {
			return out, err
		}
		padded := "  " + strings.ToLower(word) + " "
		var starts []int
		for at := range padded {
			starts = append(starts, at)
		}
		starts = append(starts, len(padded))
		if err := c.Make(int64(5 * len(starts))); err != nil {
			return out, err
		}
		for i := 0; i+3 < len(starts); i++ {
			out.all = append(out.all, made(padded[starts[i]:starts[i+3]]))
			out.first, out.last = append(out.first, i == 0), append(out.last, i+4 == len(starts))
		}
	}
	return out, nil
}

func made(s string) (t trigram) {
	if len(s) == len(t) {
		copy(t[:], s)
		return t
	}
	sum := checksum.Of(s)
	return trigram{byte(sum), byte(sum >> 8), byte(sum >> 16)}
}

// set is the different trigrams of a text, in order.
func set(c *expr.Context, s string) ([]trigram, error) {
	l, err := of(c, s)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(l.all, compare)
	return slices.Compact(l.all), nil
}

func show(c *expr.Context, a types.Value) (types.Value, error) {
	all, err := set(c, a.Text())
	if err != nil {
		return types.Null, err
	}
	if err := c.MakeItems(len(all)); err != nil {
		return types.Null, err
	}
	items := make([]types.Value, len(all))
	for i, t := range all {
		items[i] = types.NewText(t.text())
	}
	return types.NewItems(types.OIDText, items), nil
}

// text is a trigram, or the number that a hash is.
func (t trigram) text() string {
	odd := func(b byte) bool {
		return b >= utf8.RuneSelf || b != ' ' && !unicode.IsLetter(rune(b)) && !unicode.IsNumber(rune(b))
	}
	if !slices.ContainsFunc(t[:], odd) {
		return string(t[:])
	}
	const digits = "0123456789abcdef"
	out := []byte("0x")
	for i := range t {
		out = append(out, digits[t[i]>>4], digits[t[i]&15])
	}
	return string(out)
}

// measure says how alike two texts are.
type measure func(c *expr.Context, a, b string) (float32, error)

func alike(m measure) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		of, err := m(c, a.Text(), b.Text())
		return types.NewFloat(float64(of)), err
	}
}

func distance(m measure) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		of, err := m(c, a.Text(), b.Text())
		return types.NewFloat(float64(1 - of)), err
	}
}

func reversed(m measure) measure {
	return func(c *expr.Context, a, b string) (float32, error) { return m(c, b, a) }
}

// share is how many trigrams two sets have in common, of all that they have.
func share(common, a, b int) float32 { return float32(common) / float32(a+b-common) }

func similarity(c *expr.Context, a, b string) (float32, error) {
	x, err := set(c, a)
	if err != nil {
		return 0, err
	}
	y, err := set(c, b)
	if err != nil || len(x) == 0 || len(y) == 0 {
		return 0, err
	}
	common := 0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch order := compare(x[i], y[j]); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			common, i, j = common+1, i+1, j+1
		}
	}
	return share(common, len(x), len(y)), nil
}
