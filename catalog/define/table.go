package define

import (
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/curve"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// NewTable is a table that is being made, with the sequences of its columns.
type NewTable struct {
	*catalog.Table
	Sequences  []*catalog.Sequence
	Statistics []*catalog.Statistics
	// Hosts, if not nil, is the next version of the table whose space the rows lie in.
	Hosts *catalog.Table
	// conflicts are the columns of which parents have different defaults.
	conflicts []string

	by     Builder
	keys   keyOptions
	parent interleaving
}

// CreateTable makes the table that a CREATE TABLE describes, with the indexes of its
// UNIQUE constraints. Nothing is stored yet.
func (b Builder) CreateTable(s *ast.CreateTable, schema string) (*NewTable, error) {
	s = withoutDuplicates(s)
	t := b.newTable(schema, s.Table.Name)
	if err := t.setOptions(s.Options); err != nil {
		return nil, err
	}
	if err := b.number(&t.ID, &t.Space, t.Schema, t.Name); err != nil {
		return nil, err
	}
	if s.PartitionBy != nil && len(s.Inherits) > 0 {
		return nil, sqlerr.New(sqlerr.InvalidObjectDefinition, "cannot create partitioned table as inheritance child")
	}
	like, err := t.addColumns(s)
	if err != nil {
		return nil, err
	}
	if s, err = like.key(t, s); err != nil {
		return nil, err
	}
	if err := t.primaryKey(s); err != nil {
		return nil, err
	}
	if err := live(t, s.Options, time.Time{}); err != nil {
		return nil, err
	}
	if err := loosen(t, s.Options, nil); err != nil {
		return nil, err
	}
	if err := timed(t, s.Options, time.Time{}); err != nil {
		return nil, err
	}
	if err := t.generate(s.Columns); err != nil {
		return nil, err
	}
	if err := t.divide(s.PartitionBy); err != nil {
		return nil, err
	}
	if err := scheduled(t.Table, s.Options); err != nil {
		return nil, err
	}
	if err := staysInterleaved(t.Table); err != nil {
		return nil, err
	}
	if err := like.inheritChecks(t); err != nil {
		return nil, err
	}
	for _, c := range s.Checks {
		if err := (heir{t}).addOwnCheck(c); err != nil {
			return nil, err
		}
	}
	for _, u := range s.Uniques {
		if err := t.addUnique(u); err != nil {
			return nil, err
		}
	}
	if err := like.constraints(t); err != nil {
		return nil, err
	}
	if err := b.LearnKey(t.Table, curve.Rows{}); err != nil {
		return nil, err
	}
	t.Version = 1
	return t, nil
}

// newTable is a table without columns.
func (b Builder) newTable(schema, name string) *NewTable {
	t := &catalog.Table{Version: 1, Schema: schema, Name: name, Options: map[string]string{}}
	return &NewTable{Table: t, by: b}
}

// taken says whether a relation in the table's schema has a name.
func (t *NewTable) taken(name string) bool {
	return name == t.Name || name == t.PrimaryKey || t.Index(name) != nil ||
		t.by.Catalog.Relation(t.Schema, name) != nil ||
		slices.ContainsFunc(t.Sequences, func(q *catalog.Sequence) bool { return q.Name == name })
}

// maxColumns is how many columns a table has in PostgreSQL.
const maxColumns = 1600
