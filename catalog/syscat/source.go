package syscat

import (
	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/types"
)

// Source is what rows are computed from: the database as one session sees it.
type Source struct {
	Catalog  *catalog.Snapshot
	Env      *types.Env
	Objects  expr.Objects // what functions tell of objects, which relations tell too
	Database string
	// Bootstrap is the name by which the session calls the superuser that nobody has named.
	Bootstrap string
	Settings  []Setting
}

// Setting is a parameter of the session.
type Setting struct {
	Name, Value, Initial, Doc string
	Fixed                     bool
}
