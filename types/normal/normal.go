// Package normal brings texts into the normal forms of Unicode, of the version that golang.org/x/text knows. That
// package limits how many marks may follow a character, and inserts one more where there are too many; PostgreSQL
// does not, and neither does this. Read Form.Text first. The SQL functions are in expr/builtin/text.
package normal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Form is one of the four normal forms.
type Form uint8

// The normal forms, None of which a text need not have.
const (
	None Form = iota
	NFC
	NFD
	NFKC
	NFKD
)

var names = [...]string{NFC: "NFC", NFD: "NFD", NFKC: "NFKC", NFKD: "NFKD"}

// Parse reads the name of a form, in any case of letters.
func Parse(name string) (Form, bool) {
	i := slices.Index(names[:], strings.ToUpper(name))
	return Form(max(i, 0)), i > 0
}

// String is the name of a form.
func (f Form) String() string { return names[f] }

// forms are those of the library.
var forms = [...]norm.Form{NFC: norm.NFC, NFD: norm.NFD, NFKC: norm.NFKC, NFKD: norm.NFKD}

// mostMarks is how many characters that combine may follow each other for the library to leave them as they are: it
// counts to 30, and a character is up to four of them.
const mostMarks = 7

// Text is a text in the form; with None it is the text itself.
func (f Form) Text(s string) string {
	if f == None || ascii(s) {
		return s
	}
	if !manyMarks(s) {
		return forms[f].String(s)
	}
	runes := f.decomposed(s)
	sortMarks(runes)
	if f == NFC || f == NFKC {
		runes = composed(runes)
	}
	return string(runes)
}

// Is says whether a text is in the form.
func (f Form) Is(s string) bool { return f.Text(s) == s }

// Keeps says whether texts that are equal in another form are so in this one, too: compatibility forms replace more
// than the canonical ones.
func (f Form) Keeps(other Form) bool {
	return other == NFC || other == NFD || f == NFKC || f == NFKD
}

// Begins says whether what is before a character never matters to its form and that of what follows.
func (f Form) Begins(r rune) bool {
	return r < utf8.RuneSelf || !joins(norm.NFKD.String(string(r)))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// manyMarks says whether a text has more characters that combine one after the other than the library takes.
func manyMarks(s string) bool {
	n := 0
	for i, r := range s {
		if r < 0x300 || norm.NFKD.PropertiesString(s[i:]).CCC() == 0 && !joins(s[i:]) {
			n = 0
			continue
		}
		if n++; n > mostMarks {
			return true
		}
	}
	return false
}

// joins says whether a character is joined to those before it, though it is no mark, as vowels of Korean are.
func joins(s string) bool { return !norm.NFC.PropertiesString(s).BoundaryBefore() }

// decomposed are the characters of a text, each as what it is made of.
func (f Form) decomposed(s string) (out []rune) {
	split := norm.NFD
	if f == NFKC || f == NFKD {
		split = norm.NFKD
	}
	for _, r := range s {
		out = append(out, []rune(split.String(string(r)))...)
	}
	return out
}

// class is the combining class of a character, 0 of one that begins something.
func class(r rune) uint8 {
	if r < 0x300 {
		return 0
	}
	return norm.NFD.PropertiesString(string(r)).CCC()
}

// sortMarks puts marks that follow each other into the order of their classes.
func sortMarks(runes []rune) {
	for i := 0; i < len(runes); {
		end := i
		for end < len(runes) && class(runes[end]) > 0 {
			end++
		}
		slices.SortStableFunc(runes[i:end], func(a, b rune) int { return int(class(a)) - int(class(b)) })
		i = end + 1
	}
}

// composed joins marks in order to the characters that they combine with, where there is one character for both: to the
// last one that begins something, if no mark of the same class or a higher one is between.
func composed(runes []rune) []rune {
	out := make([]rune, 0, len(runes))
	starter, last := -1, uint8(0) // last is the class of what came after the starter, 0 for nothing
	for _, r := range runes {
		c := class(r)
		if starter >= 0 && (starter == len(out)-1 || last > 0 && last < c) {
			if one, ok := pair(out[starter], r); ok {
				out[starter] = one
				continue
			}
		}
		if c == 0 {
			starter = len(out)
		}
		last = c
		out = append(out, r)
	}
	return out
}

// pair is the character that is made of two.
func pair(a, b rune) (rune, bool) {
	both := norm.NFC.String(string([]rune{a, b}))
	r, n := utf8.DecodeRuneInString(both)
	return r, n == len(both)
}
