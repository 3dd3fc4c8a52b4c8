package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/cluster"
	"zproxy/sqlerr"
	"zproxy/store"
)

// Hosts makes tables ready to have others in their spaces.
type Hosts struct{ *Definer }

// Ready makes the host of a new space ready for it. Where partitions have no order, and the host's rows have no sort
// key, it needs a space in which items have one; so it must be empty.
func (d Hosts) Ready(ctx context.Context, host *catalog.Table, space catalog.Space) (*catalog.Table, error) {
	snap := d.Txn.Changed().Snap
	parent, _ := snap.ByID(space.In.Parent).(*catalog.Table)
	for _, owned := range []*catalog.Table{host, parent} {
		if err := d.MustOwn(snap, owned); err != nil {
			return nil, err
		}
	}
	if host.Hosted > 1 || host.Primary.Sorted() || d.Node.Store.Capabilities().OrderedPartitions {
		return host, nil
	}
	if err := d.Txn.Alone(ctx, host); err != nil {
		return nil, err
	}
	before, _ := d.Txn.Changed().Snap.ByID(host.ID).(*catalog.Table)
	if empty, err := d.empty(ctx, before); err != nil || !empty {
		if err == nil {
			err = sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
				"table %q has rows, which are kept without the sort key that interleaved rows need", before.Name).
				WithHint("Create what is interleaved while table %q is empty.", before.Name)
		}
		return nil, err
	}
	moved, err := (&define.Alter{Builder: d.Builder(ctx, snap), Table: before}).Truncated()
	if err != nil {
		return nil, err
	}
	moved.Hosted = host.Hosted
	space.In.HostID, space.In.HostName = moved.Space.ID, moved.Space.Name
	if err := d.Txn.Retire(ctx, before, cluster.SpacesOf(before)...); err != nil {
		return nil, err
	}
	return moved, d.Txn.CreateSpaces(ctx, moved)
}

// OfIndex makes the host of the space of an index ready for it. It gives the table of the index, which may be the host
// and is kept with the index then.
func (d Hosts) OfIndex(ctx context.Context, host, t *catalog.Table, space catalog.Space) (*catalog.Table, error) {
	host, err := d.Ready(ctx, host, space)
	switch {
	case err != nil:
		return nil, err
	case host.ID == t.ID: // made anew, perhaps, without the expressions that the index is over
		return define.WithExpressions(host, t), nil
	}
	return t, d.Txn.Put(ctx, host)
}

// empty says whether a table has no rows.
func (d Hosts) empty(ctx context.Context, t *catalog.Table) (bool, error) {
	txn, err := d.Txn.Store(ctx, true)
	if err != nil {
		return false, err
	}
	scan := &store.Scan{Enough: 1, Stats: &store.Stats{}}
	for batch, err := range txn.Scan(ctx, t.TableSpace(), scan) {
		if err != nil || batch.Len() > 0 {
			return false, err
		}
	}
	return true, nil
}
