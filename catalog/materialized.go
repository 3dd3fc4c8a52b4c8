package catalog

import "slices"

// MaterializedKind is the kind of materialized views.
const MaterializedKind Kind = "materialized view"

// Materialized is the query that fills a table, which is a materialized view.
type Materialized struct {
	Query View // of which the name, the options and the rights do not count
	// Empty says that the rows are still to be made.
	Empty bool `json:",omitempty"`
}

// Queries are all relations with a stored query, and their queries: views, and materialized views.
func Queries(s *Snapshot) (relations []Object, queries []*View) {
	for _, v := range s.Views() {
		relations, queries = append(relations, v), append(queries, v)
	}
	for _, t := range s.Tables() {
		if t.Materialized != nil {
			relations, queries = append(relations, t), append(queries, QueryOf(t))
		}
	}
	return relations, queries
}

// QueryOf is the query of a materialized view as a view in its stead.
func QueryOf(t *Table) *View {
	v := t.Materialized.Query
	v.ID, v.Schema, v.Name, v.Rights, v.Comment = t.ID, t.Schema, t.Name, t.Rights, t.Comment
	v.Columns = slices.Clone(v.Columns)
	for i := range v.Columns {
		if at := t.Ordinal(uint32(i + 1)); at >= 0 {
			v.Columns[i].Name = t.Columns[at].Name
		}
	}
	return &v
}
