package syscat

import (
	"math"

	"zproxy/catalog"
	"zproxy/types"
)

// statCatalogs tell of tables and indexes what is known of their use, and who has
// locks. What is not counted is NULL.
func statCatalogs() []definition {
	tables := "relid schemaname relname n_tup_ins n_tup_upd n_tup_del n_live_tup n_mod_since_analyze last_analyze " +
		"last_autoanalyze"
	indexes := "relid indexrelid schemaname relname indexrelname"
	return []definition{
		{name: "pg_stat_all_tables", columns: tables, rows: func(r *rows) { r.systemTables(); userTables(r) }},
		{name: "pg_stat_sys_tables", columns: tables, rows: (*rows).systemTables},
		{name: "pg_stat_user_tables", columns: tables, rows: userTables},
		{name: "pg_stat_all_indexes", columns: indexes, rows: userIndexes},
		{name: "pg_stat_user_indexes", columns: indexes, rows: userIndexes},
		{name: "pg_statio_all_tables", columns: "relid schemaname relname", rows: pagesOfTables},
		{name: "pg_statio_user_tables", columns: "relid schemaname relname", rows: pagesOfTables},
		{name: "pg_stat_database", columns: "datid datname numbackends", rows: usedDatabases},
		{
			name: "pg_locks", rows: locks, fixed: map[string]types.Value{"fastpath": boolean(false)},
			columns: "locktype database relation virtualxid transactionid classid objid objsubid virtualtransaction pid mode granted waitstart",
		},
	}
}

func (r *rows) systemTables() {
	for _, v := range r.Catalog.Virtuals() {
		if v.Kind == catalog.TableKind {
			row := make([]types.Value, 10) // of which the first three are known
			row[0], row[1], row[2] = number(v.ID), text(v.Schema), text(v.Name)
			r.add(row...)
		}
	}
}

func userTables(r *rows) {
	for _, t := range r.Catalog.Tables() {
		live, total, since := types.Null, r.Tally.Total(t.ID), r.Tally.Since(t.ID, t.Stats.Made())
		switch {
		case t.Partitioning != nil: // they are counted where they are
			live = types.NewInt(0)
		case t.Stats.Known:
			live = types.NewInt(max(0, int64(math.Round(t.Stats.Rows))+since.Net()))
		}
		r.add(number(t.ID), text(t.Schema), text(t.Name), types.NewInt(total.Inserted), types.NewInt(total.Updated),
			types.NewInt(total.Deleted), live, types.NewInt(since.Total()), momentOrNull(t.Stats.Analyzed),
			momentOrNull(t.Stats.Renewed))
	}
}

func pagesOfTables(r *rows) {
	for _, t := range r.Catalog.Tables() {
		r.add(number(t.ID), text(t.Schema), text(t.Name))
	}
}

func userIndexes(r *rows) {
	for _, t := range r.Catalog.Tables() {
		for _, x := range t.TableIndexes() {
			ref := x.Ref()
			r.add(number(t.ID), number(ref.ID), text(t.Schema), text(t.Name), text(ref.Name))
		}
	}
}

func usedDatabases(r *rows) {
	sessions := map[uint32]int{}
	for _, a := range r.Session.Activity() {
		sessions[a.DatabaseID]++
	}
	for _, d := range r.Catalog.Databases() {
		r.add(number(d.ID), text(r.DatabaseNames.Of(r.Catalog, d)), number(sessions[d.ID]))
	}
}
