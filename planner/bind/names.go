package bind

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Names finds relations and types by their names, and notes what the statement wants to do with them.
type Names struct {
	Catalog    *catalog.Snapshot
	SearchPath []string
	Temporary  string // the schema that pg_temp stands for; empty: there is none
	// Role is whose rights to use schemas count; 0: they do not count.
	Role uint32
	// Bound is the role on whom policies of row security bear, 0: they bear on no role. Whole says that what they would
	// leave out is an error.
	Bound uint32
	Whole bool
	// Needs is what the statement wants to do with relations, known after planning.
	Needs []*Need

	as   uint32                       // the owner of the view whose query is bound; 0: outside of views
	rows map[uint32]*types.Definition // of relations, that types have met
	Uses *[]catalog.Use               // takes the relations that are named; nil: they are not taken
	// noted takes what the names in a text that is stored stand for; nil: they are not taken.
	noted *catalog.Literals
	// meant is what names in a stored text stood for when it was stored. Others are looked for in all schemas.
	meant []catalog.Named
	// stepsOf is the aggregate whose functions are bound, nil: none is.
	stepsOf *catalog.Function
	// present is the catalog as it is, within a view, whose Catalog is of when it was made; nil: Catalog is that.
	present *catalog.Snapshot
}

// Acting is the role on which policies bear where something is bound: within a view its owner. 0: they bear on none.
func (n *Names) Acting() uint32 {
	if n.Bound == 0 {
		return 0
	}
	return cmp.Or(n.as, n.Bound)
}

// ActingAs has another role act until the function that it gives is called.
func (n *Names) ActingAs(role uint32) (end func()) {
	was := n.as
	n.as = role
	return func() { n.as = was }
}

// Relation finds what a name stands for along the search path, nil when there is nothing.
// A schema that is named must be one that the role may use.
func (n *Names) Relation(name ast.Name) (catalog.Relation, error) {
	path, err := usablePath(n, name.Schema)
	if err != nil {
		return nil, err
	}
	for _, schema := range path {
		if r := n.Catalog.Relation(schema, name.Name); r != nil {
			n.used(r)
			return r, nil
		}
	}
	return nil, nil
}

// usablePath are the schemas in which a name is looked for that has a schema, which the role must be allowed to use, or
// none.
func usablePath(n *Names, schema string) ([]string, error) {
	if schema == "" {
		return n.SearchPath, nil
	}
	if schema == ast.TemporarySchema {
		schema = n.Temporary
	}
	if schema == "" { // there is none
		return nil, nil
	}
	return []string{schema}, n.mayUse(schema)
}

// used notes a relation that a stored query names.
func (n *Names) used(r catalog.Relation) {
	if n.Uses == nil {
		return
	}
	ref := r.Ref()
	same := func(u catalog.Use) bool { return u.Schema == ref.Schema && u.Name == ref.Name }
	if slices.ContainsFunc(*n.Uses, same) {
		return
	}
	u := catalog.Use{ID: ref.ID, Schema: ref.Schema, Name: ref.Name}
	switch r.(type) {
	case *catalog.Table, *catalog.View:
		for c := range ColumnsOf(r) {
			u.Columns = append(u.Columns, c)
		}
	}
	*n.Uses = append(*n.Uses, u)
}

// HasSchema says whether there is a schema that a function may be in.
func (n *Names) HasSchema(name string) bool {
	if name == ast.TemporarySchema {
		name = n.Temporary
	}
	return n.Catalog.Schema(name) != nil || builtin.HasSchema(name)
}

// Table finds a table by name along the search path.
func (n *Names) Table(name ast.Name) (*catalog.Table, error) {
	r, err := n.Relation(name)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *catalog.Table:
		return r, nil
	case nil:
		return nil, NoRelation(name)
	case *catalog.Virtual:
		return nil, SystemRelation(r)
	case catalog.TableIndex:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is an index", name.Name)
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a table", name.Name)
	}
}

// Dotted is a name as errors show it.
func Dotted(n ast.Name) string {
	if n.Schema != "" {
		return n.Schema + "." + n.Name
	}
	return n.Name
}

// NoRelation is the error for a name that stands for no relation.
func NoRelation(n ast.Name) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedTable, "relation %q does not exist", Dotted(n))
}

// SystemRelation is the error about changing a relation of the system.
func SystemRelation(v *catalog.Virtual) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied: %q is a system catalog", v.Name)
}

// AsOf has names mean what they meant when a view was made, and its owner's rights count unless it has those around
// it count, until the function that it gives is called. Some tables may be given others' place.
func (n *Names) AsOf(v *catalog.View, instead []*catalog.Table) (end func()) {
	as, then := n.as, n.AsMeant(v.Uses, v.Path, instead)
	if !v.On(catalog.SecurityInvoker) {
		n.as = v.OwnerID()
	}
	return func() {
		then()
		n.as = as
	}
}

// AsMeant has names mean what they meant when a text was stored, until the function that it gives is called.
func (n *Names) AsMeant(uses []catalog.Use, path []string, instead []*catalog.Table) (end func()) {
	was := *n
	n.present = n.Present()
	n.Catalog, n.SearchPath, n.Uses, n.rows, n.Role = was.Catalog.As(uses, instead...), path, nil, nil, 0
	n.noted, n.meant = nil, nil
	return func() {
		n.Catalog, n.SearchPath, n.Uses, n.rows, n.Role = was.Catalog, was.SearchPath, was.Uses, was.rows, was.Role
		n.present, n.noted, n.meant = was.present, was.noted, was.meant
	}
}

// Present is the catalog as it is, also within a view. What is stored with tables is read by it.
func (n *Names) Present() *catalog.Snapshot {
	if n.present != nil {
		return n.present
	}
	return n.Catalog
}
