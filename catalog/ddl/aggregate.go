package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// aggregates runs the statements about aggregates alone. The others are about functions, too.
type aggregates struct{ *Definer }

func (d aggregates) create(ctx context.Context, tree *ast.CreateAggregate) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, err := d.SchemaFor(ctx, change.Snap, ast.Name{Schema: tree.Name.Schema, Name: tree.Name.Name, Pos: -1})
	if err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	f, unknown, err := define.Routines{Builder: d.Builder(ctx, snap)}.Aggregate(tree, schema)
	for _, name := range unknown {
		w := sqlerr.Warn(sqlerr.SyntaxError, "aggregate attribute \"%s\" not recognized", name)
		if failed := d.Notice(w); failed != nil {
			return failed
		}
	}
	if err == nil {
		err = d.mayUseFunctions(snap, f)
	}
	if err != nil {
		return err
	}
	f.Rights = privilege.New(snap, f, d.Role)
	if old := snap.Function(schema, f.Name, f.ArgTypes()); old != nil {
		replaced := &ast.CreateRoutine{Name: tree.Name, Replace: tree.Replace}
		if err := routines(d).replaces(snap, replaced, old, f); err != nil {
			return err
		}
		f.ID, f.Version, f.Comment, f.Rights = old.ID, old.Version+1, old.Comment, old.Rights
		return d.Txn.Put(ctx, f)
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	f.ID = uint32(id)
	return d.Txn.Put(ctx, f)
}

// mayUseFunctions wants the role to have the right to call the functions that an aggregate is made of.
func (d aggregates) mayUseFunctions(snap *catalog.Snapshot, f *catalog.Function) error {
	for _, id := range f.Aggregate.Functions() {
		of := snap.FunctionByID(id)
		if of == nil {
			continue
		}
		if have, _ := snap.Privileges(d.Role, of); have&catalog.MayExecute == 0 {
			return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", of.Kind(), of.Name)
		}
	}
	return nil
}

// madeOf says whether an aggregate is made of a function.
func madeOf(f *catalog.Function, id uint32) bool {
	return f.Aggregate != nil && slices.Contains(f.Aggregate.Functions(), id)
}
