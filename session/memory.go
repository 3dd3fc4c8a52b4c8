package session

import (
	"context"

	"zproxy/executor"
	"zproxy/internal/memory"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/store"
)

// What a text takes while it is parsed and planned, and while it is kept, for each of its tokens. A
// list of a million columns was measured to take the most.
const (
	parseBytes = 300
	keptBytes  = 100
	// smallText is the length of texts that are not worth counting.
	smallText = 16 << 10
)

// parse reads a text. What its tree takes is held until the statement ends.
func (s *Session) parse(text string) ([]ast.Parsed, error) {
	bytes := int64(len(text)) + tokens(text)*parseBytes
	if err := s.made.Grow(bytes); err != nil {
		return nil, err
	}
	return parser.ParseUntil(text, parser.Until{Ended: s.interrupted,
		Left: func() func() { return s.made.leave(bytes) }})
}

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

// making is what a statement makes before its plan runs: its tree, and constants of its text. It
// implements work.Memory.
type making struct {
	account *memory.Account
	bytes   int64
}

// Grow charges the session.
func (m *making) Grow(bytes int64) error {
	if err := m.account.Grow(bytes); err != nil {
		return err
	}
	m.bytes += bytes
	return nil
}

// leave gives away what was charged for work that goes on without the statement. It is called once at most for the
// same bytes.
func (m *making) leave(bytes int64) (done func()) {
	m.bytes -= bytes
	return m.account.Leave(bytes)
}

// end gives everything back, when the statement has ended.
func (m *making) end() {
	if m.bytes > 0 {
		m.account.Shrink(m.bytes)
		m.bytes = 0
	}
}

// GrowMessage charges the session for a message of the client before it is read. The context ends the
// waiting for memory.
func (s *Session) GrowMessage(ctx context.Context, bytes int64) error {
	s.memory.Begin(ctx)
	defer s.memory.End()
	return s.memory.Grow(bytes)
}

// ShrinkMessage gives back what GrowMessage charged.
func (s *Session) ShrinkMessage(bytes int64) { s.memory.Shrink(bytes) }

// itemOverhead is what a store notes of a write besides its key and values.
const itemOverhead = 160

// chargedTxn charges a session for the writes of its transaction, which stores keep in memory.
type chargedTxn struct {
	store.Txn
	account *memory.Account
	bytes   int64
}

// Unwrap is the transaction that is charged for.
func (t *chargedTxn) Unwrap() store.Txn { return t.Txn }

func (t *chargedTxn) grow(bytes int64) error {
	if err := t.account.Grow(bytes); err != nil {
		return err
	}
	t.bytes += bytes
	return nil
}

// Put implements store.Txn.
func (t *chargedTxn) Put(s *store.Space, it store.Item, g store.Guard) error {
	if err := t.grow(itemOverhead + keyBytes(it.Key) + executor.RowBytes(it.Values)); err != nil {
		return err
	}
	return t.Txn.Put(s, it, g)
}

// Delete implements store.Txn.
func (t *chargedTxn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	if err := t.grow(itemOverhead + keyBytes(key)); err != nil {
		return err
	}
	return t.Txn.Delete(s, key, g)
}

// Commit implements store.Txn.
func (t *chargedTxn) Commit(ctx context.Context) error {
	defer t.release()
	return t.Txn.Commit(ctx)
}

// Rollback implements store.Txn.
func (t *chargedTxn) Rollback() {
	t.release()
	t.Txn.Rollback()
}

func (t *chargedTxn) release() {
	t.account.Shrink(t.bytes)
	t.bytes = 0
}

func keyBytes(k store.Key) int64 { return int64(len(k.Partition) + len(k.Sort)) }
