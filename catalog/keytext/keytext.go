// Package keytext writes the keys of tables and indexes as the statements have them that make them. A dump names only
// the columns of a primary key, so what else makes it is in options of the table: how the columns are ordered or coded,
// and what PARTITION BY says. ADD PRIMARY KEY reads them.
package keytext

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/opclass"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/expr/inverted"
)

// The options of a table without a primary key that say how it is to be laid out by one.
const (
	KeyOption       = "primary_key"  // what stands behind PRIMARY KEY
	PartitionOption = "partition_by" // what stands behind PARTITION BY
)

// Columns are the columns of the key of an index, as CREATE INDEX has them. Shown shows a column by itself, and class
// the name of an operator class.
func Columns(x catalog.TableIndex, shown func(*catalog.Column) string,
	class func(*inverted.Class) string) []string {
	var out []string
	for i, k := range x.Columns() {
		if k.Included {
			break
		}
		column := shown(&x.Table.Columns[x.Table.Ordinal(k.ID)]) + classOf(x, i, class)
		switch {
		case x.Method() == catalog.ZOrder:
			column += dimensionOptions(x.Layout().Curve(), k.ID)
		default:
			column += k.Direction()
		}
		out = append(out, column)
	}
	return out
}

// classOf is the operator class of a column of a key, empty for the default one.
func classOf(x catalog.TableIndex, i int, shown func(*inverted.Class) string) string {
	name := opclass.Of(x, i)
	if x.Method().Inverted() {
		k := inverted.Of(x.Index, i)
		if k.Default {
			return ""
		}
		name = shown(k)
	}
	if name == "" {
		return ""
	}
	return " " + name
}

// dimensionOptions are the parameters of a dimension of a Z-order index that a statement asked for.
func dimensionOptions(curve []catalog.Dimension, column uint32) string {
	at := slices.IndexFunc(curve, func(d catalog.Dimension) bool { return axis.Column(d.Column) == column })
	if at < 0 {
		return "" // a column of the partition
	}
	d := curve[at]
	var list []string
	switch {
	case d.AutoBits || d.Bits == 0:
	case d.Bits > 64 && d.Bits%8 == 0:
		list = append(list, "bytes='"+strconv.Itoa(d.Bits/8)+"'")
	default:
		list = append(list, "bits='"+strconv.Itoa(d.Bits)+"'")
	}
	if d.Map != "" && !d.AutoMap {
		list = append(list, "map='"+string(d.Map)+"'")
	}
	if d.Form != "" {
		list = append(list, "form='"+d.Form+"'")
	}
	if list == nil {
		return ""
	}
	return " zorder_ops (" + strings.Join(list, ", ") + ")"
}

// Options are the options of a table with those that its primary key needs besides the names of its columns.
func Options(t *catalog.Table, options map[string]string) map[string]string {
	key, by := "", ""
	if t.PrimaryKey != "" {
		key = special(catalog.TableIndex{Table: t})
		if t.Partitioned() && t.Space.In == nil {
			by = "HASH (" + strings.Join(partition(t), ", ") + ")"
		}
	}
	if key == "" && by == "" {
		return options
	}
	out := map[string]string{}
	maps.Copy(out, options)
	if key != "" {
		out[KeyOption] = key
	}
	if by != "" {
		out[PartitionOption] = by
	}
	return out
}

// quoted is the name of a column of a table's key, which is over no expressions.
func quoted(c *catalog.Column) string { return expr.QuoteIdent(c.Name) }

// special is a primary key whose columns are not just in their order or coded as they are by default.
func special(x catalog.TableIndex) string {
	l := x.Layout()
	if !slices.ContainsFunc(l.Declared(), func(k catalog.KeyColumn) bool {
		return k.Desc || dimensionOptions(l.Curve(), k.ID) != ""
	}) {
		return ""
	}
	text := "(" + strings.Join(Columns(x, quoted, nil), ", ") + ")"
	if x.Method() == catalog.ZOrder {
		text = "USING zorder " + text
	}
	return text
}

// partition is what PARTITION BY HASH names.
func partition(t *catalog.Table) (out []string) {
	for _, p := range t.Primary.Partition {
		column := ""
		if p.Column != 0 {
			column = expr.QuoteIdent(t.Source(p.Column).Name)
		}
		switch {
		case p.Kind == part.Bucket:
			out = append(out, fmt.Sprintf("date_trunc('%s', %s)", p.Unit, column))
		case p.Kind == part.NumberBucket:
			out = append(out, fmt.Sprintf("bucket(%s, %s)", column, cmp.Or(p.Size, strconv.Itoa(p.Count))))
		case p.Plain():
			out = append(out, column)
		}
	}
	return out
}
