package advice

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/planner/expr"
)

// How many shards advice speaks of: those of a table are written to more.
const (
	tableShards = "16"
	indexShards = "4"
)

// sharded is the DDL of the key with shards in front.
func (k *key) sharded() string {
	if k.index == nil {
		return k.tableDDL(k.layout.Declared(), k.options("shards", tableShards))
	}
	return k.indexDDL(k.declared(), k.options("shards", indexShards))
}

// given are the options that the key was declared with.
func (k *key) given() map[string]string {
	if k.index == nil {
		return k.table.Options
	}
	return k.index.Options
}

// options are those that the key was declared with, but for those that make it, of which
// there is another one now, or with an empty name none.
func (k *key) options(name, value string) map[string]string {
	options := map[string]string{}
	maps.Copy(options, k.given())
	for _, o := range []string{"shards", "shard_by", "partition_key", "partition_bits"} {
		delete(options, o)
	}
	if name != "" {
		options[name] = value
	}
	return options
}

// reordered is the DDL of a primary key that begins with another of its columns, one that
// is known to have no fault; where there is none, and for an index, of one with shards.
func (k *key) reordered() string {
	keys := slices.Clone(k.layout.Declared())
	at := slices.IndexFunc(keys, func(c catalog.KeyColumn) bool {
		return !k.grows(k.column(c.ID)) && !k.few(k.column(c.ID))
	})
	if k.index != nil || at < 0 {
		return k.sharded()
	}
	first := keys[at]
	return k.tableDDL(slices.Insert(slices.Delete(keys, at, at+1), 0, first), k.options("", ""))
}

// tableDDL is a CREATE TABLE with a primary key; the columns are left out.
func (k *key) tableDDL(keys []catalog.KeyColumn, options map[string]string) string {
	columns := make([]string, len(keys))
	for i, c := range keys {
		if columns[i] = expr.QuoteIdent(k.column(c.ID).Name); c.Desc {
			columns[i] += " DESC"
		}
	}
	return "CREATE TABLE " + k.tableName() + " (..., PRIMARY KEY (" + strings.Join(columns, ", ") + "))" + with(options)
}

// tableName is the table as DDL names it.
func (k *key) tableName() string {
	name := expr.QuoteIdent(k.table.Name)
	if k.table.Schema != catalog.PublicName {
		name = expr.QuoteIdent(k.table.Schema) + "." + name
	}
	return name
}

// declared are the columns of an index, as CREATE INDEX has them.
func (k *key) declared() []string {
	if curve := k.curve(); curve != nil {
		return k.dimensions(curve)
	}
	var out []string
	for _, c := range k.layout.Declared() {
		column := expr.QuoteIdent(k.column(c.ID).Name)
		if c.Desc {
			column += " DESC"
		}
		out = append(out, column)
	}
	return out
}

// dimensions are those of a Z-order index, as CREATE INDEX has them, with what was asked for.
func (k *key) dimensions(curve []catalog.Dimension) []string {
	var out []string
	for _, d := range curve {
		var list []string
		c := k.column(d.Column)
		cut := isText(c.Type) && d.Map == catalog.MapRaw && d.Bits%8 == 0 // bytes alone mean that
		switch {
		case d.Bits == 0 || d.AutoBits:
		case d.Bits%8 == 0 && (cut || !isText(c.Type)):
			list = append(list, "bytes = "+strconv.Itoa(d.Bits/8))
		default:
			list = append(list, "bits = "+strconv.Itoa(d.Bits))
		}
		if d.Map != "" && !d.AutoMap && (!cut || list == nil) {
			list = append(list, "map = '"+string(d.Map)+"'")
		}
		column := expr.QuoteIdent(c.Name)
		if list != nil {
			column += " zorder_ops (" + strings.Join(list, ", ") + ")"
		}
		out = append(out, column)
	}
	return out
}

// Propose is the DDL of an index over some columns that a table does not have yet.
func Propose(t *catalog.Table, m catalog.Method, columns []uint32, options map[string]string) string {
	k := &key{table: t, index: &catalog.Index{Method: m}}
	var names []string
	for _, id := range columns {
		names = append(names, expr.QuoteIdent(k.column(id).Name))
	}
	return k.indexDDL(names, options)
}

// indexDDL is the CREATE INDEX of the index over other columns, or with other options.
func (k *key) indexDDL(columns []string, options map[string]string) string {
	var b strings.Builder
	b.WriteString("CREATE ")
	if k.index.Unique {
		b.WriteString("UNIQUE ")
	}
	b.WriteString("INDEX ")
	if k.index.Name != "" {
		b.WriteString(expr.QuoteIdent(k.index.Name) + " ")
	}
	b.WriteString("ON " + k.tableName())
	if k.index.Method != catalog.BTree {
		b.WriteString(" USING " + string(k.index.Method))
	}
	b.WriteString(" (" + strings.Join(columns, ", ") + ")")
	if len(k.index.Include) > 0 {
		var names []string
		for _, id := range k.index.Include {
			names = append(names, expr.QuoteIdent(k.column(id).Name))
		}
		b.WriteString(" INCLUDE (" + strings.Join(names, ", ") + ")")
	}
	if k.index.Layout.NullsEqual {
		b.WriteString(" NULLS NOT DISTINCT")
	}
	b.WriteString(with(options))
	if k.index.Partial() {
		b.WriteString(" WHERE " + k.index.Where.Text)
	}
	return b.String()
}

// with is a WITH clause.
func with(options map[string]string) string {
	if len(options) == 0 {
		return ""
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		value := options[name]
		if _, err := strconv.Atoi(value); err != nil {
			value = expr.QuoteLiteral(value)
		}
		list = append(list, expr.QuoteIdent(name)+" = "+value)
	}
	return " WITH (" + strings.Join(list, ", ") + ")"
}
