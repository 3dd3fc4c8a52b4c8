package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	choiceRounds = 3
	// A path that takes so many times as long as the best one is not waited for, nor measured again.
	hopeless = 3
	// leastTimeout is the shortest time that is waited for a path.
	leastTimeout  = 20 * time.Millisecond
	queryCanceled = "57014"
)

// choice is what the rule picked for a region, and what other paths take.
type choice struct {
	region region
	rows   int
	picked string
	times  map[string]float64 // least microseconds inside the server, by path; without those that took too long
}

// best returns the fastest path.
func (c *choice) best() string {
	best := c.picked
	for path, took := range c.times {
		if took < c.times[best] {
			best = path
		}
	}
	return best
}

// slower is how many times as long as the fastest path the one takes that the rule picked.
func (c *choice) slower() float64 { return c.times[c.picked] / c.times[c.best()] }

// choose asks for a region as the rule has it and with each hint in turn. A path is known by its indexes, so that two
// runs of the same path are not taken for two paths of which one is the faster.
func (t *zorderTable) choose(ctx context.Context, r region, hints []string) (choice, error) {
	c := choice{region: r, rows: t.count(r), times: map[string]float64{}}
	for round := range choiceRounds {
		for _, hint := range append([]string{""}, hints...) {
			e, err := t.explainWithin(ctx, t.query(r, hint), c.patience())
			if isCanceled(err) {
				hints = slices.DeleteFunc(slices.Clone(hints), func(h string) bool { return h == hint })
				continue
			}
			if err != nil {
				return c, err
			}
			if e.rows != c.rows {
				return c, fmt.Errorf("%s: %d rows by %s, want %d", t.query(r, hint), e.rows, e.path, c.rows)
			}
			if hint == "" && round == 0 {
				c.picked = e.path
			}
			if least, ok := c.times[e.path]; !ok || e.time < least {
				c.times[e.path] = e.time
			}
		}
	}
	return c, nil
}

// patience is how long a path is waited for: for ever while none is known.
func (c *choice) patience() time.Duration {
	if len(c.times) == 0 {
		return 0
	}
	return max(leastTimeout, time.Duration(hopeless*c.times[c.best()])*time.Microsecond)
}

func isCanceled(err error) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && answer.Code == queryCanceled
}

// explainWithin ends the query after a time, unless that is zero.
func (t *zorderTable) explainWithin(ctx context.Context, query string, limit time.Duration) (explained, error) {
	set := fmt.Sprintf("SET statement_timeout = %d", limit.Milliseconds())
	if _, err := t.conn.Exec(ctx, set, pgx.QueryExecModeSimpleProtocol); err != nil {
		return explained{}, err
	}
	return explain(ctx, t.conn, query)
}

// choiceTables returns the tables of zproxy with these indexes, at rest.
func (b *bench) choiceTables(ctx context.Context, indexes map[string]string) ([]*zorderTable, error) {
	side := b.sideOf(zproxy)
	if side < 0 {
		return nil, errNoZproxy
	}
	data := b.zorder(ctx)
	var tables []*zorderTable
	for _, set := range data.sets {
		t, err := data.on(ctx, b, side, set)
		if err == nil {
			err = t.withIndexes(ctx, indexes)
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	return tables, rest(ctx)
}

// zorderAndComposite are the two indexes that the rule has to tell apart.
var zorderAndComposite = map[string]string{"abc": "USING zorder (a, b, c)", "btree": "(a, b, c, d)"}

// shape is a kind of region by the widths of its sides, as shares of the range of values: 0 is one value, 1 all.
type shape struct {
	name   string
	shares []float64
}

// elongated are regions much longer in one dimension than in another.
var elongated = []shape{
	{"E1: a one value, b 20 %", []float64{0, 0.2, 1}},
	{"E2: b 0.01 %, c 20 %", []float64{1, 1e-4, 0.2}},
	{"E3: b 20 %, c 0.1 %", []float64{1, 0.2, 1e-3}},
	{"E4: c 0.1 %", []float64{1, 1, 1e-3}},
	{"E5: a one value", []float64{0, 1, 1}},
	{"E6: a 20 %, b 20 %", []float64{0.2, 0.2, 1}},
	{"E7: b 0.1 %, c 0.1 %", []float64{1, 1e-3, 1e-3}},
}

// elongatedGoal is how many times as long as by its best path a region may take.
const elongatedGoal = 1.5

// measureElongated compares the path that zproxy picks with the others that it has.
func measureElongated(ctx context.Context, b *bench) (*section, error) {
	indexes := map[string]string{"b": "(b)", "c": "(c)"}
	for name, definition := range zorderAndComposite {
		indexes[name] = definition
	}
	tables, err := b.choiceTables(ctx, indexes)
	if err != nil {
		return nil, err
	}
	result := &section{about: []string{
		fmt.Sprintf("The path that zproxy picks for elongated regions, and those that hints force: a Z-order index on (a, b, c), a composite index on "+
			"(a, b, c, d), indexes on b and on c and both together, and the table. %d regions of each shape around random rows. Times are execution times of "+
			"`EXPLAIN (ANALYZE)`, the least of %d for a region; a path that takes %d times as long as the best is left out. Medians over the regions; the last "+
			"column is of single regions.", regionsOfSize, choiceRounds, hopeless),
		b.zorder(ctx).about(),
	}}
	shapes := table{heads: []string{"data", "shape", "rows", "picked", "µs", "best", "µs", "times slower", "the worst"}}
	var goals []goal
	for _, t := range tables {
		worst, worstShape := 0., 0.
		random := rand.New(rand.NewPCG(b.seed, 0))
		for _, s := range elongated {
			var choices []choice
			for range regionsOfSize {
				c, err := t.choose(ctx, t.centred(random.IntN(len(t.rows)), s.shares...), t.elongatedHints())
				if err != nil {
					return nil, err
				}
				choices = append(choices, c)
			}
			slower := of(choices, (*choice).slower)
			shapes.add(t.name, s.name, thousands(median(of(choices,
				func(c *choice) float64 { return float64(c.rows) }))),
				t.pathsOf(choices, func(c *choice) string { return c.picked }),
				thousands(median(of(choices, func(c *choice) float64 { return c.times[c.picked] }))),
				t.pathsOf(choices, (*choice).best),
				thousands(median(of(choices, func(c *choice) float64 { return c.times[c.best()] }))),
				"**"+digits(median(slower))+"**", digits(slices.Max(slower)))
			worst, worstShape = max(worst, slices.Max(slower)), max(worstShape, median(slower))
		}
		goals = append(goals,
			goal{what: "times slower than by the best path, " + t.name + ", the worst shape", wanted: elongatedGoal,
				reached: worstShape},
			goal{what: "times slower than by the best path, " + t.name + ", the worst region", wanted: elongatedGoal,
				reached: worst})
	}
	result.tables = []table{shapes, goalTable(goals)}
	return result, nil
}

func (t *zorderTable) elongatedHints() []string {
	var hints []string
	for _, name := range []string{"abc", "btree", "b", "c"} {
		hints = append(hints, t.hint("USE_INDEX", name))
	}
	return append(hints, t.hint("USE_INDEX_MERGE", "b", "c"), "USE_INDEX("+t.table()+", primary)")
}

// of returns a figure of each choice.
func of(choices []choice, figure func(*choice) float64) []float64 {
	values := make([]float64, len(choices))
	for i := range choices {
		values[i] = figure(&choices[i])
	}
	return values
}

// pathsOf names the paths of choices, without the table's name, each once.
func (t *zorderTable) pathsOf(choices []choice, path func(*choice) string) string {
	var names []string
	for i := range choices {
		if name := t.pathName(path(&choices[i])); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// pathName leaves out the table's name.
func (t *zorderTable) pathName(path string) string { return strings.ReplaceAll(path, t.index(""), "") }
