package define

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxName is how long the name of an object may be.
const maxName = 63

// objectName makes the name of an object from those of others: a_b_label, the longer one
// cut until it fits, as PostgreSQL's makeObjectName does.
func objectName(a, b, label string) string {
	over := len(a) + len(b) + len(label) - maxName
	for _, s := range []string{b, label} {
		if s != "" {
			over++ // its underscore
		}
	}
	for ; over > 0; over-- {
		if len(a) > len(b) {
			a = a[:len(a)-1]
		} else {
			b = b[:len(b)-1]
		}
	}
	words := []string{cutRune(a)}
	for _, s := range []string{cutRune(b), label} {
		if s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, "_")
}

// cutRune drops what is left of a character that was cut in two.
func cutRune(s string) string {
	for s != "" {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size > 1 {
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// freeName is objectName with a number behind the label if the name is taken.
func freeName(a, b, label string, taken func(name string) bool) string {
	name := objectName(a, b, label)
	for i := 1; taken(name); i++ {
		name = objectName(a, b, label+strconv.Itoa(i))
	}
	return name
}

// quoted is a text as a literal.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
