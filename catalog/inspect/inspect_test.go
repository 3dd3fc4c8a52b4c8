package inspect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
)

// leastScore is how much of all kinds and attributes must be found.
const leastScore = 0.95

// TestDesigns infers the kinds of items of different designs, and compares them with what the generator knows.
func TestDesigns(t *testing.T) {
	seed := testseed.Of(t)
	var right, all int
	for _, make := range designs {
		d := make(seed)
		found := Infer(d.sample())
		s := d.score(t, found)
		items := len(found.Unfit)
		for _, k := range found.Kinds {
			items += k.Items
		}
		if items != len(d.items) {
			t.Errorf("%s: %d of %d items are in a kind or listed", d.name, items, len(d.items))
		}
		t.Logf("%-14s %5d items, %d of %d kinds, %d of %d attributes, %d of %d malformed items listed", d.name,
			len(d.items),
			s.kinds, s.ofKinds, s.attributes, s.ofAttributes, s.listed, s.malformed)
		right += s.kinds + s.attributes
		all += s.ofKinds + s.ofAttributes
		if s.malformed > s.listed {
			t.Errorf("%s: %d malformed items are not listed", d.name, s.malformed-s.listed)
		}
	}
	t.Logf("%d of %d, %.1f %%", right, all, 100*float64(right)/float64(all))
	if float64(right) < leastScore*float64(all) {
		t.Error("too little is found")
	}
}

// score is how much of a design was found.
type score struct {
	kinds, ofKinds           int
	attributes, ofAttributes int
	listed, malformed        int
}

// score compares what was found with the truth. A kind that there is not counts as one that was not found, and so does
// a column.
func (d *design) score(t *testing.T, found *Found) (s score) {
	t.Helper()
	used := map[int]bool{}
	for n, want := range d.kinds {
		s.ofKinds++
		s.ofAttributes += len(want.columns)
		at := d.match(found, n)
		if at < 0 || used[at] {
			t.Logf("%s: kind %d is not found", d.name, n)
			continue
		}
		used[at] = true
		k := &found.Kinds[at]
		if when, options := k.whenText(), k.optionTexts(found); when == want.when && slices.Equal(options,
			want.options) {
			s.kinds++
		} else {
			t.Logf("%s: got %s %s, want %s %s", d.name, when, options, want.when, want.options)
		}
		for _, column := range k.Columns {
			if text := columnText(&column); slices.Contains(want.columns, text) {
				s.attributes++
			} else {
				s.ofAttributes++
				t.Logf("%s: got column %s, want one of %s", d.name, text, strings.Join(want.columns, ", "))
			}
		}
	}
	for at, k := range found.Kinds {
		if !used[at] {
			s.ofKinds++
			t.Logf("%s: there is no kind %s %s", d.name, k.Name, k.optionTexts(found))
		}
	}
	s.unfit(d, found)
	return s
}

// unfit counts the malformed items that are listed.
func (s *score) unfit(d *design, found *Found) {
	in := map[int]bool{}
	for _, k := range found.Kinds {
		for _, i := range k.of {
			in[i] = true
		}
	}
	for i, of := range d.of {
		if of != wrong {
			continue
		}
		s.malformed++
		if !in[i] {
			s.listed++
		}
	}
}

// match is the kind that was found with most items of a kind, -1 if there is none.
func (d *design) match(found *Found, kind int) int {
	best, most := -1, 0
	for at, k := range found.Kinds {
		n := 0
		for _, i := range k.of {
			if d.of[i] == kind {
				n++
			}
		}
		if n > most {
			best, most = at, n
		}
	}
	return best
}

func (k *Kind) whenText() string {
	if k.When == nil {
		return ""
	}
	return expr.QuoteIdent(k.When.Attribute) + " = " + valueText(k.When.Value)
}

func (k *Kind) optionTexts(f *Found) (out []string) {
	for _, t := range k.Templates {
		out = append(out, optionName(f, t.Attribute)+" "+expr.QuoteLiteral(t.Text))
	}
	return out
}

// TestLabelBehindValue has keys that begin with a value, and a word behind it that tells the kind.
func TestLabelBehindValue(t *testing.T) {
	d := newDesign("value first", 5)
	for _, name := range []string{"acme", "globex", "initech", "umbrella"} {
		for range 30 {
			d.add(0, d.item("PK", name+"#USERS", "SK", d.uuid(), "email", d.email(), "name", d.user()))
			d.add(1, d.item("PK", name+"#INVOICES", "SK", d.day()+"#"+fmt.Sprintf("%06d", d.IntN(9999)), "amount",
				d.price(), "paid?", true))
		}
	}
	found := Infer(d.sample())
	var got []string
	for _, k := range found.Kinds {
		got = append(got, k.Name+": "+strings.Join(k.optionTexts(found), ", "))
	}
	slices.Sort(got)
	want := []string{"invoices: pk '{pk}#INVOICES', sk '{sk}#{sk_no:06}'", "users: pk '{pk}#USERS'"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
