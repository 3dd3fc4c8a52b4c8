// Package define makes values of the catalog of what statements define: of a syntax tree and the catalog, the new
// object, or the new version of one, with everything that its options, keys and expressions say. It reads no rows and
// has no transaction: `catalog/ddl` and `session` keep what it makes, and fill it.
//
// Read `Builder` and `Alter` first, then table.go, column.go, key.go and layout.go. There is a file for each kind of
// object and of options, with what CREATE and what ALTER makes of it.
package define

import (
	"zproxy/catalog"
	"zproxy/planner"
)

// IDs gives numbers to new objects and spaces, each one once.
type IDs func() (uint64, error)

// Builder makes objects of the catalog that its planner goes by.
type Builder struct {
	*planner.Planner
	Limits Limits
	Next   IDs
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
