package deparse

import (
	"strings"

	"zproxy/planner/bound"
)

// printer prints nodes as PostgreSQL's ruleutils does.
type printer struct {
	d      *Deparser
	b      *strings.Builder
	indent bool   // on several lines
	pretty bool   // with as few parentheses as it can
	wrap   int    // the column beyond which a line is broken
	level  int    // of indentation
	prefix bool   // columns have the names of their relations
	bare   string // what the only column there is is printed as; empty: it has a name
	query  *bound.Query
	outer  *printer // of the query around
	named  map[*bound.Relation]*naming
}

// How far PostgreSQL indents.
const (
	indentStep  = 8
	indentJoin  = 4
	indentItem  = 4
	indentLimit = 40
)

func (p *printer) put(parts ...string) {
	for _, s := range parts {
		p.b.WriteString(s)
	}
}

// keyword begins a line with a word, where lines are broken.
func (p *printer) keyword(word string, before, after, plus int) {
	if !p.indent {
		p.put(word)
		return
	}
	p.level += before
	p.trim()
	p.put("\n")
	width := max(p.level, 0)
	if p.level >= indentLimit {
		width = (indentLimit + (p.level-indentLimit)/(indentStep/2)) % indentLimit
	}
	p.put(strings.Repeat(" ", width+plus), word)
	p.level = max(p.level+after, 0)
}

// trim takes spaces from the end of what is printed.
func (p *printer) trim() {
	text := p.b.String()
	if trimmed := strings.TrimRight(text, " "); len(trimmed) < len(text) {
		p.b.Reset()
		p.b.WriteString(trimmed)
	}
}

// capture prints into a text of its own.
func (p *printer) capture(f func()) string {
	b := p.b
	p.b = &strings.Builder{}
	f()
	out := p.b.String()
	p.b = b
	return out
}

// line is what stands in the line that is being printed.
func (p *printer) line() int {
	text := p.b.String()
	return len(text) - (strings.LastIndexByte(text, '\n') + 1)
}

// item puts an item of a list on a line of its own where it would not fit, or where broken
// says so, unless it is the first one.
func (p *printer) item(text string, first, broken bool) {
	switch {
	case !p.indent || p.wrap < 0:
	case strings.HasPrefix(text, "\n"):
		p.trim()
	case first:
	case broken || p.line()+len(text) > p.wrap:
		p.keyword("", -indentStep, indentStep, indentItem)
	}
	p.put(text)
}

// list prints expressions between commas.
func (p *printer) list(all []bound.Node, implicit bool) {
	for i, n := range all {
		if i > 0 {
			p.put(", ")
		}
		p.expr(n, implicit)
	}
}

// open and closed print a parenthesis unless few are wanted.
func (p *printer) open() {
	if !p.pretty {
		p.put("(")
	}
}

func (p *printer) closed() {
	if !p.pretty {
		p.put(")")
	}
}
