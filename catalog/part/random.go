package part

import (
	"fmt"
	"strconv"

	"zproxy/types"
)

// random is the variant of Column that is chosen at random for each row.
type random struct{ base }

// drawn is the value of a column that is chosen from 0 on below n.
type drawn struct {
	Source
	n int
}

func (random) bind(p *Part, t Table) (Bound, error) {
	src := t.Source(p.Column)
	return Bound{Source: src, Type: src.Type, Desc: p.Desc, Of: &drawn{src, p.Count}, form: form{from: 1}}, nil
}

func (d *drawn) Value(row types.Row) types.Value { return row[d.Ordinal] }

func (d *drawn) Take(k Known) bool { return k.Drawn(&d.Source, d.n) }

func (d *drawn) nulls() []Source { return nil }

func (d *drawn) misfit(row types.Row, at spot) (string, int) {
	return at.misnumbered(row[d.Ordinal]), d.Ordinal
}

func (random) describe(p *Part, _ Table) string { return "random shard of " + strconv.Itoa(p.Count) }
func (random) template(p *Part, _ Table) string { return hole("shard", padding(p.Width)) }
func (random) partitions(p *Part) int           { return p.Count }

func (random) count(p *Part, _ Table, n int) string { return countShards(n, p.Count) }

func (random) varies(p *Part, _ Table) (before, behind string, ok bool) { return numbered(p, p.Count) }

// countShards says how many of all shards there are.
func countShards(n, of int) string {
	if n == of {
		return fmt.Sprintf("all %d shards", n)
	}
	return fmt.Sprintf("%d of %d shards", n, of)
}

// numbered says how the numbers from 1 to a greatest one vary in a text.
func numbered(p *Part, greatest int) (before, behind string, ok bool) {
	return decimals, decimals, p.Width == 0 && greatest >= 10
}
