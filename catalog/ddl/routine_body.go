package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
	"zproxy/planner/sqlbody"
	"zproxy/sqlerr"
)

// configure changes the settings with which a function runs.
func (d routines) configure(f *catalog.Function, list []*ast.Set) (err error) {
	for _, set := range list {
		if f.Settings, err = d.Configure(f.Settings, set); err != nil {
			return err
		}
	}
	return nil
}

// checkBody checks the body of a function, with its literals as the session reads them.
func (d routines) checkBody(ctx context.Context, tree *ast.CreateRoutine, f *catalog.Function) error {
	checked, err := *f, error(nil)
	if !f.Statements {
		if checked.Body, err = d.Conform(f.Body); err != nil {
			return err
		}
	} else if err = refuseUtilities(f); err != nil {
		return err
	}
	err = define.Routines{Builder: d.Builder(ctx, d.Txn.Changed().Snap)}.CheckBody(tree, &checked)
	f.Uses = checked.Uses
	return err
}

// refuseUtilities refuses statements that a body in SQL's own syntax cannot have.
func refuseUtilities(f *catalog.Function) error {
	list, err := sqlbody.Parse(f)
	if err != nil {
		return err
	}
	for i := range list {
		switch tree := list[i].Statement.(type) {
		case *ast.Select, *ast.Insert, *ast.Update, *ast.Delete, *ast.Merge:
		default:
			return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not yet supported in unquoted SQL function body",
				CommandName(tree))
		}
	}
	return nil
}
