package pebblestore

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"zproxy/internal/routine"
	"zproxy/store"
	"zproxy/store/overlay"
)

// A commit of many writes is a load: it makes tables of them, and adds these to the database at once. So it needs no
// log, and no memtable that is made a table later. Of each space one goroutine looks at the guards of the writes, and
// another makes the tables.

// loadPart is which part of a memtable makes a commit a load: one of so many.
const loadPart = 8

// isLoad says whether the writes are many. Those with copies never are.
func isLoad(t *txn) bool { return t.bytes >= int64(t.store.runBytes/loadPart) && len(t.reserved) == 0 }

// loadCommit is the commit of many writes.
type loadCommit struct {
	*txn
	spaces  []store.SpaceID
	written [][]claim // to the spaces
	stacks  []*stack  // of tables of the spaces
}

func newLoad(t *txn) *loadCommit {
	spaces := t.own.Spaces()
	return &loadCommit{txn: t, spaces: spaces,
		written: make([][]claim, len(spaces)), stacks: make([]*stack, len(spaces))}
}

func (l *loadCommit) commit(ctx context.Context) error {
	defer func() { removeStacks(l.store, l.stacks) }()
	team, _ := routine.NewTeam(ctx, runtime.GOMAXPROCS(0))
	for i, id := range l.spaces {
		l.stacks[i] = &stack{store: l.store, space: id}
		team.Start(func() error { return l.stackUp(l.stacks[i]) })
		team.Start(func() error {
			return l.eachWrite(id, func(_ *overlay.Write[[]byte], c claim) error {
				l.written[i] = append(l.written[i], c)
				return nil
			})
		})
	}
	if err := team.Wait(); err != nil {
		return err
	}
	keys := claims{slices.Concat(l.written...), l.heldKeys()}
	var files []string
	for _, s := range l.stacks {
		files = append(files, s.files...)
	}
	if err := claimKeys(l.store, keys); err != nil {
		return err
	}
	return l.store.show(keys, l.mode.Applied, func() error {
		if len(files) == 0 {
			return nil
		}
		return l.store.ingest(ctx, files)
	})
}

// stackUp makes tables of the writes to a space.
func (l *loadCommit) stackUp(s *stack) (err error) {
	for w := range l.own.In(s.space) {
		if leavesNothing(&w) {
			continue
		}
		if err = s.add(wholeKey(&w), w.Payload, w.Delete); err != nil {
			break
		}
	}
	return errors.Join(err, s.end())
}
