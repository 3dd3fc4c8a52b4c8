// Package explain writes plans as EXPLAIN does: in PostgreSQL's format, as text, JSON, XML or YAML, with the access
// path of each table, its estimated cost and its actual cost. It reads plans and profiles of runs, and changes
// neither; prices come from package cost. Read Options.Describe first: it makes a tree of titles and properties,
// which format.go prints in each format.
package explain
