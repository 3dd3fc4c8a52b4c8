package access_test

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/types"
)

// clocked are the types of a time of a day.
var clocked = []string{"timestamp", "timestamptz"}

// tableLayout is how a random table is laid out.
func (w *world) tableLayout() string {
	if w.IntN(4) == 0 {
		return w.heavy(w.primary)
	}
	var options []string
	shards := w.IntN(2) == 0
	if shards {
		options = append(options, w.shards())
		if w.IntN(2) == 0 {
			options = append(options, "shard_by = 'random'")
		}
	}
	by := ""
	switch w.IntN(4) {
	case 0:
		by = " PARTITION BY HASH (" + w.partition() + ")"
	case 1, 2:
		options = append(options, w.template(w.primary, shards))
	}
	return by + with(options)
}

// partition is some columns of the primary key, of times perhaps only a unit.
func (w *world) partition() string {
	var out []string
	for _, i := range w.Perm(len(w.primary))[:1+w.IntN(len(w.primary))] {
		c := w.columns[w.primary[i]]
		name := c.name
		switch {
		case slices.Contains(clocked, c.typ) && w.IntN(4) > 0:
			name = "date_trunc('" + []string{"minute", "hour", "day", "week", "month", "year"}[w.IntN(6)] + "', " +
				c.name + ")"
		case c.typ == "date" && w.IntN(4) > 0:
			name = "date_trunc('" + []string{"day", "week", "month", "year"}[w.IntN(4)] + "', " + c.name + ")"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

// indexLayout is how an index over some columns is laid out.
func (w *world) indexLayout(on []int) string {
	if w.IntN(4) == 0 {
		return w.heavy(on)
	}
	var options []string
	shards := w.IntN(3) == 0
	if shards {
		options = append(options, w.shards())
	}
	if w.IntN(3) == 0 {
		options = append(options, w.template(on, shards))
	}
	return with(options)
}

// heavy gives some values of the first of some columns shards.
func (w *world) heavy(on []int) string {
	var values []string
	for _, literal := range w.columns[on[0]].literals {
		values = append(values, strings.Trim(literal, "'"))
	}
	return with([]string{heavyKeys(w.Rand, values)})
}

// curveLayout is how a Z-order index is laid out.
func (w *world) curveLayout(option string) string {
	options := []string{option, w.shards()}
	switch w.IntN(3) {
	case 0:
		options = options[:1]
	case 1:
		options[1] = fmt.Sprintf("partition_bits = %d", 1+w.IntN(8))
	}
	if option == "" {
		options = options[1:]
	}
	return with(options)
}

func (w *world) shards() string { return fmt.Sprintf("shards = %d", []int{2, 3, 5, 16}[w.IntN(4)]) }

func with(options []string) string {
	if len(options) == 0 {
		return ""
	}
	return " WITH (" + strings.Join(options, ", ") + ")"
}

// template is a random text over some columns, which the planner may refuse.
func (w *world) template(on []int, shards bool) string {
	var holes []string
	for _, i := range on {
		if w.IntN(4) > 0 || i == on[0] {
			holes = append(holes, w.hole(w.columns[i]))
		}
	}
	if shards {
		holes = append(holes, []string{"{shard}", "{shard:02}"}[w.IntN(2)])
	}
	w.Shuffle(len(holes), func(i, j int) { holes[i], holes[j] = holes[j], holes[i] })
	var b strings.Builder
	for i, hole := range holes {
		if i > 0 {
			b.WriteString([]string{",", "-", "/x", "", "a"}[w.IntN(5)])
		}
		b.WriteString(hole)
	}
	return "partition_key = '" + strings.ReplaceAll(b.String(), "'", "''") + "'"
}

// hole is what stands in a text for a column.
func (w *world) hole(c column) string {
	if w.IntN(4) == 0 && slices.ContainsFunc(columns,
		func(o column) bool { return o.typ == c.typ && !slices.Contains(clocked, c.typ) && c.typ != "float8" }) {
		return fmt.Sprintf("{md5(%s || 'x'):%d}", c.name, 1+w.IntN(4))
	}
	switch c.typ {
	case "int4", "int8", "smallint":
		return "{" + c.name + []string{"", ":04", ":019"}[w.IntN(3)] + "}"
	case "date":
		return "{" + c.name + []string{"", ":DDMONYYYY", ":YYYYMM", ":YYYY", ":DY"}[w.IntN(5)] + "}"
	case "timestamp", "timestamptz":
		return "{" + c.name + ":" + []string{"YYYYMMDDHH24MI", "DDMONYYYY", "YYYYMM", "HH24", "IYYYIW"}[w.IntN(5)] + "}"
	}
	return "{" + c.name + "}"
}

// count counts of what parts the path's keys are, and what became of them.
func (r *run) count(met map[string]int) {
	a, l := factsOf(r.scan.Access), layoutOf(r.scan)
	if a.Box {
		r.countPart(met, l.Partition)
		return
	}
	if a.Parts == 0 {
		return
	}
	r.countPart(met, l.Partition[:min(a.Parts, len(l.Partition))])
	switch n, ok := keys.Partitions(r.spans, len(l.Partition)); {
	case !ok:
		met["over partitions"]++
	case n == 1:
		met["one partition"]++
	case n > 1:
		met["several partitions"]++
	}
	if a.Counted > 0 {
		met["counted"]++
		if len(r.query.params) > 0 {
			met["counted when it runs"]++
		}
	}
	if i := slices.IndexFunc(r.spans, func(s span.Span) bool { return s.Last != nil }); i >= 0 {
		switch parts := l.Parts(); parts[min(len(r.spans[i].Prefix), len(parts)-1)].Kind {
		case part.Bucket:
			met["interval of buckets"]++
		case part.Text:
			met["interval of texts"]++
		}
	}
}

func (r *run) countPart(met map[string]int, parts []catalog.Part) {
	for _, p := range parts {
		switch {
		case p.Kind == part.Shard:
			met["shard"]++
		case p.Kind == part.Heavy:
			met["heavy"]++
		case p.Kind == part.Column && p.Count > 0:
			met["random shard"]++
		case p.Kind == part.Bucket:
			met["bucket"]++
		case p.Kind == part.ZAddress:
			met["leading bits"]++
		case p.Kind == part.Text:
			met["text"]++
		}
		for _, q := range p.Pieces {
			switch {
			case q.Kind == part.Shard:
				met["shard in a text"]++
			case q.Kind == part.Column && q.Count > 0:
				met["random shard in a text"]++
			case q.Kind == part.Bucket:
				met["bucket in a text"]++
			case q.Kind == part.Prefix:
				met["prefix"]++
			case q.Width > 0:
				met["padded number"]++
			}
		}
	}
}

// checkPoints wants the whole of a unique key of a row to lead to one partition, or to one in
// each shard if that is random, and to this row.
func (w *world) checkPoints(met map[string]int) {
	w.t.Helper()
	table := w.schema.Catalog.Table("public", "t")
	w.pointsOf(table, &table.Primary, "primary", met)
	for i := range table.Indexes {
		if x := &table.Indexes[i]; x.Unique && !x.Partial() {
			w.pointsOf(table, &x.Layout, x.Name, met)
			met["points of an index"]++
		}
	}
}

func (w *world) pointsOf(table *catalog.Table, l *catalog.Layout, hint string, met map[string]int) {
	w.t.Helper()
	want := 1
	if p := l.Random(); p != nil {
		want = p.Count
	}
	for range min(10, len(w.rows)) {
		row := w.rows[w.IntN(len(w.rows))]
		var conds []string
		for _, id := range l.Columns() {
			at := table.Ordinal(id)
			if row[at].IsNull() {
				break // which is not equal to itself
			}
			c := &table.Columns[at]
			literal := strings.ReplaceAll(types.FormatText(row[at], c.Type, &types.Env{}), "'", "''")
			conds = append(conds, fmt.Sprintf("%s = '%s'::%s", c.Name, literal, c.Type))
		}
		if len(conds) < len(l.Columns()) {
			continue
		}
		q := query{sql: "SELECT " + w.columns[0].name + " FROM t WHERE " + strings.Join(conds, " AND "), hint: hint,
			unordered: w.IntN(2) == 0}
		r := w.check(q, met)
		if x := r.scan.Access.Index(); x != nil && x.Name != hint {
			w.fail(q, "reads %s", r.scan.Access.Name())
		}
		if n, ok := keys.Partitions(r.spans, len(l.Partition)); !ok || n != want || len(r.spans) != want {
			w.fail(q, "%d partitions, want %d: %v", n, want, r.spans)
		}
	}
}
