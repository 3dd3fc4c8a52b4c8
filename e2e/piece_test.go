package e2e

import (
	"fmt"
	"strings"
)

// piece is a part of a statement as the generator derived it. A statement is a tree of
// them, so that one that fails can be made smaller by dropping and replacing parts.
type piece struct {
	format   string // the text, with %s for each of kids when it has any
	kids     []*piece
	list     string     // not empty for a list: what separates the kids, of which one may do
	of       *valueType // of an expression: its type
	optional bool
	gone     bool
}

func word(text string) *piece { return &piece{format: text} }

func phrase(format string, kids ...*piece) *piece { return &piece{format: format, kids: kids} }

// clause is a phrase that the statement does not need.
func clause(format string, kids ...*piece) *piece {
	return &piece{format: format, kids: kids, optional: true}
}

func listOf(separator string, kids ...*piece) *piece { return &piece{list: separator, kids: kids} }

// exprOf is an expression of a type.
func exprOf(t *valueType, format string, kids ...*piece) *piece {
	return &piece{format: format, kids: kids, of: t}
}

var nothing = &piece{}

func (p *piece) String() string {
	if p.gone {
		return ""
	}
	if len(p.kids) == 0 {
		return p.format
	}
	var parts []any
	var texts []string
	for _, k := range p.kids {
		if p.list == "" || !k.gone {
			s := k.String()
			parts, texts = append(parts, s), append(texts, s)
		}
	}
	if p.list != "" {
		return strings.Join(texts, p.list)
	}
	return fmt.Sprintf(p.format, parts...)
}

// shrink makes a statement smaller as long as it still fails, by hierarchical delta
// debugging (Misherghi and Su, 2006): each part is dropped, or replaced by a smaller one,
// from the root down. It asks at most budget times.
func shrink(root *piece, budget int, fails func() bool) {
	try := func(change, undo func()) bool {
		if budget <= 0 {
			return false
		}
		budget--
		change()
		if fails() {
			return true
		}
		undo()
		return false
	}
	for again := true; again && budget > 0; {
		again = false
		walk(root, func(p *piece) { again = smaller(p, try) || again })
	}
}

// walk visits a tree from the root down, as it is after each visit.
func walk(p *piece, visit func(*piece)) {
	if p.gone {
		return
	}
	visit(p)
	for _, k := range p.kids {
		walk(k, visit)
	}
}

// smaller tries what makes one piece smaller.
func smaller(p *piece, try func(change, undo func()) bool) bool {
	if p.gone {
		return false
	}
	if p.optional && try(func() { p.gone = true }, func() { p.gone = false }) {
		return true
	}
	any := false
	if p.list != "" {
		for _, k := range p.kids {
			if !k.gone && len(p.kept()) > 1 && try(func() { k.gone = true }, func() { k.gone = false }) {
				any = true
			}
		}
		return any
	}
	if p.of == nil || len(p.kids) == 0 {
		return false
	}
	before := *p
	var inside []*piece
	for _, k := range p.kids {
		walk(k, func(k *piece) {
			if k.of == p.of {
				inside = append(inside, k)
			}
		})
	}
	replacements := append([]*piece{word("NULL::" + p.of.sql), word(p.of.literal(0))}, inside...)
	for _, r := range replacements {
		r := *r
		if try(func() { p.format, p.kids = r.format, r.kids }, func() { *p = before }) {
			return true
		}
	}
	return false
}

func (p *piece) kept() (out []*piece) {
	for _, k := range p.kids {
		if !k.gone {
			out = append(out, k)
		}
	}
	return out
}
