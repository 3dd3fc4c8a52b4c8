package cluster

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/store"
)

// Create makes a space, which is dropped if the transaction is rolled back.
func (t *Transaction) Create(ctx context.Context, space *store.Space) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	if t.node.shared != nil {
		if err := t.node.shared.announceDrop(ctx, space); err != nil {
			return err
		}
	}
	if !nested(space) {
		if err := t.node.Store.Create(ctx, space); err != nil {
			return fmt.Errorf("create %s: %w", space.Name, err)
		}
	}
	c.created = append(slices.Clip(c.created), *space)
	return nil
}

// CreateSpaces makes the spaces of a table and its indexes.
func (t *Transaction) CreateSpaces(ctx context.Context, of *catalog.Table) error {
	for _, space := range SpacesOf(of) {
		if err := t.Create(ctx, &space); err != nil {
			return err
		}
	}
	return nil
}

// Retire drops spaces of a table once the transaction is committed, and lets no other transaction use it until then:
// those that go by the schema before would read from them what is not kept any more.
func (t *Transaction) Retire(ctx context.Context, of *catalog.Table, spaces ...store.Space) error {
	err := t.Alone(ctx, of)
	if err == nil {
		t.change.DropLater(spaces...)
	}
	return err
}

// DropLater drops spaces that no transaction reads once the change is committed. What lies in one of them goes with it.
func (c *Change) DropLater(spaces ...store.Space) {
	own := map[store.SpaceID]bool{}
	for i := range spaces {
		own[spaces[i].ID] = true
	}
	c.dropped = slices.Clip(c.dropped)
	for _, s := range spaces {
		if (!nested(&s) || !own[s.Home()]) && !own[s.Base] {
			c.dropped = append(c.dropped, s)
		}
	}
}

// SpacesOf are the spaces of a table and its indexes.
func SpacesOf(t *catalog.Table) []store.Space {
	if !t.Kept() {
		return nil
	}
	out := []store.Space{*t.TableSpace()}
	for i := range t.Indexes {
		out = append(out, *t.IndexSpace(&t.Indexes[i]))
	}
	return out
}

// dropStates forgets states that no sequence has any more. What is left by a failure is
// swept at the next start.
func (n *Node) dropStates(states []uint64) {
	if err := n.forgetStates(context.Background(), states); err != nil {
		n.Log.Warn("forgetting the states of sequences", "error", err)
	}
}

// dropSpaces drops spaces that nothing refers to any more. What is left by a failure is
// swept at the next start.
func (n *Node) dropSpaces(spaces []store.Space) {
	for i := range spaces {
		err := n.drop(context.Background(), &spaces[i])
		if err == nil && (n.shared != nil || nested(&spaces[i])) {
			err = n.forgetDrop(context.Background(), pendingDropOf(&spaces[i], n.MemberID(), 0))
		}
		if err != nil {
			n.Log.Warn("dropping a space", "space", spaces[i].Name, "error", err)
		}
	}
}
