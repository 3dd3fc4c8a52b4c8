package inspect

import (
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/store/sample"
)

// variations change a design and what should be found of it.
var variations = []struct {
	name   string
	change func(d *design)
	least  float64
}{
	{"no discriminator", withoutDiscriminator, 0.9},
	{"a fourth of the items", aFourth, 0.9},
	{"joined by |", joinedBy("|"), 0.9},
	{"joined by :", joinedBy(":"), 0.9},
	{"joined by /", joinedBy("/"), 0.9},
	{"small letters", smallLetters, 0.9},
}

// TestVariations infers from designs that were changed. Less is wanted of them: of few items a kind may be missing, and
// a time between colons that is not the end of a key can be read back only in pieces.
func TestVariations(t *testing.T) {
	seed := testseed.Of(t)
	for _, v := range variations {
		t.Run(v.name, func(t *testing.T) {
			right, all := 0, 0
			for _, make := range designs {
				d := make(seed)
				v.change(d)
				s := d.score(t, Infer(d.sample()))
				t.Logf("%-14s %d of %d kinds, %d of %d attributes", d.name, s.kinds, s.ofKinds, s.attributes,
					s.ofAttributes)
				right += s.kinds + s.attributes
				all += s.ofKinds + s.ofAttributes
			}
			t.Logf("%d of %d, %.1f %%", right, all, 100*float64(right)/float64(all))
			if float64(right) < v.least*float64(all) {
				t.Error("too little is found")
			}
		})
	}
}

// withoutDiscriminator takes the attribute away that tells kinds.
func withoutDiscriminator(d *design) {
	for n := range d.kinds {
		name, _, ok := strings.Cut(d.kinds[n].when, " = ")
		if d.kinds[n].when = ""; !ok {
			continue
		}
		for i := range d.items {
			delete(d.items[i], strings.Trim(name, `"`))
		}
	}
}

// aFourth keeps some of the items.
func aFourth(d *design) {
	_ = d.sample()
	n := len(d.items) / 4
	d.items, d.of = d.items[:n], d.of[:n]
}

// joinedBy has another separator in the keys.
func joinedBy(sep string) func(d *design) {
	return func(d *design) {
		d.changeKeys(func(text string) string { return strings.ReplaceAll(text, "#", sep) })
		for n := range d.kinds {
			for i, option := range d.kinds[n].options {
				d.kinds[n].options[i] = strings.ReplaceAll(option, "#", sep)
			}
		}
	}
}

// changeKeys changes the texts of all keys.
func (d *design) changeKeys(change func(string) string) {
	names := []string{d.table.Partition.Name, d.table.Sort.Name}
	for _, x := range d.table.Indexes {
		for _, a := range x.Keys {
			names = append(names, a.Name)
		}
	}
	for _, item := range d.items {
		seen := map[string]bool{}
		for _, name := range names {
			if v := item[name]; v.Type == sample.String && !seen[name] {
				seen[name] = true
				item[name] = sample.Value{Type: sample.String, Text: change(v.Text)}
			}
		}
	}
}

// smallLetters has labels of keys in small letters.
func smallLetters(d *design) {
	lower := func(text string) string {
		parts := strings.Split(text, "#")
		for i, p := range parts {
			if state := p == "OPEN" || p == "CLOSED"; p == strings.ToUpper(p) && isWord(p) && !state {
				parts[i] = strings.ToLower(p)
			}
		}
		return strings.Join(parts, "#")
	}
	for n := range d.kinds {
		for i, option := range d.kinds[n].options {
			before, template, _ := strings.Cut(option, "'")
			d.kinds[n].options[i] = before + "'" + lower(strings.TrimSuffix(template, "'")) + "'"
		}
	}
	d.changeKeys(lower)
}

// TestTokens divides key texts.
func TestTokens(t *testing.T) {
	const id = "0123abcd-0123-0123-0123-0123456789ab"
	for _, c := range []struct{ text, sep, want string }{
		{"ORDER#1", "#", "ORDER 1"}, {"#A##B", "#", " A  B"}, {"x", "#", "x"}, {"a:b", "", "a:b"}, {"", ":", ""},
		{"o:2024-05-01T10:00:00Z", ":", "o 2024-05-01T10:00:00Z"}, {"2024-05-01T10:00:00.5+02:00", ":",
			"2024-05-01T10:00:00.5+02:00"},
		{"o:2024-05-01T10:00:00Z:x", ":", "o 2024-05-01T10 00 00Z x"}, {"u-" + id + "-7", "-", "u " + id + " 7"},
		{id, "-", id}, {id + "x-1", "-", id + "x 1"}, {"d-2024-05-01", "-", "d 2024-05-01"}, {"a:", ":", "a "},
		{id + "-" + id, "-", id + " " + id}, {"x" + id + "-", "-", "x" + id + " "},
	} {
		if got := strings.Join(tokens(c.text, c.sep), " "); got != c.want {
			t.Errorf("%s by %q: %q, want %q", c.text, c.sep, got, c.want)
		}
	}
}
