package collation

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
)

func parse(t *testing.T, locale string, deterministic bool) Order {
	t.Helper()
	o, err := Parse(locale, deterministic)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestOrder compares with lists that PostgreSQL 15 has sorted.
func TestOrder(t *testing.T) {
	for locale, want := range map[string]string{
		"und":              "a A å Å ä Ä b B z Z",
		"sv":               "a b z Z Å ä ö",
		"de":               "a ä Az b ss ß z",
		"de-u-co-phonebk":  "ad ä af",
		"es":               "n nz ñ o",
		"cs":               "c cz č h hz ch i",
		"fr":               "cote coté côte côté",
		"fr-CA":            "cote côte coté côté",
		"el":               "α Α ά β Ω",
		"ru":               "а А б е ё ж я",
		"nb":               "a z æ ø å aa",
		"en@colNumeric=no": "a1 a10 a2",
		"en-u-kn":          "a1 a2 a10",
	} {
		given := strings.Fields(want)
		r := rand.New(rand.NewPCG(1, 2))
		r.Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
		slices.SortFunc(given, parse(t, locale, true).Compare)
		if got := strings.Join(given, " "); got != want {
			t.Errorf("%s: %s, want %s", locale, got, want)
		}
	}
}

// TestKeys checks on random texts that the order by keys is that of the comparison, and the one of the tables.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	letters := []rune("aAäÄåzZßñ čch-0 19éеЖαω\x00\u0301日")
	text := func() string {
		s := make([]rune, r.IntN(6))
		for i := range s {
			s[i] = letters[r.IntN(len(letters))]
		}
		return string(s)
	}
	for _, locale := range []string{"und", "sv", "de", "es", "cs", "fr-CA", "en-u-kn-true", "und-u-ks-level2", "da"} {
		for _, deterministic := range []bool{true, false} {
			o := parse(t, locale, deterministic)
			for range 2000 {
				a, b := text(), text()
				sign, byKey := o.Compare(a, b), bytes.Compare(o.AppendKey(nil, a), o.AppendKey(nil, b))
				want := byKey
				if deterministic {
					want = cmp.Or(byKey, strings.Compare(a, b))
				}
				if sign != want {
					t.Fatalf("%s: %q and %q compare as %d, their keys as %d", locale, a, b, sign, byKey)
				}
				if back := o.Compare(b, a); back != -sign {
					t.Fatalf("%s: %q and %q compare as %d and %d", locale, a, b, sign, back)
				}
			}
		}
	}
}

// TestForms reads again how orders are kept.
func TestForms(t *testing.T) {
	for _, n := range Builtin() {
		text, err := n.Order.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var again Order
		if err := again.UnmarshalText(text); err != nil || again != n.Order {
			t.Errorf("%s is kept as %s, which is another order (%v)", n.Name, text, err)
		}
	}
	for _, locale := range []string{"de-u-co-phonebk-ks-level1", "und-u-ka-shifted-kb-kc-kn-ks-identic",
		"de@collation=phonebook;colStrength=secondary;colNumeric=yes"} {
		for _, deterministic := range []bool{true, false} {
			o := parse(t, locale, deterministic)
			text, _ := o.MarshalText()
			var again Order
			if err := again.UnmarshalText(text); err != nil || again != o || again.Deterministic() != deterministic {
				t.Errorf("%s is kept as %s, which is another order (%v)", locale, text, err)
			}
		}
	}
	for _, locale := range []string{"en-u-kf-upper", "es-u-co-trad", "en-u-ks-level9"} {
		if o, err := Parse(locale, true); err == nil {
			t.Errorf("%s is the order %d", locale, o)
		}
	}
}

// TestBuiltin checks that each locale has an order, so that none is left out.
func TestBuiltin(t *testing.T) {
	if want := strings.Count(locales, "\n") + 4; len(Builtin()) != want {
		t.Errorf("%d collations, want %d", len(Builtin()), want)
	}
}
