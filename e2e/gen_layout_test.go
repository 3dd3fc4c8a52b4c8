package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// tableLayout says how the keys of a random table are laid out, in words that PostgreSQL
// has no use for. No value is one that such a key cannot hold.
func (d dice) tableLayout(key []randomColumn) string {
	if len(key) > 1 && d.chance(5) {
		return withOptions(d.heavyKeys(key[0]))
	}
	if d.chance(4) {
		if forms := itemKeys(key); forms != nil {
			return withOptions([]string{"item_keys = '" + pick(d, forms) + "'"})
		}
	}
	var options []string
	shards := d.chance(2)
	if shards {
		options = append(options, fmt.Sprintf("shards = %d", pick(d, []int{2, 3, 7, 16})))
		if d.chance(2) {
			options = append(options, "shard_by = 'random'")
		}
	}
	by := ""
	switch d.IntN(4) {
	case 0, 1:
		by = " PARTITION BY HASH (" + strings.Join(d.partition(key), ", ") + ")"
	case 2:
		options = append(options, d.template(key, shards)...)
	case 3:
		options = append(options, d.keyOrder(key, shards)...)
	}
	return by + withOptions(options)
}

// itemKeys are the forms that a key may have for other programs, besides bytes.
func itemKeys(key []randomColumn) (forms []string) {
	are := func(types ...string) bool {
		return !slices.ContainsFunc(key, func(c randomColumn) bool { return !slices.Contains(types, c.sql) })
	}
	if are("int2", "int4", "int8", "uuid", "bool") {
		forms = append(forms, "text")
	}
	if are("int2", "int4", "int8") && len(key) < 3 {
		forms = append(forms, "native")
	}
	return forms
}

// heavyKeys is the option that gives some values of a column shards: one value where others may equal it.
func (d dice) heavyKeys(c randomColumn) []string {
	n := 1
	if slices.Contains([]string{"int2", "int4", "int8", "text", "date", "uuid"}, c.sql) {
		n = 3
	}
	var keys []string
	for _, v := range some(d, c.values, n) {
		name, _ := json.Marshal(strings.ReplaceAll(v, "''", "'"))
		keys = append(keys, strings.ReplaceAll(fmt.Sprintf("%s: %d", name, 2+d.IntN(15)), "'", "''"))
	}
	return []string{"heavy_keys = '{" + strings.Join(keys, ", ") + "}'"}
}

// keyOrder is the option that stores rows in Z-order, by all columns of their key, or nothing.
func (d dice) keyOrder(key []randomColumn, shards bool) []string {
	flat := func(c randomColumn) bool { return !strings.HasSuffix(c.sql, "[]") && c.sql != "jsonb" }
	if d.chance(3) || slices.ContainsFunc(key, func(c randomColumn) bool { return !flat(c) }) {
		return nil
	}
	out := []string{"key_order = 'zorder'"}
	if !shards && d.chance(2) {
		out = append(out, fmt.Sprintf("partition_bits = %d", 1+d.IntN(min(len(key), 8))))
	}
	return out
}

// partition is some columns of a key, of times perhaps only the unit that they lie in.
func (d dice) partition(key []randomColumn) []string {
	var out []string
	for _, c := range some(d, key, len(key)) {
		units := []string{"day", "week", "month", "year"}
		if c.sql != "date" {
			units = append(units, "minute", "hour")
		}
		if slices.Contains(instants, c.sql) && !d.chance(4) {
			out = append(out, fmt.Sprintf("date_trunc('%s', %s)", pick(d, units), c.name))
			continue
		}
		if slices.Contains([]string{"int2", "int4", "int8"}, c.sql) && d.chance(3) {
			out = append(out, fmt.Sprintf("bucket(%s, %d)", c.name, pick(d, []int{1, 3, 100})))
			continue
		}
		if strings.HasPrefix(c.sql, "numeric") && d.chance(2) {
			out = append(out, fmt.Sprintf("bucket(%s, %s)", c.name, pick(d, []string{"0.25", "1", "100"})))
			continue
		}
		out = append(out, c.name)
	}
	return out
}

// template is the option partition_key, if a text can be made of columns. Of those whose
// texts may be of any length only the last one stands in it as it is. An UPDATE may bring a value
// of another column that has no place in it, which every store is to refuse.
func (d dice) template(columns []randomColumn, shards bool) []string {
	var holes []string
	last := ""
	for _, c := range columns {
		switch c.sql {
		case "int2", "int4", "int8", "bool", "uuid", "date":
			hole := "{" + c.name + "}"
			switch {
			case d.chance(3):
				hole = fmt.Sprintf("{md5(%s || ''x''):%d}", c.name, 1+d.IntN(4))
			case c.counts() && d.chance(2):
				hole = "{" + c.name + pick(d, []string{":06}", ":019}"})
			case c.dates() && d.chance(2):
				hole = "{" + c.name + pick(d, []string{":YYYY-MM-DD}", ":DDMONYYYY}", ":YYYYMM}", ":IYYYIW}", ":DY}"})
			}
			holes = append(holes, hole)
		case "timestamp", "timestamptz":
			if c.dates() {
				holes = append(holes, "{"+c.name+pick(d,
					[]string{":YYYYMMDDHH24}", ":DDMONYYYY}", ":YYYYMM}", ":HH24}", ":YYYY-MM-DD HH24:MI}"}))
			}
		case "text", "varchar(5)":
			if last == "" {
				last = ",{" + c.name + "}"
			}
			holes = append(holes, fmt.Sprintf("{md5(%s):2}", c.name))
		}
	}
	if len(holes) == 0 {
		return nil
	}
	if d.chance(2) {
		last = ""
	}
	if shards {
		holes = append(holes, pick(d, []string{"{shard}", "{shard:03}"}))
	}
	d.Shuffle(len(holes), func(i, j int) { holes[i], holes[j] = holes[j], holes[i] })
	return []string{"partition_key = '" + strings.Join(holes, pick(d, []string{",", "/", "x:"})) + last + "'"}
}

// counts says whether a column has whole numbers of no more than six digits, none of them negative.
func (c randomColumn) counts() bool {
	return slices.Contains(wholes, c.sql) &&
		!slices.ContainsFunc(c.values, func(v string) bool { return v[0] == '-' || len(v) > 6 })
}

// dates says whether the years of a column are such as the patterns of a text can write.
func (c randomColumn) dates() bool {
	return slices.Contains(instants, c.sql) &&
		!slices.ContainsFunc(c.values, func(v string) bool { return strings.Contains(v, "infinity") })
}

// indexLayout are options of an index: none, or how its keys are laid out.
func (d dice) indexLayout(columns []randomColumn) []string {
	shards := fmt.Sprintf("shards = %d", pick(d, []int{2, 5}))
	switch d.IntN(6) {
	case 0:
		return []string{shards}
	case 1:
		return d.template(columns, false)
	case 2:
		return append(d.template(columns, true), shards)
	}
	return nil
}

// curveLayout are options of a Z-order index whose addresses have at least so many bits.
func (d dice) curveLayout(bits int) []string {
	switch d.IntN(6) {
	case 0:
		return []string{fmt.Sprintf("shards = %d", pick(d, []int{2, 5}))}
	case 1:
		return []string{fmt.Sprintf("partition_bits = %d", 1+d.IntN(min(bits, 8)))}
	}
	return nil
}

func withOptions(options []string) string {
	if len(options) == 0 {
		return ""
	}
	return " WITH (" + strings.Join(options, ", ") + ")"
}
