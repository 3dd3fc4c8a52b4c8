package index

import (
	"context"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/catalogstore"
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/store"
)

// inBackground tells that a build goes on by itself.
func inBackground(index string) *sqlerr.Error {
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, "index %q is being built in the background", index).
		WithHint("SELECT * FROM zproxy.index_builds shows how far it is. Queries use the index when it is done.")
}

// startBuild keeps a build with its table, commits, and begins it. It may wait for the end.
func (d *Definer) startBuild(ctx context.Context, t *catalog.Table, b *catalog.Build, wait bool) error {
	b.Table, b.Total, b.Started = t.ID, int64(d.rowsOf(ctx, t)), time.Now().Unix()
	b.Most.Rows, b.Owner = d.BuildRate, d.Node.MemberID()
	b.Most.Units = buildUnits(d)
	if err := d.Txn.AloneHere(ctx, t); err != nil {
		return err
	}
	if err := d.Txn.Put(ctx, t); err != nil {
		return err
	}
	txn, err := d.Txn.Store(ctx, true)
	if err == nil {
		err = followOn(ctx, txn, t, b)
	}
	if err == nil {
		err = catalogstore.PutBuild(txn, b)
	}
	if err == nil {
		err = d.Block.Commit(ctx)
	}
	if err != nil {
		return err
	}
	ended := d.Builds.Begin(b.Index)
	if !wait {
		return nil
	}
	return d.Await(ctx, b.Index, ended)
}

// passing is the build of an index that will be no more when it has ended: it goes, or takes the
// place of another one. nil: that is not what becomes of the index.
func passing(ctx context.Context, txn store.Txn, index uint32) (*catalog.Build, error) {
	b, err := catalogstore.ReadBuild(ctx, txn, index)
	if err != nil || b == nil || b.Ended() || b.Replaces == 0 && !b.Drop {
		return nil, err
	}
	return b, nil
}

// followOn makes a build that of an index of which another one may not have ended.
func followOn(ctx context.Context, txn store.Txn, t *catalog.Table, b *catalog.Build) error {
	old, err := passing(ctx, txn, b.Index)
	switch {
	case err != nil || old == nil:
		return err
	case b.Drop:
		return nil
	case old.Drop:
		return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "index %q is being dropped", t.IndexByID(b.Index).Name)
	case b.Goal == catalog.Readable:
		b.Replaces = old.Replaces
	default:
		b.Drop = true
	}
	return nil
}

// Await waits for the end of a build, and says why it failed.
func (d *Definer) Await(ctx context.Context, index uint32, ended <-chan struct{}) error {
	err := d.Builds.Wait(func() error {
		select {
		case <-ended:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		return err
	}
	var b *catalog.Build
	err = d.Node.InOwnTxn(ctx, func(txn store.Txn) (err error) {
		b, err = catalogstore.ReadBuild(ctx, txn, index)
		return err
	})
	if err != nil || b == nil || b.Failed == "" {
		return err
	}
	failed := sqlerr.New(sqlerr.Code(b.Code), "%s", b.Failed)
	failed.Detail = b.Detail
	return failed
}

// runsAlone refuses an index to be built in the background whose expressions or condition call functions that only a
// session can run.
func runsAlone(d *Definer, t *catalog.Table, x *catalog.Index) error {
	kept, err := d.Planner(d.Schema()).Stored().Indexed(t)
	if err != nil {
		return err
	}
	for _, p := range slices.Concat(kept.Holds, kept.Expressions) {
		of := p.Index == x.ID || slices.Contains(x.Layout.Sources(), p.Index)
		if of && expr.Any(p.Cond, func(e expr.Expr) bool {
			call, ok := e.(expr.Call)
			return ok && call.Fn.Routine != nil
		}) {
			return sqlerr.Unsupported("building an index that calls a function of the database in the background").
				WithHint("Create the index without CONCURRENTLY or ASYNC.")
		}
	}
	return nil
}

// createLater puts an index into the schema that is filled in the background.
func (d *Definer) createLater(ctx context.Context, t *catalog.Table, x *catalog.Index) error {
	out := t.WithNewIndex(*x)
	if err := runsAlone(d, out, x); err != nil {
		return err
	}
	if err := d.startBuild(ctx, out, &catalog.Build{Index: x.ID, Goal: catalog.Readable}, false); err != nil {
		return err
	}
	if err := d.Notice(inBackground(x.Name)); err != nil {
		return err
	}
	return d.adviseIndex(out, x, advice.Known{Stats: t.Stats, Later: true})
}
