package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/names"
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/store"
)

// numbers are what the process has taken from sequences, by the state of the sequence. It
// hands them out in order, to whichever session asks.
type numbers struct {
	mu     sync.Mutex
	states map[uint64]*numberBlock
}

// numberBlock is held while the store is asked for the next block.
type numberBlock struct {
	mu sync.Mutex
	catalogstore.Block
	size int64 // of the last one
	// altered says that a transaction has altered the sequence. Should it be rolled back,
	// the block goes on.
	altered bool
}

func newNumbers() *numbers { return &numbers{states: map[uint64]*numberBlock{}} }

func (n *numbers) of(state uint64) *numberBlock {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := n.states[state]
	if b == nil {
		b = &numberBlock{}
		n.states[state] = b
	}
	return b
}

func (n *numbers) forget(states []uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, state := range states {
		delete(n.states, state)
	}
}

// A block is small at first, since what is left of it when the process ends is lost, and
// twice as large each time, since it costs a commit.
const (
	minBlock = 32
	maxBlock = 4096
)

// take gives a number of the block, if there is one.
func (b *numberBlock) take() (int64, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Left == 0 || b.altered {
		return 0, false
	}
	return b.Take(), true
}

// next gives a number, of a new block if need be.
func (b *numberBlock) next(ctx context.Context, db *DB, q *catalog.Sequence) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.altered = false
	if b.Left > 0 {
		return b.Take(), nil
	}
	size := max(min(max(2*b.size, minBlock), maxBlock), q.Cache)
	err := db.apart(ctx, func(txn store.Txn) error {
		var err error
		b.Block, err = catalogstore.TakeBlock(ctx, txn, q, size)
		return err
	})
	if err != nil {
		b.Left = 0
		return 0, err
	}
	b.size = size
	return b.Take(), nil
}

// apart does something in a small transaction of its own, perhaps more than once.
func (db *DB) apart(ctx context.Context, f func(store.Txn) error) error {
	return store.Apart(ctx, db.store, f)
}

// lastNumbers is what a session was given last.
type lastNumbers struct {
	of   map[uint32]int64
	last uint32 // the sequence that gave the last one; 0: none did
}

// sequences are those that a session sees, for one statement.
type sequences struct{ *within }

func (q sequences) find(id uint32) (*catalog.Sequence, error) { return findSequence(q.s.schema(), id) }

// may wants the present role to have one of some privileges on a sequence.
func (q sequences) may(seq *catalog.Sequence, any catalog.Privileges) error {
	if have, _ := q.s.schema().Privileges(q.s.role(), seq); have&any == 0 {
		return denied("permission denied for sequence %s", seq.Name)
	}
	return nil
}

// mayChange refuses to change a sequence in a read-only transaction, unless it is a temporary one.
func (q sequences) mayChange(seq *catalog.Sequence, function string) error {
	if seq.Schema == q.s.temporary {
		return nil
	}
	return q.s.refuseReadOnly(function)
}

func findSequence(snap *catalog.Snapshot, id uint32) (*catalog.Sequence, error) {
	switch r := snap.ByID(id).(type) {
	case *catalog.Sequence:
		return r, nil
	case nil:
		return nil, sqlerr.New(sqlerr.UndefinedTable, "could not open relation with OID %d", id)
	default:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a sequence", r.Ref().Name)
	}
}

// Next implements expr.Sequences.
func (q sequences) Next(id uint32, own bool) (int64, error) {
	seq, err := q.find(id)
	if err == nil && !own {
		err = q.may(seq, catalog.MayUse|catalog.MayUpdate)
	}
	if err == nil {
		err = q.mayChange(seq, "nextval()")
	}
	if err != nil {
		return 0, err
	}
	n, ok := q.s.db.numbers.of(seq.State).take()
	if !ok {
		err = q.steady(seq, func(seq *catalog.Sequence) error {
			n, err = q.s.db.numbers.of(seq.State).next(q.ctx, q.s.db, seq)
			return err
		})
	}
	if err == nil {
		q.s.numbers.given(id, n)
		q.s.numbers.last = id
	}
	return n, err
}

// given notes what currval is to answer.
func (l *lastNumbers) given(id uint32, n int64) {
	if l.of == nil {
		l.of = map[uint32]int64{}
	}
	l.of[id] = n
}

// steady does something with a sequence as it is now, while no other session alters it.
func (q sequences) steady(seq *catalog.Sequence, f func(*catalog.Sequence) error) error {
	if c := q.s.txn.change; c != nil && c.alone[seq.ID] {
		return f(seq)
	}
	held := map[uint32]bool{seq.ID: true}
	if err := q.s.db.locks.BeginCommit(q.s.lockWait(q.ctx), held, q.s.txn.hold.table()); err != nil {
		return err
	}
	defer q.s.db.locks.EndCommit(held, false)
	now, err := findSequence(q.s.db.snapshot(), seq.ID) // others may have dropped it
	if err != nil {
		return err
	}
	return f(now)
}

// Current implements expr.Sequences.
func (q sequences) Current(id uint32) (int64, error) {
	seq, err := q.find(id)
	if err == nil {
		err = q.may(seq, catalog.MayUse|catalog.MaySelect)
	}
	if err != nil {
		return 0, err
	}
	n, ok := q.s.numbers.of[id]
	if !ok {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "currval of sequence %q is not yet defined in this session", seq.Name)
	}
	return n, nil
}

// Last implements expr.Sequences.
func (q sequences) Last() (int64, error) {
	last := q.s.numbers.last
	seq, ok := q.s.schema().ByID(last).(*catalog.Sequence)
	if !ok {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "lastval is not yet defined in this session")
	}
	if err := q.may(seq, catalog.MayUse|catalog.MaySelect); err != nil {
		return 0, err
	}
	return q.s.numbers.of[last], nil
}

// Set implements expr.Sequences.
func (q sequences) Set(id uint32, n int64, called bool) error {
	seq, err := q.find(id)
	if err == nil {
		err = q.may(seq, catalog.MayUpdate)
	}
	if err == nil {
		err = q.mayChange(seq, "setval()")
	}
	if err != nil {
		return err
	}
	if n < seq.Min || n > seq.Max {
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence %q (%d..%d)", n, seq.Name, seq.Min, seq.Max)
	}
	err = q.steady(seq, func(seq *catalog.Sequence) error {
		b := q.s.db.numbers.of(seq.State)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Left = 0
		return q.s.db.apart(q.ctx, func(txn store.Txn) error {
			if _, err := catalogstore.ReadState(q.ctx, txn, seq); err != nil {
				return err
			}
			return catalogstore.PutState(txn, seq, catalogstore.State{Last: n, Called: called})
		})
	})
	if err == nil && called {
		q.s.numbers.given(id, n)
	}
	return err
}

// State implements expr.Sequences.
func (q sequences) State(id uint32) (int64, bool, error) {
	seq, err := q.find(id)
	if err != nil {
		return 0, false, err
	}
	at, err := q.s.db.stands(q.ctx, seq)
	return at.Last, at.Called, err
}

// stands is where a sequence stands, without what the process has taken from it and not
// given out, if no other process has taken more.
func (db *DB) stands(ctx context.Context, seq *catalog.Sequence) (catalogstore.State, error) {
	b := db.numbers.of(seq.State)
	b.mu.Lock()
	defer b.mu.Unlock()
	txn, err := db.store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return catalogstore.State{}, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	at, err := catalogstore.ReadState(ctx, txn, seq)
	if err == nil && b.Left > 0 && b.End() == at.Last {
		at.Last = b.Given()
	}
	return at, err
}

// Serial implements expr.Sequences.
func (q sequences) Serial(table, column string) (string, error) {
	parts, err := names.Split(table)
	if err != nil {
		return "", err
	}
	id, err := q.s.view().Relation(parts)
	if err != nil {
		return "", err
	}
	snap := q.s.schema()
	if v, ok := snap.ByID(id).(*catalog.View); ok && slices.ContainsFunc(v.Columns, func(c catalog.ViewColumn) bool { return c.Name == column }) {
		return "", nil
	}
	t, ok := snap.ByID(id).(*catalog.Table)
	if !ok || t.Column(column) < 0 {
		return "", sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", column, parts[len(parts)-1])
	}
	for _, seq := range snap.Sequences() {
		if seq.OwnerTable == t.ID && seq.OwnerColumn == t.Columns[t.Column(column)].ID {
			return expr.QuoteIdent(seq.Schema) + "." + expr.QuoteIdent(seq.Name), nil
		}
	}
	return "", nil
}

// settled is where a sequence stands, once no other session can move it.
func (s *Session) settled(ctx context.Context, seq *catalog.Sequence) (catalogstore.State, error) {
	c, err := s.changes(ctx)
	if err != nil {
		return catalogstore.State{}, err
	}
	if !c.alone[seq.ID] {
		if err := s.db.locks.Exclude(s.lockWait(ctx), seq.ID, true); err != nil {
			return catalogstore.State{}, err
		}
		c.alone[seq.ID] = true
	}
	b := s.db.numbers.of(seq.State)
	b.mu.Lock()
	b.altered = true
	b.mu.Unlock()
	return s.db.stands(ctx, seq)
}
