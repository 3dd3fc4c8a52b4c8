// Package syscat is the system's own relations: pg_catalog and information_schema as
// PostgreSQL 15 has them, and zproxy's views. They are virtual: the ordinary engine reads
// them like tables, and their rows are computed from the catalog of the transaction.
//
// Which relations there are, with which columns, is in relations.txt, which is recorded
// from PostgreSQL. A definition says what is in one of them; a relation without one is
// empty.
package syscat

import (
	"fmt"
	"iter"
	"strings"
	"sync"

	"zproxy/catalog"
	"zproxy/types"
)

// Relations is the relations of the system and how their rows come about.
type Relations struct {
	system  *catalog.System
	sources map[uint32]*filled

	known        map[string]map[uint32]string // see knownObjects
	forms        map[types.OID]form
	indexClasses map[operatorClass]uint32
	comments     map[part]string
	classes      map[string]uint32 // OIDs of the relations of pg_catalog
}

// filled is a relation with its definition.
type filled struct {
	definition
	ordinals []int           // of the columns that the definition gives values for
	others   []types.Value   // what the columns are that it gives no values for
	recorded [][]types.Value // rows that are the same in every database
}

// definition is what is in a relation.
type definition struct {
	schema, name string // of the relation; an empty schema is pg_catalog
	// columns are those that rows add values for, in that order, between spaces. Those
	// of the recorded rows, if there are any, stand before them.
	columns string
	// fixed are columns that are the same in every row. A column that is neither is NULL, or
	// where it cannot be, what its type has for nothing.
	fixed map[string]types.Value
	key   string // the column by which rows can be computed alone; empty: there is none
	rows  func(r *rows)
	query string // in the place of rows: what makes them, over other relations
}

// All are the relations of every database: they say how rows are computed, and have none.
func All() *Relations { return all() }

// all is made when it is first asked for, since it takes some milliseconds.
var all = sync.OnceValue(newRelations)

func newRelations() *Relations {
	known := make(map[string]definition)
	for _, d := range definitions() {
		if d.schema == "" {
			d.schema = catalog.PgCatalogName
		}
		name := d.schema + "." + d.name
		if _, twice := known[name]; twice {
			panic("syscat: two definitions of " + name)
		}
		known[name] = d
	}
	r := &Relations{sources: map[uint32]*filled{}}
	static := readStatic()
	relations := append(recorded(), ownRelations()...)
	for _, v := range relations {
		d := known[v.Schema+"."+v.Name]
		delete(known, v.Schema+"."+v.Name)
		v.Query, v.Rows, v.Key = d.query, expectedRows(v.Name), columnNamed(v, d.key)
		r.sources[v.ID] = fill(v, d, static[v.Name])
	}
	r.known = r.knownObjects()
	r.forms = typeForms(r.sources[pgTypeID])
	r.comments, r.classes = recordedComments(r.sources[pgDescriptionID]), map[string]uint32{}
	for _, v := range relations {
		if v.Schema == catalog.PgCatalogName {
			r.classes[v.Name] = v.ID
		}
	}
	r.indexClasses = indexClasses(r.sources[pgOpclassID])
	for name := range known {
		panic("syscat: no relation " + name)
	}
	r.system = catalog.NewSystem(systemSchemas(), relations)
	return r
}

// The OIDs of the catalogs that others are computed from.
const (
	pgTypeID    = 1247
	pgOpclassID = 2616

	pgLanguageID = 2612

	pgDescriptionID = 2609
)

// expectedRows is how many rows a relation is thought to have in a database of some hundred
// tables, for the choice between plans.
func expectedRows(name string) float64 {
	switch name {
	case "pg_attribute":
		return 5000
	case "pg_depend", "pg_description", "pg_proc":
		return 3000
	case "pg_class", "pg_constraint", "pg_attrdef", "pg_index":
		return 1000
	case "pg_namespace", "pg_authid", "pg_auth_members", "pg_db_role_setting", "pg_am", "pg_language":
		return 20
	case "pg_database", "pg_tablespace":
		return 4
	}
	return 300
}

// System is what snapshots are to lie over.
func (r *Relations) System() *catalog.System { return r.system }

// Rows computes the rows of a relation, as a session sees them. A row is reused for the next
// one. With keys, which are values of the relation's key, rows of others may be left out.
func (r *Relations) Rows(v *catalog.Virtual, s *Source, keys []uint32) iter.Seq2[types.Row, error] {
	return func(yield func(types.Row, error) bool) {
		f := r.sources[v.ID]
		if f == nil {
			yield(nil, fmt.Errorf("nothing is known of relation %d", v.ID))
			return
		}
		if f.rows == nil {
			return
		}
		out := &rows{Source: s, relations: r, filled: f, row: append(types.Row(nil), f.others...), yield: yield}
		if keys != nil {
			out.keys = map[uint32]bool{}
			for _, k := range keys {
				out.keys[k] = true
			}
		}
		f.definition.rows(out)
		if out.err != nil && !out.done {
			yield(nil, out.err)
		}
	}
}

// rows takes the rows of one relation.
type rows struct {
	*Source
	*filled
	relations *Relations
	row       types.Row
	keys      map[uint32]bool // nil: all are wanted
	yield     func(types.Row, error) bool
	done      bool // no more rows are wanted
	err       error
}

// wants says whether rows with a key are wanted.
func (r *rows) wants(key uint32) bool {
	return !r.done && r.err == nil && (r.keys == nil || r.keys[key])
}

// add delivers a row of values for the definition's columns.
func (r *rows) add(values ...types.Value) {
	if r.done || r.err != nil {
		return
	}
	if len(values) != len(r.ordinals) {
		r.err = fmt.Errorf("%s: %d values for %d columns", r.name, len(values), len(r.ordinals))
		return
	}
	for i, v := range values {
		r.row[r.ordinals[i]] = v
	}
	r.done = !r.yield(r.row, nil)
}

// fill finds the columns of a definition in its relation.
func fill(v *catalog.Virtual, d definition, static *staticRows) *filled {
	if static != nil {
		d.columns = static.columns + " " + d.columns
	}
	f := &filled{definition: d, others: make([]types.Value, len(v.Columns))}
	for i, c := range v.Columns {
		if c.NotNull {
			f.others[i] = nothing(c.Type)
		}
	}
	for name, value := range d.fixed {
		f.others[mustColumn(v, name)] = value
	}
	for name := range strings.FieldsSeq(d.columns) {
		f.ordinals = append(f.ordinals, mustColumn(v, name))
	}
	if static == nil {
		return f
	}
	var of []types.T
	for _, ordinal := range f.ordinals[:len(strings.Fields(static.columns))] {
		of = append(of, v.Columns[ordinal].Type)
	}
	for _, line := range static.lines {
		f.recorded = append(f.recorded, parseStatic(line, of))
	}
	return f
}

// names are the columns that the definition gives values for.
func (f *filled) names() []string { return strings.Fields(f.columns) }

func mustColumn(v *catalog.Virtual, name string) int {
	if i := columnNamed(v, name); i >= 0 {
		return i
	}
	panic(fmt.Sprintf("syscat: %s.%s has no column %q", v.Schema, v.Name, name))
}

func columnNamed(v *catalog.Virtual, name string) int {
	for i, c := range v.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// nothing is what a column that cannot be NULL has when there is nothing to say.
func nothing(t types.T) types.Value {
	info := types.InfoOf(t.OID)
	switch {
	case info.Element != types.OIDInvalid:
		return types.NewItems(info.Element, nil)
	case info.Kind == types.KindBool:
		return types.NewBool(false)
	case info.Kind == types.KindInt:
		return types.NewInt(0)
	case info.Kind == types.KindFloat:
		return types.NewFloat(0)
	case info.Kind == types.KindText:
		return types.NewText("")
	}
	return types.Null
}
