package dynamofake

import (
	"maps"
	"slices"
	"time"
)

// usage is what a request costs, by table and index; the index without a name is the table itself.
type usage map[string]map[string]cost

// cost is in units.
type cost struct {
	reads, writes float64
	local         bool // of an LSI
}

func (u *usage) add(t *table, index string, more cost) {
	if *u == nil {
		*u = usage{}
	}
	if (*u)[t.name] == nil {
		(*u)[t.name] = map[string]cost{}
	}
	sum := (*u)[t.name][index]
	sum.reads += more.reads
	sum.writes += more.writes
	if x := t.index(index); x != nil {
		sum.local = x.local
	}
	(*u)[t.name][index] = sum
}

// charge adds to what the request costs, and to what was read from and written to the partition
// and all of its table or index lately.
func (c *call) charge(t *table, x *index, partition string, n cost) {
	name, tree, set := "", t.base, &t.settings
	if x != nil {
		name, tree = x.name, x.entries
		if !x.local {
			set = &x.settings
		}
	}
	c.used.add(t, name, n)
	totals := []*spent{&set.spent}
	if p := tree.byKey[partition]; p != nil || n.writes > 0 {
		totals = append(totals, &tree.partition(partition).spent)
	}
	for _, s := range totals {
		s.reads.add(n.reads)
		s.writes.add(n.writes)
	}
}

// of sums a table with its indexes.
func (u usage) of(table string) (sum cost) {
	for _, c := range u[table] {
		sum.reads += c.reads
		sum.writes += c.writes
	}
	return sum
}

// consumed is what the answer says of a table; nil when it is not asked for.
func (u usage) consumed(ask, table string, transaction bool) any {
	if ask != "TOTAL" && ask != "INDEXES" {
		return nil
	}
	sum := u.of(table)
	out := append(fields{{"TableName", table}}, sum.fields(transaction)...)
	if ask == "TOTAL" {
		return out
	}
	own, local, global := u[table][""], fields(nil), fields(nil)
	out = append(out, field{"Table", own.fields(transaction)})
	for _, name := range slices.Sorted(maps.Keys(u[table])) {
		switch c := u[table][name]; {
		case name == "":
		case c.local:
			local = append(local, field{name, c.fields(transaction)})
		default:
			global = append(global, field{name, c.fields(transaction)})
		}
	}
	if local != nil {
		out = append(out, field{"LocalSecondaryIndexes", local})
	}
	if global != nil {
		out = append(out, field{"GlobalSecondaryIndexes", global})
	}
	return out
}

// fields are the units; a transaction's tell reads from writes.
func (c cost) fields(transaction bool) fields {
	out := fields{{"CapacityUnits", c.reads + c.writes}}
	if transaction && c.reads > 0 {
		out = append(out, field{"ReadCapacityUnits", c.reads})
	}
	if transaction && c.writes > 0 {
		out = append(out, field{"WriteCapacityUnits", c.writes})
	}
	return out
}

// consumedAll is the same for an operation on several tables.
func (u usage) consumedAll(ask string, transaction bool) any {
	var out []any
	for _, table := range slices.Sorted(maps.Keys(u)) {
		if c := u.consumed(ask, table, transaction); c != nil {
			out = append(out, c)
		}
	}
	if out == nil {
		return nil
	}
	return out
}

// count adds a request to the tallies; a late one was counted before it was carried out.
func (c *call) count(failed, late bool) {
	tables := c.Tables
	if len(tables) == 0 {
		tables = []string{""}
	}
	for _, name := range tables {
		sum, t := c.used.of(name), c.tallies[Kind{c.Op, name}]
		if !late {
			t.Requests++
		}
		t.ReadUnits += sum.reads
		t.WriteUnits += sum.writes
		if failed && !late {
			t.Failed++
		}
		c.tallies[Kind{c.Op, name}] = t
	}
}

// spent is what was read from and written to a partition or table lately.
type spent struct{ reads, writes bucket }

// bucket fills with units and empties with time.
type bucket struct {
	level float64
	at    time.Time
	limit float64 // units in a second, as it was when asked for last
}

// full says whether a limit, if there is one, is reached.
func (b *bucket) full(now time.Time, limit float64) bool {
	b.limit = limit
	if limit <= 0 {
		return false
	}
	b.level = max(0, b.level-limit*now.Sub(b.at).Seconds())
	b.at = now
	return b.level >= limit
}

// add fills it. Where there was no limit so far it is full of nothing.
func (b *bucket) add(n float64) {
	if b.limit > 0 {
		b.level += n
	}
}
