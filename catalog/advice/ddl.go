package advice

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/expr"
)

// How many shards advice speaks of: those of a table are written to more.
const (
	tableShards = "16"
	indexShards = "4"
)

// sharded is the DDL of the key with shards in front.
func (k *key) sharded() string {
	options := k.plain()
	if options["shards"] = indexShards; k.index == nil {
		options["shards"] = tableShards
	}
	return k.with(options)
}

// with is the DDL of the key with other options.
func (k *key) with(options map[string]string) string {
	if k.index == nil {
		return k.rekeyed(k.columns(k.layout.Declared()), options)
	}
	return k.rebuilt(k.declared(), options)
}

// given are the options that the key was declared with.
func (k *key) given() map[string]string {
	if k.index == nil {
		return k.table.Options
	}
	return k.index.Options
}

// keyOptions are those that make keys.
var keyOptions = []string{"heavy_keys", "partition_bits", "partition_key", "shard_by", "shards"}

// plain are the options that the key was declared with, but for those that make it.
func (k *key) plain() map[string]string {
	options := map[string]string{}
	maps.Copy(options, k.given())
	for _, o := range keyOptions {
		delete(options, o)
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
	return k.rekeyed(k.columns(slices.Insert(slices.Delete(keys, at, at+1), 0, first)), k.plain())
}

// randomized is the DDL that gives a column, which a key begins with, random uuids in the
// place of others. Where others make them, and in an index, shards have to do.
func (k *key) randomized(c *catalog.Column) string {
	random := "gen_random_uuid()"
	if !isUUID(c.Type) {
		random += "::text"
	}
	if k.index != nil || sourceOf(c) != timedUUID || isBytes(c.Type) {
		return k.sharded()
	}
	return k.alter("ALTER COLUMN " + expr.QuoteIdent(c.Name) + " SET DEFAULT " + random)
}

// columns are those of a key, as DDL has them.
func (k *key) columns(keys []catalog.KeyColumn) []string {
	columns := make([]string, len(keys))
	for i, c := range keys {
		columns[i] = expr.QuoteIdent(k.column(c.ID).Name) + c.Direction()
	}
	return columns
}

// rekeyed is the DDL that gives the table another primary key in the place of its own, after
// other commands of ALTER TABLE. What PARTITION BY says cannot be changed: then it is that of
// another table, and the columns are left out.
func (k *key) rekeyed(columns []string, options map[string]string, before ...string) string {
	primary := "PRIMARY KEY (" + strings.Join(columns, ", ") + ")"
	if k.table.Partitioned() {
		return "CREATE TABLE " + k.tableName() + " (..., " + primary + ")" + with(options)
	}
	commands := append(before, "DROP CONSTRAINT "+expr.QuoteIdent(k.table.PrimaryKey))
	if gone := slices.DeleteFunc(slices.Clone(keyOptions),
		func(name string) bool { return options[name] != "" || k.given()[name] == "" }); len(gone) > 0 {
		commands = append(commands, "RESET ("+strings.Join(gone, ", ")+")")
	}
	changed := maps.Clone(options)
	maps.DeleteFunc(changed, func(name, value string) bool { return k.given()[name] == value })
	if len(changed) > 0 {
		commands = append(commands, "SET "+parenthesized(changed))
	}
	if k.table.PrimaryKey != k.table.Name+"_pkey" {
		primary = "CONSTRAINT " + expr.QuoteIdent(k.table.PrimaryKey) + " " + primary
	}
	return k.alter(append(commands, "ADD "+primary)...)
}

// alter is an ALTER TABLE.
func (k *key) alter(commands ...string) string {
	return "ALTER TABLE " + k.tableName() + " " + strings.Join(commands, ", ")
}

// tableName is the table as DDL names it.
func (k *key) tableName() string { return k.qualified(k.table.Name) }

// qualified is the name of something in the table's schema.
func (k *key) qualified(name string) string {
	if k.table.Schema == catalog.PublicName {
		return expr.QuoteIdent(name)
	}
	return expr.QuoteIdent(k.table.Schema) + "." + expr.QuoteIdent(name)
}

// declared are the columns of an index, as CREATE INDEX has them.
func (k *key) declared() []string {
	if curve := k.curve(); curve != nil {
		return k.dimensions(curve)
	}
	return k.columns(k.layout.Declared())
}

// dimensions are those of a Z-order index, as CREATE INDEX has them, with what was asked for.
func (k *key) dimensions(curve []catalog.Dimension) []string {
	var out []string
	for i, d := range curve {
		if i > 0 && axis.Is(d.Column) && axis.Column(d.Column) == axis.Column(curve[i-1].Column) {
			continue // the other axis of the same points
		}
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
		if d.Form != "" {
			list = append(list, "form = '"+d.Form+"'")
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
	var names []string
	for _, id := range columns {
		names = append(names, expr.QuoteIdent(t.Columns[t.Ordinal(id)].Name))
	}
	return ProposeKey(t, m, names, options)
}

// ProposeKey is Propose for columns as they are to be written.
func ProposeKey(t *catalog.Table, m catalog.Method, columns []string, options map[string]string) string {
	k := &key{table: t, index: &catalog.Index{Method: m}}
	return k.indexDDL(columns, options)
}

// rebuilt is the DDL that puts the index over other columns, or with other options, in the
// place of the one that there is.
func (k *key) rebuilt(columns []string, options map[string]string) string {
	return k.dropped() + "; " + k.indexDDL(columns, options)
}

// dropped is the DDL that drops the index.
func (k *key) dropped() string {
	switch {
	case k.index.Constraint:
		return k.alter("DROP CONSTRAINT " + expr.QuoteIdent(k.index.Name))
	case k.known.Later:
		return "DROP INDEX CONCURRENTLY " + k.qualified(k.index.Name)
	}
	return "DROP INDEX " + k.qualified(k.index.Name)
}

// indexDDL is the CREATE INDEX of the index over other columns, or with other options.
func (k *key) indexDDL(columns []string, options map[string]string) string {
	var b strings.Builder
	b.WriteString("CREATE ")
	if k.index.Unique {
		b.WriteString("UNIQUE ")
	}
	b.WriteString("INDEX ")
	if k.known.Later {
		b.WriteString("CONCURRENTLY ")
	}
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
	return " WITH " + parenthesized(options)
}

// parenthesized are options in parentheses.
func parenthesized(options map[string]string) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		value := options[name]
		if _, err := strconv.Atoi(value); err != nil {
			value = expr.QuoteLiteral(value)
		}
		list = append(list, expr.QuoteIdent(name)+" = "+value)
	}
	return "(" + strings.Join(list, ", ") + ")"
}
