package pebblestore

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// adopted is a space that is seen as it was when a bulk transaction had filled it.
type adopted struct {
	space    store.SpaceID
	snapshot *snapshot
}

// filled is what a transaction has adopted, and why there can be no commit of it; nil: there can.
type filled struct {
	loaded []loadedSpace
	failed error
}

// loadedSpace is a space that was adopted, behind the writes of an epoch.
type loadedSpace struct {
	space store.SpaceID
	epoch uint32
}

// Adopt implements store.Txn.
func (t *txn) Adopt(spaces ...store.Space) bool {
	if len(spaces) == 0 {
		return true
	}
	t.see(spaces)
	epoch := t.own.Begin()
	for i := range spaces {
		t.loaded = append(t.loaded, loadedSpace{spaces[i].ID, epoch})
	}
	return true
}

// see lets reads see spaces as they are now.
func (t *txn) see(spaces []store.Space) {
	sn := t.store.snapshots.take()
	defer t.store.snapshots.release(sn)
	t.adopted = slices.Clone(t.adopted)
	for i := range spaces {
		t.adopted = append(t.adopted, adopted{spaces[i].ID, sn})
		t.store.snapshots.hold(sn)
	}
}

// of is the snapshot that has a space.
func (v *view) of(space store.SpaceID) *snapshot {
	for i := len(v.adopted) - 1; i >= 0; i-- {
		if v.adopted[i].space == space {
			return v.adopted[i].snapshot
		}
	}
	return v.snapshot
}

// each does something with each snapshot of a view.
func (v *view) each(f func(*snapshot)) {
	f(v.snapshot)
	for i := range v.adopted {
		f(v.adopted[i].snapshot)
	}
}

func (t *txn) forgetAdopted() {
	for i := range t.adopted {
		t.store.snapshots.release(t.adopted[i].snapshot)
	}
	t.adopted = nil
}

// emptyLoaded takes away what was adopted since a mark. Nothing else has read it.
func (t *txn) emptyLoaded(m store.Mark) {
	var spaces []store.Space
	for n := len(t.loaded) - 1; n >= 0 && t.loaded[n].epoch > m.Epoch; n-- {
		spaces = append(spaces, store.Space{ID: t.loaded[n].space})
		t.loaded = t.loaded[:n]
	}
	if len(spaces) == 0 {
		return
	}
	b := t.store.db.NewBatch()
	defer b.Close()
	var err error
	for _, s := range spaces {
		from, to := overlay.AppendBounds(nil, s.ID, store.Range{})
		err = cmp.Or(err, b.DeleteRange(from, to, nil))
	}
	if err == nil {
		err = t.store.show(claims{}, nil, func() error { return t.store.write(b, t.store.db.Apply, pebble.NoSync) })
	}
	t.failed = cmp.Or(t.failed, err)
	t.see(spaces)
}
