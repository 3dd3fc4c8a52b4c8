package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

const (
	estimateRows    = 1_000_000
	estimateQueries = 120
)

// measureEstimates compares how right the estimates are over tables whose columns are skewed and depend on each
// other.
func measureEstimates(ctx context.Context, b *bench) (*section, error) {
	n := b.scaled(estimateRows)
	sets := []*dataset{mixture(b.seed, n)}
	out := &section{about: []string{fmt.Sprintf("%d queries over each data set, which ask for values of its rows: "+
		"conditions by equality, range, IN, OR and <>, groups, and joins of the table with itself. Both sides have an "+
		"index on (d, a). The nodes are those of the plans that each side chose.", estimateQueries)}}
	if real, err := flights(ctx, b.cache, n); err == nil {
		sets = append(sets, real)
	} else {
		fmt.Fprintln(os.Stderr, "bench:", err)
		out.about = append(out.about, "The flights are missing, since they could not be fetched by npm.")
	}
	conns, closeBoth, err := b.connectSides(ctx)
	if err != nil {
		return nil, err
	}
	defer closeBoth()
	for _, set := range sets {
		out.about = append(out.about, fmt.Sprintf("%s: %s, %s rows.", set.name, set.about, whole(len(set.rows))))
		tables, err := b.judgeSet(ctx, conns, set)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", set.name, err)
		}
		out.tables = append(out.tables, tables...)
	}
	return out, nil
}

// judgeSet loads a data set and judges the queries over it.
func (b *bench) judgeSet(ctx context.Context, conns [2]*pgx.Conn, set *dataset) ([]table, error) {
	name := "estimated_" + set.name
	all := make([]judged, len(b.sides))
	for i, s := range b.sides {
		all[i].name = s.name + ", " + set.name
		after := append(s.atRest(name), fmt.Sprintf("CREATE INDEX %s_d_a ON %[1]s (d, a)", name), "ANALYZE "+name)
		_, err := load(ctx, conns[i], loading{table: name, columns: "(" + set.definition() + ")", rows: len(set.rows),
			appendRow: set.appendRow, after: after})
		if err != nil {
			return nil, err
		}
	}
	queries := set.queries(rand.New(rand.NewPCG(b.seed, estimateQueries)), name)
	for i, query := range queries {
		for side, conn := range conns {
			p, err := explainPlan(ctx, conn, query)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", b.sides[side].name, err)
			}
			all[side].add(fmt.Sprintf("Q%d", i+1), p)
		}
	}
	more, err := againWithSample(ctx, b, conns, queries)
	if err != nil {
		return nil, err
	}
	all = append(all, more...)
	return []table{judgedTable(all), judgedGoals(all)}, nil
}

// queries are in equal parts of conditions alone, of groups of what they leave, and of joins.
func (s *dataset) queries(random *rand.Rand, table string) []string {
	out := make([]string, estimateQueries)
	for i := range out {
		switch i % 3 {
		case 0:
			out[i] = fmt.Sprintf("SELECT count(*) FROM %s t WHERE %s", table, s.filters(random, "t", 1+random.IntN(3)))
		case 1:
			keys := []string{"d", "a", "d, a", "b"}[random.IntN(4)]
			out[i] = fmt.Sprintf("SELECT %s, count(*) FROM %s t WHERE %s GROUP BY %[1]s", keys, table,
				s.filters(random, "t", 1+random.IntN(2)))
		case 2:
			// One side is the neighbourhood of a row, so that the join stays small.
			out[i] = fmt.Sprintf("SELECT count(*) FROM %s t JOIN %[1]s u ON t.%s = u.%[2]s WHERE %s AND %s", table,
				[]string{"b", "c"}[random.IntN(2)], s.near(random, "t", 0, 0.02)+" AND "+s.near(random, "t", 1, 0.02),
				s.filters(random, "u", 1))
		}
	}
	return out
}

// filters are some conditions that a row meets, joined by AND.
func (s *dataset) filters(random *rand.Rand, alias string, n int) string {
	var out []string
	for _, column := range random.Perm(attributes)[:n] {
		out = append(out, s.filter(random, alias, column))
	}
	return strings.Join(out, " AND ")
}

func (s *dataset) filter(random *rand.Rand, alias string, column int) string {
	name := alias + "." + string(rune('a'+column))
	value := func() string { return s.literal(s.rows[random.IntN(len(s.rows))][column], column) }
	switch random.IntN(6) {
	case 0:
		return name + " = " + value()
	case 1:
		return fmt.Sprintf("%s IN (%s, %s, %s)", name, value(), value(), value())
	case 2:
		return fmt.Sprintf("(%s = %s OR %s)", name, value(), s.near(random, alias, (column+1)%attributes, 0.05))
	case 3:
		return name + " <> " + value()
	}
	return s.near(random, alias, column, 0.3*random.Float64())
}

// near asks for the values around that of a row: a share of the distance from the least to the greatest one.
func (s *dataset) near(random *rand.Rand, alias string, column int, share float64) string {
	value := s.rows[random.IntN(len(s.rows))][column]
	half := int32(share * float64(s.widest[column]) / 2)
	lo, hi := max(value-half, s.least[column]), min(value+half, s.least[column]+s.widest[column])
	return fmt.Sprintf("%s.%c BETWEEN %s AND %s", alias, 'a'+column, s.literal(lo, column), s.literal(hi, column))
}

// literal is a value of a column in SQL.
func (s *dataset) literal(n int32, column int) string {
	return "'" + string(s.columns[column].text(nil, n)) + "'"
}
