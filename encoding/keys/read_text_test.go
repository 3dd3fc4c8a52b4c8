package keys

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog/part"
	"zproxy/internal/testseed"
	"zproxy/types"
)

// TestTextsReadBack makes random templates that pass their check, and rows. A row that has a place in the text is read
// back from it, and no other text reads as the row.
func TestTextsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	columns := []types.T{types.Int4, types.Text, types.Date, types.UUID, types.Text, types.Int8, types.Bool}
	tab := table(columns...)
	pieces := []string{"{c1}", "{c1:04}", "{c2}", "{c3}", "{c4}", "{c5}", "{c6}", "{c6:06}", "{c7}", "#", "-",
		"A#", "|", "x/"}
	read, misread := 0, 0
	for range 20_000 {
		var text strings.Builder
		for range 1 + r.IntN(5) {
			text.WriteString(pieces[r.IntN(len(pieces))])
		}
		template := part.Template{Text: text.String(), Table: tab, Fixed: true}
		template.Column = func(name string) (part.Source, bool) {
			at := int(name[1] - '1')
			return tab.Source(tab.Columns[at].ID), true
		}
		p, err := template.Read()
		if err == nil {
			err = template.Check(p)
		}
		if err != nil || repeats(p) {
			continue
		}
		bound, err := p.Bind(tab)
		if err != nil {
			t.Fatal(err)
		}
		row := randomValues(r)
		if why, _ := bound.Misfit(row); why != "" {
			continue
		}
		joined, made := bound.Of.(*part.Joined), bound.Of.Value(row)
		got := make(types.Row, len(row))
		if !joined.Read(made.Text(), got) {
			t.Fatalf("%s: %q is not read", text.String(), made.Text())
		}
		for _, at := range joined.Kept() {
			if !types.Identical(got[at], row[at]) {
				t.Fatalf("%s: %q reads as %s, want %s", text.String(), made.Text(),
					types.FormatText(got[at], columns[at], nil), types.FormatText(row[at], columns[at], nil))
			}
		}
		read++
		other := mutated(r, made.Text())
		if clear(got); joined.Read(other, got) {
			if again := bound.Of.Value(got); again.Text() != other {
				t.Fatalf("%s: %q reads as what makes %q", text.String(), other, again.Text())
			}
			misread++
		}
	}
	if read < 1000 || misread < 100 {
		t.Errorf("%d texts were read, and %d that were changed", read, misread)
	}
}

// repeats says whether a column is in a template twice: its texts need not be those of a row.
func repeats(p part.Part) bool {
	var seen []uint32
	for _, piece := range p.Pieces {
		for _, id := range piece.Columns() {
			if slices.Contains(seen, id) {
				return true
			}
			seen = append(seen, id)
		}
	}
	return false
}

func randomValues(r *rand.Rand) types.Row {
	word := func() types.Value {
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteByte("ab#-|x/0A\n"[r.IntN(10)])
		}
		return types.NewText(b.String())
	}
	id, err := types.ParseText(fmt.Sprintf("%032x", r.Uint64()), types.UUID, nil)
	if err != nil {
		panic(err)
	}
	return types.Row{types.NewInt(r.Int64N(20_000) - 5000), word(), types.NewDate(r.Int32N(4_000_000) - 1_000_000), id,
		word(), types.NewInt(r.Int64N(2_000_000) - 500_000), types.NewBool(r.IntN(2) == 0)}
}

// mutated is a text with a byte more, less or another.
func mutated(r *rand.Rand, text string) string {
	at := r.IntN(len(text) + 1)
	b := string("ab#-|x/0A 9"[r.IntN(11)])
	switch {
	case at == len(text) || r.IntN(3) == 0:
		return text[:at] + b + text[at:]
	case r.IntN(2) == 0:
		return text[:at] + text[at+1:]
	}
	return text[:at] + b + text[at+1:]
}
