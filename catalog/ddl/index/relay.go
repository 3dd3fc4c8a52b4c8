package index

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/define"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/store"
)

// Relay gives the rows of a table, or an index of it, other keys while others read and write: what has them is built
// like an index, and takes the place of what is there. It returns when that is done, and the build goes on if the
// client does not wait.
func (d *Definer) Relay(ctx context.Context, t *catalog.Table, replaced uint32, to *define.Relaid) error {
	if to.Index == nil {
		return nil
	}
	txn, err := d.Txn.Store(ctx, true)
	if err == nil {
		err = notReplaced(ctx, txn, t, func(b *catalog.Build) bool { return b.Replaces == replaced })
	}
	if err != nil {
		return err
	}
	x, err := d.replacement(ctx, t, to.Index)
	if err != nil {
		return err
	}
	return d.startBuild(ctx, t.WithNewIndex(x), &catalog.Build{Index: x.ID, Goal: catalog.Readable, Replaces: replaced,
		Options: to.Options}, true)
}

// relays says whether a build gives a table or an index other keys.
func relays(b *catalog.Build) bool { return b.Options != nil }

// notReplaced refuses what cannot be done while a build of a kind replaces the rows of a table, or an index.
func notReplaced(ctx context.Context, txn store.Txn, t *catalog.Table, kind func(*catalog.Build) bool) error {
	for i := range t.Indexes {
		if t.Indexes[i].State.Reads() {
			continue
		}
		b, err := catalogstore.ReadBuild(ctx, txn, t.Indexes[i].ID)
		if err != nil {
			return err
		}
		if b != nil && !b.Ended() && b.Replaces != 0 && kind(b) {
			return sqlerr.New(sqlerr.ObjectInUse, "the keys of table %q are being changed already", t.Name).
				WithHint("SELECT * FROM zproxy.index_builds shows how far that is.")
		}
	}
	return nil
}

// relayIndex runs ALTER INDEX ... SET and RESET of options that make keys.
func (d *Definer) relayIndex(ctx context.Context, t *catalog.Table, x *catalog.Index, cmd ast.AlterCommand) error {
	if err := d.Block.NotIn("ALTER INDEX ... SET (" + cmd.Options[0].Name + ")"); err != nil {
		return err
	}
	b := d.Builder(ctx, d.Schema())
	to, err := b.RelayIndex(t, x, cmd.Options, cmd.Kind == ast.SetOptions)
	if err != nil {
		return err
	}
	return d.Relay(ctx, t, x.ID, to)
}
