package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
)

// mayCopy says whether a short text can make a tree that is much larger than itself. The
// grammar gives each column of SET (a, b) = source a source of its own, which libpg_query
// writes out as often; nested, copies of copies grow as a power.
func mayCopy(sql string) bool { return strings.Count(strings.ToLower(sql), "set") > 1 }

// copies is how many tokens a text has when what stands behind SET (a, b) = counts once for
// each column, up to a limit. It may be too high, never too low.
func copies(toks tokens, limit int) int {
	total, levels := 0, []copyLevel{{factor: 1, now: 1}}
	for i := range toks.list {
		top := &levels[len(levels)-1]
		if total += top.now; total > limit {
			return total
		}
		switch toks.kind(i) {
		case pg.Token_ASCII_40, pg.Token_ASCII_91:
			before := toks.kind(i - 1)
			levels = append(levels, copyLevel{
				factor: top.now, now: top.now, items: 1, targets: before == pg.Token_SET || before == pg.Token_ASCII_44,
			})
		case pg.Token_ASCII_41, pg.Token_ASCII_93:
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
				levels[len(levels)-1].last = 0
				if top.targets {
					levels[len(levels)-1].last = top.items
				}
			}
		case pg.Token_ASCII_44:
			top.items++
			top.now = top.factor
		case pg.Token_ASCII_61:
			if toks.kind(i-1) == pg.Token_ASCII_41 && top.last > 0 {
				top.now = min(top.factor*top.last, limit+1)
			}
		case pg.Token_ASCII_59:
			levels = []copyLevel{{factor: 1, now: 1}}
		}
	}
	return total
}

// copyLevel is what is known between a pair of parentheses.
type copyLevel struct {
	factor  int  // of all that stands here
	now     int  // of what stands at this place
	items   int  // between commas
	targets bool // it may be the (a, b) of SET (a, b) = ...
	last    int  // the items of the pair before, when that may be
}
