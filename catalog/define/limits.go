package define

import (
	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
)

// maxKeyColumns is how many columns a key may have, as in PostgreSQL.
const maxKeyColumns = 32

// Limits bound the secondary indexes of a table, whatever made them; 0 leaves it to what keys
// can hold. Columns are those of a key: what an entry holds besides costs no order. Store says how long keys may be.
type Limits struct {
	Columns, Indexes int
	Store            store.Capabilities
}

// allow says whether a table may have one more index, over so many columns.
func (l Limits) allow(t *catalog.Table, columns int) error {
	if most := l.Columns; most > 0 && columns > most && most < maxKeyColumns {
		return tooManyColumns(most).WithHint("The limit is the setting zproxy.max_index_columns.")
	}
	if columns > maxKeyColumns {
		return tooManyColumns(maxKeyColumns)
	}
	if l.Indexes > 0 && len(t.Indexes) >= l.Indexes {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "tables can have at most %d indexes", l.Indexes).
			WithDetail("Table %q has %d.", t.Name, len(t.Indexes)).
			WithHint("The limit is the setting zproxy.max_indexes.")
	}
	return nil
}

func tooManyColumns(most int) *sqlerr.Error {
	return sqlerr.New(sqlerr.TooManyColumns, "cannot use more than %d columns in an index", most)
}
