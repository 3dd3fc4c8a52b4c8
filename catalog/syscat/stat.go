package syscat

import (
	"math"

	"zproxy/catalog"
	"zproxy/types"
)

// statCatalogs tell of tables and indexes what is known of their use, and who holds advisory
// locks. What is not counted is NULL.
func statCatalogs() []definition {
	tables, indexes := "relid schemaname relname n_live_tup", "relid indexrelid schemaname relname indexrelname"
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
			name: "pg_locks", rows: advisoryLocks, columns: "database classid objid objsubid pid mode granted",
			fixed: map[string]types.Value{"locktype": text("advisory"), "fastpath": boolean(false)},
		},
	}
}

func (r *rows) systemTables() {
	for _, v := range r.Catalog.Virtuals() {
		if v.Kind == catalog.TableKind {
			r.add(number(v.ID), text(v.Schema), text(v.Name), types.Null)
		}
	}
}

func userTables(r *rows) {
	for _, t := range r.Catalog.Tables() {
		live := types.Null
		if t.Stats.Known {
			live = types.NewInt(int64(math.Round(t.Stats.Rows)))
		}
		r.add(number(t.ID), text(t.Schema), text(t.Name), live)
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
	r.add(number(r.Catalog.Database().ID), text(r.Database), number(len(r.Session.Activity())))
}

// AdvisoryLock is an advisory lock that a session has or waits for. Pair says that its key was
// given as two numbers.
type AdvisoryLock struct {
	PID                   uint32
	Key                   int64
	Pair, Shared, Granted bool
}

// advisoryLocks shows the halves of a key as classid and objid, and how many numbers it was
// given as in objsubid.
func advisoryLocks(r *rows) {
	for _, l := range r.Session.AdvisoryLocks() {
		numbers, mode := 1, "ExclusiveLock"
		if l.Pair {
			numbers = 2
		}
		if l.Shared {
			mode = "ShareLock"
		}
		r.add(number(r.Catalog.Database().ID), number(uint32(uint64(l.Key)>>32)), number(uint32(l.Key)),
			number(numbers),
			number(l.PID), text(mode), boolean(l.Granted))
	}
}
