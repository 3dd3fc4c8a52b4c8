package syscat

import (
	"math"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/types"
)

// ownBuildsText has the builds of indexes, see ownRelationsText.
const ownBuildsText = `9012 zproxy index_builds v
	schemaname name !
	tablename name !
	indexname name !
	state text !
	goal text !
	phase text !
	rows_done int8 !
	rows_total int8
	rows_per_second float8
	seconds_left float8
	rate_limit int8
	started timestamptz !
	sqlstate text
	error text
	detail text
`

// buildCatalogs are those that tell of builds of indexes.
func buildCatalogs() []definition {
	return []definition{
		{
			schema: ownSchema, name: "index_builds", rows: indexBuilds,
			columns: "schemaname tablename indexname state goal phase rows_done rows_total rows_per_second seconds_left rate_limit started sqlstate error detail",
		},
		{
			name: "pg_stat_progress_create_index", rows: progress,
			columns: "datid pid datname relid index_relid command phase tuples_total tuples_done",
		},
	}
}

// eachBuild visits the builds whose indexes are there.
func (r *rows) eachBuild(visit func(b *catalog.Build, x catalog.TableIndex)) {
	builds, err := r.Builds()
	if err != nil {
		r.err = err
		return
	}
	for _, b := range builds {
		if x, ok := r.Catalog.Numbered(b.Index).(catalog.TableIndex); ok && x.Index != nil {
			visit(b, x)
		}
	}
}

// queued is what the state of an index is called whose build has yet to take its first step.
const queued = "queued"

// queuedBuilds are the indexes whose builds have yet to take their first step. Builds are read only where an index
// may have one.
func (r *rows) queuedBuilds() map[uint32]bool {
	out := map[uint32]bool{}
	idle := func(x catalog.Index) bool { return x.State == catalog.Disabled }
	if !slices.ContainsFunc(r.Catalog.Tables(), func(t *catalog.Table) bool {
		return slices.ContainsFunc(t.Indexes, idle)
	}) {
		return out
	}
	r.eachBuild(func(b *catalog.Build, x catalog.TableIndex) { out[b.Index] = b.Queued(x.State()) })
	return out
}

// indexBuilds tells of builds that go on, and of those that have failed: their indexes are
// disabled until they are built again or dropped.
func indexBuilds(r *rows) {
	r.eachBuild(func(b *catalog.Build, x catalog.TableIndex) {
		goal, phase, state := "public", x.State().Phase(), x.State().String()
		if b.Queued(x.State()) {
			state = queued
		}
		switch {
		case b.Drop:
			goal = "absent"
		case b.Goal != catalog.Readable:
			goal = b.Goal.String()
		}
		switch {
		case b.Failed != "":
			phase = "failed"
		case b.Goal != catalog.Readable:
			phase = "waiting for writers before removal"
		}
		total, rate, left := types.Null, types.Null, types.Null
		if b.Total > 0 {
			total = types.NewInt(b.Total)
		}
		if seconds := time.Since(time.Unix(b.Started, 0)).Seconds(); seconds > 0 && b.Done > 0 && b.Failed == "" {
			perSecond := float64(b.Done) / seconds
			rate = types.NewFloat(math.Round(perSecond))
			if b.Total > 0 {
				left = types.NewFloat(math.Round(math.Max(float64(b.Total-b.Done), 0) / perSecond))
			}
		}
		limit := types.Null
		if b.Most.Rows > 0 {
			limit = types.NewInt(b.Most.Rows)
		}
		ref := x.Ref()
		r.add(text(ref.Schema), text(x.Table.Name), text(ref.Name), text(state), text(goal), text(phase),
			types.NewInt(b.Done), total, rate, left, limit, moment(time.Unix(b.Started, 0)), textOrNull(b.Code),
			textOrNull(b.Failed), textOrNull(b.Detail))
	})
}

// progress tells of builds that go on, as PostgreSQL does: of those of sessions, and their checks, and of those
// in the background, which have no session.
func progress(r *rows) {
	for _, a := range r.Session.Activity() {
		switch p := a.Index; {
		case p == nil:
		case a.Hidden:
			null := types.Null
			r.add(number(a.DatabaseID), number(a.PID), text(a.Database), null, null, null, null, null, null)
		default:
			r.add(number(a.DatabaseID), number(a.PID), text(a.Database), number(p.Relation), number(p.Index),
				text(p.Command), text(p.Phase), types.NewInt(p.Total), types.NewInt(p.Done))
		}
	}
	r.eachBuild(func(b *catalog.Build, x catalog.TableIndex) {
		if b.Ended() || b.Goal != catalog.Readable {
			return
		}
		command := "CREATE INDEX CONCURRENTLY"
		if b.Replaces != 0 {
			command = "REINDEX CONCURRENTLY"
		}
		r.add(number(r.Catalog.Database().ID), number(0), text(r.Database), number(x.Table.ID), number(b.Index),
			text(command), text(x.State().Phase()),
			types.NewInt(b.Total), types.NewInt(b.Done))
	})
}
