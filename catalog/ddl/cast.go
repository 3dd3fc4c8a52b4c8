package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define/plain"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/types"
)

// casts runs the statements about casts alone.
type casts struct{ *Definer }

func (d casts) create(ctx context.Context, tree *ast.CreateCast) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	b := plain.Casts{Builder: d.Builder(ctx, change.Snap)}
	p, err := b.Cast(tree, d.Superuser(), d.Notice)
	if err == nil {
		err = plains(d).mayUseFunctions(p)
	}
	if err != nil {
		return err
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	p.ID = uint32(id)
	return d.Txn.Put(ctx, p)
}

// named finds the cast that a statement names, which the present role must own.
func (d casts) named(snap *catalog.Snapshot, s *ast.Signature) (*catalog.Plain, error) {
	b := plain.Casts{Builder: d.Builder(context.Background(), snap)}
	of, err := b.Between(s.Args[0], s.Args[1])
	if err != nil {
		return nil, err
	}
	p := snap.Cast(of[0].Number(), of[1].Number())
	switch {
	case p == nil && plain.BuiltInCast(of):
		return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot drop cast from %s to %s because it is required by the database system", of[0].Bare(), of[1].Bare())
	case p == nil:
		return nil, sqlerr.New(sqlerr.UndefinedObject, "cast from type %s to type %s does not exist", of[0].Bare(),
			of[1].Bare())
	}
	for _, t := range of {
		if o, _ := snap.TypeOf(t.Number()); o != nil && snap.Owns(d.Role, o) {
			return p, nil
		}
	}
	if d.Superuser() {
		return p, nil
	}
	return nil, statement.Denied("must be owner of type %s or type %s", of[0].Bare(), of[1].Bare())
}

// describe names a cast.
func (d casts) describe(snap *catalog.Snapshot, p *catalog.Plain) string {
	list := routines(d)
	return "cast from " + list.typeList(snap, []types.OID{p.Cast.From}, "") + " to " +
		list.typeList(snap, []types.OID{p.Cast.To}, "")
}
