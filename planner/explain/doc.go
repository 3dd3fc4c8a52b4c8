// Package explain tells of plans as EXPLAIN does: in PostgreSQL's shape, as text, JSON, XML or YAML, with how
// each table is read, what that is thought to cost and what it did cost. It reads plans and profiles of
// runs, and changes neither; prices come from package cost. Read Options.Describe first: it makes a tree of
// titles and properties, which format.go prints in each form.
package explain
