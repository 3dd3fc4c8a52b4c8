// Package define makes values of the catalog from the syntax trees of statements: a new object, or a new version of
// one, with all its options, keys and expressions. It reads no rows and has no transaction: `catalog/ddl` and
// `session` store what it makes, and write the rows.
//
// Read `Builder` and `Alter` first, then table.go, column.go, key.go and layout.go. There is a file for each kind
// of object and of options, with both its CREATE and its ALTER.
package define

import (
	"zproxy/catalog"
	"zproxy/planner"
	"zproxy/sqlerr"
)

// IDs gives numbers to new objects and spaces, each one once.
type IDs func() (uint64, error)

// Builder makes objects of the catalog that its planner goes by.
type Builder struct {
	*planner.Planner
	Limits Limits
	Next   IDs
	// Tell takes notices; nil: nothing does.
	Tell func(*sqlerr.Error) error
}

// number gives an object its number, and the space that its items are in.
func (b Builder) number(id *uint32, space *catalog.Space, words ...string) error {
	n, err := b.Next()
	if err != nil {
		return err
	}
	*id = uint32(n)
	*space = catalog.NewSpace(n, words...)
	return nil
}
