package parser

import pg "github.com/pganalyze/pg_query_go/v6"

// depth is a bound on the depth of the tree that a token stream makes. Tokens between two
// separators may nest in each other, since a chain such as 1+1+1 leans to the left without
// any parentheses; what a separator divides is a list, or a chain of AND or of OR, which
// the grammar makes flat. The bound may be too high, never too low.
func depth(toks tokens) int {
	deepest, levels := 0, []level{{}}
	for i := range toks.list {
		top := &levels[len(levels)-1]
		switch kind := toks.kind(i); {
		case kind == pg.Token_ASCII_59:
			deepest, levels = max(deepest, outermost(levels)), []level{{}}
		case len(levels) > maxDepth:
			return len(levels)
		case opens(kind):
			levels = append(levels, level{inCase: kind == pg.Token_CASE})
		case closes(kind) && len(levels) > 1 && top.inCase == (kind == pg.Token_END_P) &&
			toks.kind(i-1) != pg.Token_ASCII_46:
			levels = closed(levels)
		default:
			top.add(kind)
		}
	}
	return max(deepest, outermost(levels))
}

// outermost is the depth of a statement with whatever it left open.
func outermost(levels []level) int {
	for len(levels) > 1 {
		levels = closed(levels)
	}
	return levels[0].depth()
}

// level is what is known between a pair of parentheses, or between CASE and END.
type level struct {
	inCase  bool
	chain   int // separators that nest: set operations and joins lean to the left
	run     int // tokens since the last separator
	inner   int // the deepest pair since then
	deepest int // of all that the separators divide
	between int // BETWEEN whose AND is to come
	logic   int // 2 when there may be an OR of ANDs around it all
}

func (l *level) add(kind pg.Token) {
	switch kind {
	case pg.Token_UNION, pg.Token_INTERSECT, pg.Token_EXCEPT, pg.Token_JOIN:
		l.divide()
		l.chain++
	case pg.Token_SELECT:
		l.run += 3 // the printer of views needs four kilobytes of stack for a subquery
	case pg.Token_BETWEEN:
		l.between++
		l.run++
	case pg.Token_AND:
		if l.between > 0 {
			l.between--
			l.run++
			return
		}
		l.divide()
		l.logic = 2
	case pg.Token_OR:
		l.divide()
		l.logic = 2
	case pg.Token_ASCII_44:
		l.divide()
	case pg.Token_WHEN, pg.Token_THEN, pg.Token_ELSE:
		if l.inCase {
			l.divide()
		}
	default:
		l.run++
	}
}

// divide ends a run.
func (l *level) divide() {
	l.deepest = max(l.deepest, l.run+l.inner)
	l.run, l.inner = 0, 0
}

func (l *level) depth() int {
	l.divide()
	return l.deepest + l.chain + l.logic
}

// closed ends the innermost level.
func closed(levels []level) []level {
	last := len(levels) - 1
	inner := levels[last].depth() + 1
	outer := &levels[last-1]
	outer.inner = max(outer.inner, inner)
	return levels[:last]
}

func opens(k pg.Token) bool {
	return k == pg.Token_ASCII_40 || k == pg.Token_ASCII_91 || k == pg.Token_CASE
}

func closes(k pg.Token) bool {
	return k == pg.Token_ASCII_41 || k == pg.Token_ASCII_93 || k == pg.Token_END_P
}
