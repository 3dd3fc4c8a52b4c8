package parser

import "strings"

// Explained is the text of the statement that an EXPLAIN shows: what follows its options, with or without parentheses.
func Explained(sql string) string {
	const before, options, words = 0, 1, 2
	at, first := before, true
	for l := range lexemes(sql) {
		text := strings.ToLower(sql[l.start:l.end])
		switch {
		case first: // EXPLAIN
			first = false
		case at == before && text == "(":
			at = options
		case at == options:
			if text == ")" {
				at = words
			}
		case at == before && (text == "analyze" || text == "analyse" || text == "verbose"):
		default:
			return sql[l.start:]
		}
		if text == "verbose" && at == before { // ANALYZE stands in front of it
			at = words
		}
	}
	return ""
}
