// Package charge charges the pool of memory for what a session holds apart from operators: the syntax trees of its
// statements, what a statement makes before its plan runs, prepared statements, and the writes of a transaction,
// which stores keep in memory.
//
// Estimates go by the number of tokens, since a tree is not measured. Read `Making` first; the pool and its
// accounts are in internal/memory.
package charge

import (
	"context"
	"iter"

	"zproxy/executor"
	"zproxy/internal/memory"
	"zproxy/store"
	"zproxy/types"
)

// What a text takes while it is parsed and planned, and while it is kept, for each of its tokens. A
// list of a million columns was measured to take the most.
const (
	parseBytes = 300
	keptBytes  = 100
	// smallText is the length of texts that are not worth counting.
	smallText = 16 << 10
)

// Parsing is what the tree of a text takes while it is parsed and planned.
func Parsing(text string) int64 { return int64(len(text)) + tokens(text)*parseBytes }

// Kept is what a statement takes while it is kept.
func Kept(text string) int64 { return int64(len(text)) + tokens(text)*keptBytes }

// tokens estimates how many tokens a long text has. A literal counts as one.
func tokens(text string) int64 {
	if len(text) < smallText {
		return 0
	}
	count, word, quoted := int64(0), false, false
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\'':
			quoted = !quoted
			count++
		case quoted:
		case c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80:
			if !word {
				count++
			}
			word = true
			continue
		case c > ' ':
			count++
		}
		word = false
	}
	return count
}

// Making is what a statement makes before its plan runs: its tree, and constants of its text. It
// implements work.Memory.
type Making struct {
	Account *memory.Account
	bytes   int64
}

// Grow charges the session.
func (m *Making) Grow(bytes int64) error {
	if err := m.Account.Grow(bytes); err != nil {
		return err
	}
	m.bytes += bytes
	return nil
}

// Leave gives away what was charged for work that goes on without the statement. It is called once at most for the
// same bytes.
func (m *Making) Leave(bytes int64) (done func()) {
	m.bytes -= bytes
	return m.Account.Leave(bytes)
}

// End gives everything back, when the statement has ended.
func (m *Making) End() {
	if m.bytes > 0 {
		m.Account.Shrink(m.bytes)
		m.bytes = 0
	}
}

// itemOverhead is what a store notes of a write besides its key and values, and rememberedBytes what it keeps of an
// item that was read, with a key of a usual length.
const (
	itemOverhead    = 160
	rememberedBytes = 160
)

// Txn charges a session for the writes of its transaction, and for what it has read and must find again, which stores
// keep in memory.
type Txn struct {
	store.Txn
	Account    *memory.Account
	bytes      int64
	remembered int64 // of bytes: until the next Refresh
}

// Unwrap is the transaction that is charged for.
func (t *Txn) Unwrap() store.Txn { return t.Txn }

func (t *Txn) grow(bytes int64) error {
	if err := t.Account.Grow(bytes); err != nil {
		return err
	}
	t.bytes += bytes
	return nil
}

// Scan implements store.Txn.
func (t *Txn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	rows := t.Txn.Scan(ctx, s, r)
	return func(yield func(*types.Batch, error) bool) {
		before := r.Stats.Remembered
		for batch, err := range rows {
			if err == nil {
				err = t.remember(r.Stats.Remembered - before)
				before = r.Stats.Remembered
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

// Get implements store.Txn.
func (t *Txn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	before := g.Stats.Remembered
	found, err := t.Txn.Get(ctx, s, g, out)
	if err != nil {
		return found, err
	}
	return found, t.remember(g.Stats.Remembered - before)
}

// remember charges for items that were remembered.
func (t *Txn) remember(items int64) error {
	if items == 0 {
		return nil
	}
	if err := t.grow(items * rememberedBytes); err != nil {
		return err
	}
	t.remembered += items * rememberedBytes
	return nil
}

// Refresh implements store.Viewer. What was read is forgotten.
func (t *Txn) Refresh() {
	t.Txn.Refresh()
	t.Account.Shrink(t.remembered)
	t.bytes -= t.remembered
	t.remembered = 0
}

// Put implements store.Txn.
func (t *Txn) Put(s *store.Space, it store.Item, g store.Guard) error {
	if err := t.grow(itemOverhead + keyBytes(it.Key) + executor.RowBytes(it.Values)); err != nil {
		return err
	}
	return t.Txn.Put(s, it, g)
}

// Delete implements store.Txn.
func (t *Txn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	if err := t.grow(itemOverhead + keyBytes(key)); err != nil {
		return err
	}
	return t.Txn.Delete(s, key, g)
}

// Commit implements store.Txn.
func (t *Txn) Commit(ctx context.Context) error {
	defer t.release()
	return t.Txn.Commit(ctx)
}

// Rollback implements store.Txn.
func (t *Txn) Rollback() {
	t.release()
	t.Txn.Rollback()
}

func (t *Txn) release() {
	t.Account.Shrink(t.bytes)
	t.bytes, t.remembered = 0, 0
}

func keyBytes(k store.Key) int64 { return int64(len(k.Partition) + len(k.Sort)) }
