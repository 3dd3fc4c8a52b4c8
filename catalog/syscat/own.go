package syscat

import (
	"slices"
	"strconv"

	"zproxy/catalog"
	"zproxy/expr/builtin/system"
	"zproxy/optimizer/cost"
	"zproxy/types"
)

// ownRelationsText has zproxy's own relations, as relationsText has PostgreSQL's. Their
// numbers are below those of users' relations, where PostgreSQL has none.
const ownRelationsText = `9010 zproxy indexes v
	schemaname name !
	tablename name !
	indexname name !
	method text !
	is_primary bool !
	is_unique bool !
	columns _text !
	included _text !
	covers_all bool !
	layout text !
	dimensions _text
	search_space text
	state text !
	entries int8
	bytes int8
	insert_items int4
	update_items int4
	delete_items int4
	insert_units float8
	update_units float8
	delete_units float8
	definition text !
`

func ownRelations() []*catalog.Virtual {
	return readRelations(ownRelationsText + ownStatementsText + ownBuildsText + ownHeatText + ownColdText +
		ownCorrectionsText)
}

// ownCatalogs are what zproxy tells of itself.
func ownCatalogs() []definition {
	return []definition{{
		schema: ownSchema, name: "indexes", rows: ownIndexes,
		columns: "schemaname tablename indexname method is_primary is_unique columns included covers_all layout dimensions search_space state entries bytes " +
			"insert_items update_items delete_items insert_units update_units delete_units definition",
	}}
}

func ownIndexes(r *rows) {
	waiting := r.queuedBuilds()
	for _, t := range r.Catalog.Tables() {
		for _, x := range t.TableIndexes() {
			r.ownIndex(x, waiting)
		}
		for i := range t.Indexes {
			if t.Foreign != nil { // they are no relations of SQL's
				r.ownIndex(catalog.TableIndex{Table: t, Index: &t.Indexes[i]}, waiting)
			}
		}
	}
}

// ownIndex adds an index. How many entries it has is known once ANALYZE has counted the rows.
func (r *rows) ownIndex(x catalog.TableIndex, waiting map[uint32]bool) {
	t, ref := x.Table, x.Ref()
	var keys, included []string
	for _, c := range x.Columns() {
		name := columnName(t, c.ID)
		if c.Included {
			included = append(included, name)
		} else {
			keys = append(keys, name)
		}
	}
	layout, unique, covers := &t.Primary, true, true
	kept := t.ID // the primary key is the table itself
	size, state := types.Null, x.State().String()
	if x.Index != nil {
		kept = ref.ID
		layout, unique, covers = &x.Index.Layout, x.Index.Unique, x.Index.Covers
	}
	if waiting[ref.ID] {
		state = queued
	}
	entries := types.Null
	if t.Stats.Known {
		entries = types.NewInt(int64(max(knownEntries(x), 0)))
	}
	if o := r.Objects.Object("pg_class", kept); o != nil && o.Relation != nil && o.Relation.Bytes != nil {
		if n, err := o.Relation.Bytes(); err == nil {
			size = types.NewInt(n)
		}
	}
	dimensions, space := types.Null, types.Null
	if list, bits := t.DescribeDimensions(layout); list != nil {
		dimensions, space = texts(types.OIDText, list), text("2^"+strconv.Itoa(bits))
	}
	definition := ""
	if o := r.Objects.Object("pg_class", ref.ID); o != nil && o.Definition != nil {
		definition = o.Definition(system.Layout{})
	}
	row := []types.Value{text(ref.Schema), text(t.Name), text(ref.Name), text(string(x.Method())),
		boolean(x.Index == nil), boolean(unique),
		texts(types.OIDText, keys), texts(types.OIDText, included), boolean(covers), text(t.Describe(layout)),
		dimensions, space, text(state), entries, size}
	r.add(append(append(row, r.upkeep(x)...), text(definition))...)
}

// upkeep is what an index costs for each row that is written, with units where the store is charged by them. What
// the table allows no statement to do is NULL; another program's table tells nothing of it.
func (r *rows) upkeep(x catalog.TableIndex) []types.Value {
	out := slices.Repeat([]types.Value{types.Null}, 6)
	if x.Table.Foreign != nil {
		return out
	}
	u := cost.UpkeepOf(x.Table, x.Index, r.Store)
	for i, w := range []cost.Writes{u.Insert, u.Update, u.Delete} {
		if w.Never {
			continue
		}
		if out[i] = types.NewInt(int64(w.Items)); r.Store.Units {
			out[3+i] = types.NewFloat(w.Units)
		}
	}
	return out
}

func columnName(t *catalog.Table, id uint32) string {
	if i := t.Ordinal(id); i >= 0 {
		return t.Columns[i].Name
	}
	return ""
}
