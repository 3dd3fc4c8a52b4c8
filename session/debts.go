package session

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

// owe notes that a space has to be dropped unless the catalog comes to own it: should this process
// die, another one does so.
func (h *shared) owe(ctx context.Context, s *store.Space) error {
	return h.db.apart(ctx, func(txn store.Txn) error { return catalogstore.PutDebt(txn, debtOf(s, h.member.ID(), 0)) })
}

func debtOf(s *store.Space, member, version uint64) catalogstore.Debt {
	return catalogstore.Debt{Space: uint64(s.ID), Name: s.Name, Sorted: s.Sorted, Member: member, Version: version}
}

// settled forgets a debt.
func (h *shared) settled(ctx context.Context, d catalogstore.Debt) error {
	return h.db.apart(ctx, func(txn store.Txn) error { return catalogstore.DeleteDebt(ctx, txn, d) })
}

// noteDebts makes it part of a change of the schema that its process has to drop some spaces.
func (h *shared) noteDebts(txn store.Txn, c *schemaChange, version uint64) error {
	for i := range c.dropped {
		if err := catalogstore.PutDebt(txn, debtOf(&c.dropped[i], h.member.ID(), version)); err != nil {
			return err
		}
	}
	return nil
}

// settle drops the spaces that this process has to drop, when nobody reads them any more, and
// forgets the debts of those that the catalog owns. Others may be of a change under way.
func (h *shared) settle(ctx context.Context) {
	if !h.inTurn(ctx) {
		return
	}
	defer func() { <-h.settling }()
	debts, err := h.debts(ctx)
	if err == nil {
		owned := h.owned()
		err = h.settleAll(ctx, debts, func(d catalogstore.Debt) bool {
			return d.Member == h.member.ID() && (d.Version != 0 || owned[d.Space])
		})
	}
	h.warn(ctx, "dropping spaces", err)
}

// inTurn waits until nobody else drops spaces, unless the context ends before.
func (h *shared) inTurn(ctx context.Context) bool {
	select {
	case h.settling <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (h *shared) debts(ctx context.Context) (debts []catalogstore.Debt, err error) {
	err = h.db.apart(ctx, func(txn store.Txn) (err error) {
		debts, err = catalogstore.Debts(ctx, txn)
		return err
	})
	return debts, err
}

// inherit drops the spaces that members had to drop who are no more, and what is temporary of
// theirs; and what is left of changes of this process that failed in the middle. Who has left
// something is looked up before who lives, so that nobody is taken for dead who has only just come.
func (h *shared) inherit(ctx context.Context) {
	if !h.inTurn(ctx) {
		return
	}
	defer func() { <-h.settling }()
	debts, err := h.debts(ctx)
	idle := !h.Changing() // so that none of the debts is of a change under way
	if err != nil {
		h.warn(ctx, "looking for what others have left", err)
		return
	}
	temporary := h.temporary()
	living, err := h.member.Living(ctx)
	if err == nil {
		err = h.member.Renew(ctx) // the newest catalog says what is owned: the dead change nothing any more
	}
	if err == nil {
		err = h.settleAll(ctx, debts, func(d catalogstore.Debt) bool {
			return !isLiving(living, d.Member) || idle && d.Member == h.member.ID()
		})
	}
	for _, schema := range temporary {
		if err == nil && !isLiving(living, schema.Member) {
			err = h.sweep(schema.Name)
		}
	}
	h.warn(ctx, "taking away what others have left", err)
}

func isLiving(living []catalogstore.Member, id uint64) bool {
	return slices.ContainsFunc(living, func(m catalogstore.Member) bool { return m.ID == id })
}

// settleAll settles debts, those of older versions first. When it comes to one of a space that may still
// be read, it leaves the rest to those who look again later.
func (h *shared) settleAll(ctx context.Context, debts []catalogstore.Debt, ours func(catalogstore.Debt) bool) error {
	owned := h.owned()
	slices.SortStableFunc(debts, func(a, b catalogstore.Debt) int { return cmp.Compare(a.Version, b.Version) })
	for _, d := range debts {
		if !ours(d) {
			continue
		}
		if settled, err := h.settleOne(ctx, d, owned[d.Space]); err != nil || !settled {
			return err
		}
	}
	return nil
}

// settleOne settles a debt. One from a version of the catalog on is of a space that nobody comes to own
// again, also where this process does not yet go by that version.
func (h *shared) settleOne(ctx context.Context, d catalogstore.Debt, owned bool) (settled bool, err error) {
	if !owned || d.Version != 0 {
		if over, err := h.over(ctx, d.Version); err != nil || !over {
			return false, err
		}
		if err := h.db.store.Drop(ctx, &store.Space{ID: store.SpaceID(d.Space), Name: d.Name, Sorted: d.Sorted}); err != nil {
			return false, err
		}
	}
	return true, h.settled(ctx, d)
}

// owned are the spaces of the catalog.
func (h *shared) owned() map[uint64]bool {
	out := map[uint64]bool{}
	for _, t := range h.db.snapshot().Tables() {
		for _, s := range spacesOf(t) {
			out[uint64(s.ID)] = true
		}
	}
	return out
}

// temporary are the schemas that end with a session.
func (h *shared) temporary() []*catalog.Schema {
	var out []*catalog.Schema
	for _, schema := range h.db.snapshot().Schemas() {
		if strings.HasPrefix(schema.Name, catalog.TemporaryPrefix) && schema.Member != 0 {
			out = append(out, schema)
		}
	}
	return out
}

// sweep drops a temporary schema whose session did not live to do so.
func (h *shared) sweep(schema string) error {
	return h.db.internally(func(s *Session) error {
		s.temporary = schema // it ends with the session
		return nil
	})
}

func (h *shared) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrClosed) {
		h.db.log.Warn(what, "error", err)
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
	h.db.background.again(ctx, watchEvery, look)
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
	limited(h.settle)
	if h.late.Load() > 0 {
		return // others are to wait as long as for a process that died
	}
	limited(func(ctx context.Context) { h.warn(ctx, "leaving the fleet", h.member.Leave(ctx)) })
}
