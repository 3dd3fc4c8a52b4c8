package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// resumable is what a cursor's options say; text is that of its query, empty without options.
type resumable struct{ token, text string }

// resumable lifts WITH (resumable [, token = '...']) from behind the word CURSOR.
func (l *lifter) resumable() {
	for i := range l.list {
		if !l.is(i, pg.Token_CURSOR, pg.Token_WITH, pg.Token_ASCII_40) {
			continue
		}
		if l.name(i+3) != "resumable" {
			return
		}
		var out resumable
		end := i + 4
		if l.kind(end) == pg.Token_ASCII_44 && l.name(end+1) == "token" &&
			l.is(end+2, pg.Token_ASCII_61, pg.Token_SCONST, pg.Token_ASCII_41) {
			out.token, _ = l.optionValue(end + 3)
			end += 4
		}
		if l.kind(end) != pg.Token_ASCII_41 {
			return
		}
		out.text = l.query(end + 1)
		l.src.lifted.cursor = out
		l.blank(i+1, end+1)
		return
	}
}

// explained is where the statement begins that EXPLAIN tells of, and 0 of any other statement.
func (l *lifter) explained() int {
	if l.kind(0) != pg.Token_EXPLAIN {
		return 0
	}
	i := 1
	for l.kind(i) == pg.Token_ANALYZE || l.kind(i) == pg.Token_ANALYSE || l.kind(i) == pg.Token_VERBOSE {
		i++
	}
	if l.kind(i) == pg.Token_ASCII_40 {
		for i++; i < len(l.list) && l.depth[i] > 0; i++ {
		}
		i++
	}
	return i
}

// query is the text behind the first FOR from the i-th token on.
func (l *lifter) query(i int) string {
	for ; i < len(l.list) && l.kind(i) != pg.Token_FOR; i++ {
	}
	var words []string
	for i++; i < len(l.list) && l.kind(i) != pg.Token_ASCII_59; i++ {
		words = append(words, l.written(i))
	}
	return strings.Join(words, " ")
}
