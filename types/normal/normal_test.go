package normal

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"zproxy/internal/testseed"
)

func TestForms(t *testing.T) {
	for _, c := range []struct{ text, nfc, nfd, nfkc, nfkd string }{
		{"abc", "abc", "abc", "abc", "abc"},
		{"é", "é", "e\u0301", "é", "e\u0301"},
		{"e\u0301", "é", "e\u0301", "é", "e\u0301"},
		{"각", "각", "\u1100\u1161\u11a8", "각", "\u1100\u1161\u11a8"},
		{"\u1100\u1161\u11a8", "각", "\u1100\u1161\u11a8", "각", "\u1100\u1161\u11a8"},
		{"ﬁ", "ﬁ", "ﬁ", "fi", "fi"},
		{"ｶﾞ", "ｶﾞ", "ｶﾞ", "ガ", "カ\u3099"},
		{"\u212b", "Å", "A\u030a", "Å", "A\u030a"},
		{"a\u0315\u0300", "à\u0315", "a\u0300\u0315", "à\u0315", "a\u0300\u0315"},
	} {
		for f, want := range map[Form]string{NFC: c.nfc, NFD: c.nfd, NFKC: c.nfkc, NFKD: c.nfkd, None: c.text} {
			if got := f.Text(c.text); got != want || f.Is(c.text) != (want == c.text) {
				t.Errorf("%+q in %s: %+q, want %+q", c.text, f, got, want)
			}
		}
	}
}

// TestManyMarks wants no character to be made up where the library limits how many combine.
func TestManyMarks(t *testing.T) {
	marks := strings.Repeat("\u0301\u0316", 50)
	want := "é" + strings.Repeat("\u0316", 50) + strings.Repeat("\u0301", 49)
	if got := NFC.Text("e" + marks); got != want {
		t.Errorf("%+q", got)
	}
	if got := NFD.Text("é" + marks); got != "e"+strings.Repeat("\u0316", 50)+strings.Repeat("\u0301", 51) {
		t.Errorf("%+q", got)
	}
}

// TestComposed compares the forms that are composed here with those of the library, where that has no limit. Cutting a
// text where a form begins makes no difference.
func TestComposed(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for range 20_000 {
		var text []rune
		for range 1 + r.IntN(12) {
			text = append(text, randomRune(r))
		}
		s := string(text)
		for _, f := range []Form{NFC, NFD, NFKC, NFKD} {
			want := forms[f].String(s)
			runes := f.decomposed(s)
			sortMarks(runes)
			if f == NFC || f == NFKC {
				runes = composed(runes)
			}
			if string(runes) != want && !strings.ContainsRune(want, 0x34f) {
				t.Fatalf("%+q in %s: %+q, want %+q", s, f, string(runes), want)
			}
			for i := range text {
				if f.Begins(text[i]) && f.Text(string(text[:i]))+f.Text(string(text[i:])) != f.Text(s) {
					t.Fatalf("%+q in %s is another one when cut before its character %d", s, f, i)
				}
			}
		}
	}
}

// randomRune is often one that combines, or that is made of several.
func randomRune(r *rand.Rand) rune {
	ranges := [][2]rune{{'a', 'z'}, {0xc0, 0x24f}, {0x300, 0x36f}, {0x300, 0x36f}, {0x590, 0x5ff}, {0x900, 0xdff},
		{0x1100, 0x11ff}, {0x1e00, 0x1fff}, {0x3040, 0x30ff}, {0xac00, 0xd7a3}, {0xf900, 0xffef}, {0x1d100, 0x1d1ff},
		{0x11000, 0x11fff}}
	for {
		p := ranges[r.IntN(len(ranges))]
		if c := p[0] + r.Int32N(p[1]-p[0]+1); unicode.IsGraphic(c) {
			return c
		}
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string]Form{"NFC": NFC, "nfkd": NFKD, "": None, "NFX": None} {
		if got, ok := Parse(name); got != want || ok != (want != None) {
			t.Errorf("%q: %v, %v", name, got, ok)
		}
	}
}
