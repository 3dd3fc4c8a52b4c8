package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/family"
	"zproxy/cluster"
	"zproxy/sqlerr"
	"zproxy/store"
)

// hosts makes tables ready to have others in their spaces.
type hosts struct{ *Definer }

// host makes the host of a new table ready for it. Where partitions have no order, and the host's rows have no sort
// key, it needs a space in which items have one; so it must be empty.
func (d hosts) host(ctx context.Context, t *define.NewTable) (*catalog.Table, error) {
	snap := d.Txn.Changed().Snap
	host := t.Hosts
	for _, owned := range []*catalog.Table{host, family.Parent(snap, t.Table)} {
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
				WithHint("Create the tables that are interleaved while table %q is empty.", before.Name)
		}
		return nil, err
	}
	moved, err := (&define.Alter{Builder: d.Builder(ctx, snap), Table: before}).Truncated()
	if err != nil {
		return nil, err
	}
	moved.Hosted = host.Hosted
	t.Space.In.HostID, t.Space.In.HostName = moved.Space.ID, moved.Space.Name
	d.Txn.DropLater(cluster.SpacesOf(before)...)
	return moved, d.Txn.CreateSpaces(ctx, moved)
}

// empty says whether a table has no rows.
func (d hosts) empty(ctx context.Context, t *catalog.Table) (bool, error) {
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
