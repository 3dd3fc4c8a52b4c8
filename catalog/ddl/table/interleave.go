package table

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/define"
	"zproxy/catalog/family"
)

// interleave lays out a table that waits for a primary key, its own or that of its parent, and those that wait for its
// own, if there is what they wait for.
func (d *Definer) interleave(ctx context.Context, id uint32) error {
	a := d.now(ctx, id)
	to, err := a.Interleave()
	if err == nil && to != nil {
		err = a.layBehind(to)
	}
	if err != nil {
		return err
	}
	a = d.now(ctx, id)
	if define.Waits(a.Table) {
		return nil
	}
	for _, t := range a.Waiting(a.Table) {
		if !a.Catalog.Owns(d.Role, t) {
			continue
		}
		if err := d.InUse("ALTER TABLE", t); err != nil {
			return err
		}
		if err := d.Txn.Alone(ctx, t); err != nil {
			return err
		}
		if err := d.interleave(ctx, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// now is a change of a table as it is now.
func (d *Definer) now(ctx context.Context, id uint32) *alteration {
	t, _ := d.Txn.Changed().Snap.ByID(id).(*catalog.Table)
	return d.alteration(ctx, t)
}

// layBehind moves the rows of the table behind those of its parent, each of which must be there.
func (a *alteration) layBehind(to *define.NewTable) error {
	host, err := (ddl.Hosts{Definer: a.d.Definer.Definer}).Ready(a.ctx, to.Hosts, to.Space)
	if err != nil {
		return err
	}
	for _, t := range []*catalog.Table{host, family.Parent(a.Catalog, to.Table)} {
		if err := a.d.Txn.Alone(a.ctx, t); err != nil {
			return err
		}
	}
	if err := a.d.Txn.Put(a.ctx, host); err != nil {
		return err
	}
	return a.d.now(a.ctx, a.Table.ID).rewrite(to.Table, nil, nil)
}
