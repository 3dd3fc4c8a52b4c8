package cluster

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/store"
)

// announceDrop notes that a space has to be dropped unless the catalog comes to own it: should this process die,
// another one drops it.
func (h *shared) announceDrop(ctx context.Context, s *store.Space) error {
	return h.node.InOwnTxn(ctx, func(txn store.Txn) error {
		return catalogstore.PutPendingDrop(txn,
			pendingDropOf(s, h.member.ID(), 0))
	})
}

func pendingDropOf(s *store.Space, member, version uint64) catalogstore.PendingDrop {
	return catalogstore.PendingDrop{Space: uint64(s.ID), Name: s.Name, Sorted: s.Sorted, Host: s.Host, Member: member,
		Version: version}
}

func spaceOf(d catalogstore.PendingDrop) *store.Space {
	return &store.Space{ID: store.SpaceID(d.Space), Name: d.Name, Sorted: d.Sorted, Host: d.Host}
}

// forgetDrop forgets a pending drop that was carried out.
func (n *Node) forgetDrop(ctx context.Context, d catalogstore.PendingDrop) error {
	return n.InOwnTxn(ctx, func(txn store.Txn) error { return catalogstore.DeletePendingDrop(ctx, txn, d) })
}

// notePendingDrops makes drops of spaces part of a change of the schema.
func notePendingDrops(txn store.Txn, spaces []store.Space, member, version uint64) error {
	for i := range spaces {
		if err := catalogstore.PutPendingDrop(txn, pendingDropOf(&spaces[i], member, version)); err != nil {
			return err
		}
	}
	return nil
}

// DropPending drops the spaces that this process has to drop, when no transaction reads them any more, and forgets the
// pending drops of spaces that the catalog owns. Other pending drops may be of a change under way.
func (n *Node) DropPending(ctx context.Context) error {
	h := n.shared
	if h == nil || !h.lockDrops(ctx) {
		return nil
	}
	defer func() { <-h.dropping }()
	drops, err := h.node.pendingDrops(ctx)
	if err != nil {
		return err
	}
	owned := h.owned()
	return h.dropAll(ctx, drops, func(d catalogstore.PendingDrop) bool {
		return d.Member == h.member.ID() && (d.Version != 0 || owned[d.Space])
	})
}

// dropPending is DropPending in the background.
func (h *shared) dropPending(ctx context.Context) {
	h.warn(ctx, "dropping spaces", h.node.DropPending(ctx))
}

// lockDrops waits until no other goroutine drops spaces, unless the context ends before.
func (h *shared) lockDrops(ctx context.Context) bool {
	select {
	case h.dropping <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (n *Node) pendingDrops(ctx context.Context) (drops []catalogstore.PendingDrop, err error) {
	err = n.InOwnTxn(ctx, func(txn store.Txn) (err error) {
		drops, err = catalogstore.PendingDrops(ctx, txn)
		return err
	})
	return drops, err
}

// inherit drops the spaces and temporary schemas that evicted members have left, and those of changes of this process
// that failed in the middle. It reads what was left before it reads which members live: a member that has only just
// joined is not taken for dead.
func (h *shared) inherit(ctx context.Context) {
	if !h.lockDrops(ctx) {
		return
	}
	defer func() { <-h.dropping }()
	drops, err := h.node.pendingDrops(ctx)
	idle := !h.Changing() // so that none of the drops is of a change under way
	if err != nil {
		h.warn(ctx, "looking for what others have left", err)
		return
	}
	schemas := h.temporary()
	living, err := h.member.Living(ctx)
	if err == nil {
		err = h.member.Renew(ctx) // the newest catalog says what is owned: the dead change nothing any more
	}
	if err == nil {
		err = h.dropAll(ctx, drops, func(d catalogstore.PendingDrop) bool {
			return !isLiving(living, d.Member) || idle && d.Member == h.member.ID()
		})
	}
	for _, schema := range schemas {
		if err == nil && !isLiving(living, schema.Member) {
			err = h.node.hooks.DropTemporary(schema.database, schema.Name)
		}
	}
	h.warn(ctx, "taking away what others have left", err)
}

func isLiving(living []catalogstore.Member, id uint64) bool {
	return slices.ContainsFunc(living, func(m catalogstore.Member) bool { return m.ID == id })
}

// dropAll carries out pending drops, those of older versions first. At a space that may still be read it stops: the
// rest is looked at again later.
func (h *shared) dropAll(ctx context.Context, drops []catalogstore.PendingDrop,
	ours func(catalogstore.PendingDrop) bool) error {
	owned := h.owned()
	slices.SortStableFunc(drops, func(a, b catalogstore.PendingDrop) int { return cmp.Compare(a.Version, b.Version) })
	for _, d := range drops {
		if !ours(d) {
			continue
		}
		if done, err := h.dropOne(ctx, d, owned[d.Space]); err != nil || !done {
			return err
		}
	}
	return nil
}

// dropOne carries out a pending drop. One that has a version of the catalog is of a space that no catalog owns from
// that version on, also where this process does not yet go by it.
func (h *shared) dropOne(ctx context.Context, d catalogstore.PendingDrop, owned bool) (done bool, err error) {
	if !owned || d.Version != 0 {
		if over, err := h.over(ctx, d.Version); err != nil || !over {
			return false, err
		}
		if err := h.node.drop(ctx, spaceOf(d)); err != nil {
			return false, err
		}
	}
	return true, h.node.forgetDrop(ctx, d)
}

// owned are the spaces of the catalog.
func (h *shared) owned() map[uint64]bool {
	out := map[uint64]bool{}
	for _, t := range h.node.Whole().Tables() {
		for _, s := range SpacesOf(t) {
			out[uint64(s.ID)] = true
		}
	}
	return out
}

// temporary is a schema that ends with a session.
type temporary struct {
	*catalog.Schema
	database uint32
}

// temporary are the schemas that end with a session.
func (h *shared) temporary() (out []temporary) {
	for _, snap := range h.node.Whole().Snapshots() {
		for _, schema := range snap.Schemas() {
			if strings.HasPrefix(schema.Name, catalog.TemporaryPrefix) && schema.Member != 0 {
				out = append(out, temporary{schema, snap.Database().ID})
			}
		}
	}
	return out
}

func (h *shared) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrClosed) {
		h.node.Log.Warn(what, "error", err)
	}
}

// watch looks now and then for what processes have left behind that did not live to end it: spaces,
// and builds of indexes.
func (h *shared) watch(ctx context.Context) {
	look := func(ctx context.Context) {
		h.inherit(ctx)
		h.warn(ctx, "looking for builds of indexes", h.claimBuilds(ctx))
	}
	look(ctx)
	h.node.Background.Again(ctx, watchEvery, look)
}

const watchEvery = 15 * time.Second

// leaveWait bounds what a process does for the others when it ends.
const leaveWait = 5 * time.Second

// leave ends the membership: nothing of this process is left to wait for. What it could not settle
// in time others do.
func (h *shared) leave() {
	limited := func(f func(context.Context)) {
		ctx, stop := context.WithTimeout(context.Background(), leaveWait)
		defer stop()
		f(ctx)
	}
	limited(h.dropPending)
	if h.late.Load() > 0 {
		return // others are to wait as long as for a process that died
	}
	limited(func(ctx context.Context) { h.warn(ctx, "leaving the fleet", h.member.Leave(ctx)) })
}
