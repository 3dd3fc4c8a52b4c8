package syscat

import (
	"cmp"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/types"
)

// ownColdText has the view of what is stored, by how much it costs; see ownRelationsText.
const ownColdText = `9016 zproxy cold_data v
	schemaname name !
	tablename name !
	indexname name
	partition_of name
	storage_class text !
	rows int8
	bytes int8
	last_read timestamptz
	last_written timestamptz
	monthly_usd float8
	cold_monthly_usd float8
	alter text
	exported text
`

// coldCatalogs tell what stored data costs.
func coldCatalogs() []definition {
	return []definition{{
		schema: ownSchema, name: "cold_data", rows: coldData,
		columns: "schemaname tablename indexname partition_of storage_class rows bytes last_read last_written monthly_usd cold_monthly_usd alter exported",
	}}
}

// prices are those of a class of storage: for a gigabyte in a month, and for a unit of capacity in an hour.
type prices struct{ gigabyte, readUnit, writeUnit float64 }

// DynamoDB's list prices in us-east-1.
var (
	standardPrices   = prices{gigabyte: 0.25, readUnit: 0.00013, writeUnit: 0.00065}
	infrequentPrices = prices{gigabyte: 0.10, readUnit: 0.00016, writeUnit: 0.00081}
)

const (
	gigabyte      = 1 << 30
	hoursPerMonth = 730
)

// of is what bytes cost in a month with the capacity that options provide.
func (p prices) of(bytes int64, options map[string]string) float64 {
	c := catalog.CapacityOf(options)
	return float64(bytes)/gigabyte*p.gigabyte +
		hoursPerMonth*(float64(c.ReadUnits)*p.readUnit+float64(c.WriteUnits)*p.writeUnit)
}

// stored is a table's rows or the entries of an index.
type stored struct {
	KeyLocation
	of      string // the partitioned table
	options map[string]string
	rows    types.Value
	bytes   int64 // -1: not known
	alter   string
	file    string // to which a partition was exported
}

// saves is how much less it would cost a month in the class of cold rows.
func (s *stored) saves() float64 {
	if s.bytes < 0 || catalog.CapacityOf(s.options).Infrequent {
		return 0
	}
	return standardPrices.of(s.bytes, s.options) - infrequentPrices.of(s.bytes, s.options)
}

// coldData has tables and indexes, what would save the most in the class of cold rows first.
func coldData(r *rows) {
	var list []stored
	for _, t := range r.Catalog.Tables() {
		if t.Kept() {
			list = append(list, r.stored(t)...)
		}
	}
	slices.SortStableFunc(list, func(a, b stored) int { return cmp.Compare(b.saves(), a.saves()) })
	reads, writes := r.lastAsked()
	for i := range list {
		r.cold(&list[i], reads, writes)
	}
}

// stored are the rows of a table and the entries of its indexes.
func (r *rows) stored(t *catalog.Table) []stored {
	of, file := "", ""
	if t.PartitionOf != nil {
		if t.PartitionOf.Exported() {
			file = t.PartitionOf.Export.File
		}
		if parent, ok := r.Catalog.ByID(t.PartitionOf.Parent).(*catalog.Table); ok {
			of = parent.Name
		}
	}
	name := expr.QuoteIdent(t.Schema) + "."
	out := []stored{{KeyLocation: KeyLocation{Schema: t.Schema, Table: t.Name}, of: of, options: t.Options,
		rows: estimate(knownRows(t)), bytes: r.bytesOf(t.ID), file: file,
		alter: "TABLE " + name + expr.QuoteIdent(t.Name)}}
	for _, x := range t.TableIndexes() {
		if x.Index != nil {
			out = append(out, stored{
				KeyLocation: KeyLocation{Schema: t.Schema, Table: t.Name, Index: x.Index.Name}, of: of,
				options: x.Index.Options, rows: estimate(knownEntries(x)), bytes: r.bytesOf(x.Index.ID),
				alter: "INDEX " + name + expr.QuoteIdent(x.Index.Name)})
		}
	}
	return out
}

// bytesOf is what a relation takes, -1 where that is not known.
func (r *rows) bytesOf(id uint32) int64 {
	if o := r.Objects.Object("pg_class", id); o != nil && o.Relation != nil && o.Relation.Bytes != nil {
		if n, err := o.Relation.Bytes(); err == nil {
			return n
		}
	}
	return -1
}

// lastAsked is when keys were last read and written, as far as this process has counted that.
func (r *rows) lastAsked() (reads, writes map[KeyLocation]time.Time) {
	reads, writes = map[KeyLocation]time.Time{}, map[KeyLocation]time.Time{}
	for _, h := range r.Heat.KeyHeat() {
		if h.Reads > 0 && h.Minute.After(reads[h.KeyLocation]) {
			reads[h.KeyLocation] = h.Minute
		}
		if h.Writes > 0 && h.Minute.After(writes[h.KeyLocation]) {
			writes[h.KeyLocation] = h.Minute
		}
	}
	return reads, writes
}

func (r *rows) cold(s *stored, reads, writes map[KeyLocation]time.Time) {
	at := func(of map[KeyLocation]time.Time) types.Value {
		if last, known := of[s.KeyLocation]; known {
			return moment(last)
		}
		return types.Null
	}
	cold := catalog.CapacityOf(s.options).Infrequent
	class, now := "standard", standardPrices
	if cold {
		class, now = catalog.InfrequentAccess, infrequentPrices
	}
	bytes, usd, coldUSD, alter := types.Null, types.Null, types.Null, types.Null
	if s.bytes >= 0 {
		bytes, usd = types.NewInt(s.bytes), types.NewFloat(now.of(s.bytes, s.options))
		coldUSD = types.NewFloat(infrequentPrices.of(s.bytes, s.options))
	}
	if !cold {
		alter = text("ALTER " + s.alter + " SET (" + catalog.ClassOption + " = '" + catalog.InfrequentAccess + "')")
	}
	r.add(text(s.Schema), text(s.Table), textOrNull(s.Index), textOrNull(s.of), text(class), s.rows, bytes, at(reads),
		at(writes), usd, coldUSD, alter, textOrNull(s.file))
}
