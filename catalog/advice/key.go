package advice

import (
	"fmt"

	"zproxy/catalog"
)

// key is the key that is judged: an index, or the primary key of a table.
type key struct {
	table  *catalog.Table
	index  *catalog.Index // nil: the primary key
	layout *catalog.Layout
	known  Known
}

// String names the key in a sentence.
func (k *key) String() string {
	if k.index == nil {
		return fmt.Sprintf("the primary key of table %q", k.table.Name)
	}
	return fmt.Sprintf("index %q of table %q", k.index.Name, k.table.Name)
}

// items are what the key has, in a sentence.
func (k *key) items() string {
	if k.index == nil {
		return "rows"
	}
	return "entries"
}

func (k *key) column(id uint32) *catalog.Column { return &k.table.Columns[k.table.Ordinal(id)] }

// leading is the column whose value keys begin with, or whose hour, day ...; nil when they
// begin with something that is computed otherwise.
func (k *key) leading() *catalog.Column {
	first := k.layout.Parts()[0].Lead()
	if k.layout.TopBits() > 0 {
		first = k.layout.Sort[0]
	}
	if id, ok := first.Follows(); ok {
		return k.column(id)
	}
	return nil
}

// grows says whether new rows have ever larger values in a column.
func (k *key) grows(c *catalog.Column) bool {
	return isTime(c.Type) || sourceOf(c) == clock || sourceOf(c) == sequence || k.timedUUIDs(c) || k.known.hasGrown(c)
}

// growing is the share of new rows with values above all others by which the values of a column are said to grow.
const growing = 0.9

// hasGrown says whether the rows that came last had ever larger values in a column, whose default may not tell.
func (k *Known) hasGrown(c *catalog.Column) bool { return k.Stats.Columns[c.ID].Grown >= growing }

// timedUUIDs says whether the uuids of a column, which may be kept as text or bytes, begin
// with the time at which they were made. Of the values that are there the smallest and the
// largest speak for the others: one maker gives all of its uuids the same version, in the
// same place.
func (k *key) timedUUIDs(c *catalog.Column) bool {
	if sourceOf(c) == timedUUID {
		return true
	}
	known := k.known.Stats.Columns[c.ID]
	version := timedVersion(known.Min)
	return version > 0 && timedVersion(known.Max) == version
}

// fewValues is how many values a partition key may have to be called one of few values, and
// rowsOfEach how many rows there must be for each before that is said.
const (
	fewValues  = 32
	rowsOfEach = 100
)

// values is how many values a column can have or has, as far as is known, 0 where nothing is. What
// conditions allow counts more than what is there, if it is few.
func (k *key) values(c *catalog.Column) float64 {
	declared, known := k.known.Declared[c.ID], k.known.Stats.Columns[c.ID].Distinct
	switch {
	case isBool(c.Type):
		return 2
	case declared > 0 && declared <= fewValues:
		return declared
	case k.known.Stats.Rows < rowsOfEach*known:
		return 0
	}
	return known
}

// few says whether a column is known to have few values.
func (k *key) few(c *catalog.Column) bool {
	n := k.values(c)
	return n > 0 && n <= fewValues
}
