package host

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/names"
	"zproxy/cluster"
	"zproxy/expr"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// LastNumbers is what a session was given last.
type LastNumbers struct {
	of   map[uint32]int64
	last uint32 // the sequence that gave the last one; 0: none did
}

// Sequences are those that a session sees. It implements system.Sequences.
type Sequences struct{ *Call }

func (q Sequences) find(id uint32) (*catalog.Sequence, error) {
	return cluster.FindSequence(q.schema(), id)
}

// may wants the present role to have one of some privileges on a sequence.
func (q Sequences) may(seq *catalog.Sequence, any catalog.Privileges) error {
	if have, _ := q.schema().Privileges(q.Role(), seq); have&any == 0 {
		return statement.Denied("permission denied for sequence %s", seq.Name)
	}
	return nil
}

// mayChange refuses to change a sequence in a read-only transaction, unless it is a temporary one.
func (q Sequences) mayChange(seq *catalog.Sequence, function string) error {
	if seq.Schema == *q.Temporary {
		return nil
	}
	return q.Block.RefuseReadOnly(function)
}

// Next implements system.Sequences.
func (q Sequences) Next(id uint32, own bool) (int64, error) {
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
	n, ok := q.Node.TakeNumber(seq)
	if !ok {
		err = q.Txn.Steady(q.Ctx, seq, func(seq *catalog.Sequence) error {
			n, err = q.Node.NextNumber(q.Ctx, seq)
			return err
		})
	}
	if err == nil {
		q.Numbers.given(id, n)
		q.Numbers.last = id
	}
	return n, err
}

// given notes what currval is to answer.
func (l *LastNumbers) given(id uint32, n int64) {
	if l.of == nil {
		l.of = map[uint32]int64{}
	}
	l.of[id] = n
}

// Current implements system.Sequences.
func (q Sequences) Current(id uint32) (int64, error) {
	seq, err := q.find(id)
	if err == nil {
		err = q.may(seq, catalog.MayUse|catalog.MaySelect)
	}
	if err != nil {
		return 0, err
	}
	n, ok := q.Numbers.of[id]
	if !ok {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"currval of sequence %q is not yet defined in this session", seq.Name)
	}
	return n, nil
}

// Last implements system.Sequences.
func (q Sequences) Last() (int64, error) {
	last := q.Numbers.last
	seq, ok := q.schema().ByID(last).(*catalog.Sequence)
	if !ok {
		return 0, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "lastval is not yet defined in this session")
	}
	if err := q.may(seq, catalog.MayUse|catalog.MaySelect); err != nil {
		return 0, err
	}
	return q.Numbers.of[last], nil
}

// Set implements system.Sequences.
func (q Sequences) Set(id uint32, n int64, called bool) error {
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
		return sqlerr.New(sqlerr.NumericValueOutOfRange, "setval: value %d is out of bounds for sequence %q (%d..%d)",
			n, seq.Name, seq.Min, seq.Max)
	}
	err = q.Txn.Steady(q.Ctx, seq, func(seq *catalog.Sequence) error {
		return q.Node.SetNumber(q.Ctx, seq, catalogstore.State{Last: n, Called: called})
	})
	if err == nil && called {
		q.Numbers.given(id, n)
	}
	return err
}

// State implements system.Sequences.
func (q Sequences) State(id uint32) (int64, bool, error) {
	seq, err := q.find(id)
	if err != nil {
		return 0, false, err
	}
	at, err := q.Node.StateOf(q.Ctx, seq)
	return at.Last, at.Called, err
}

// Serial implements system.Sequences.
func (q Sequences) Serial(table, column string) (string, error) {
	parts, err := names.Split(table)
	if err != nil {
		return "", err
	}
	id, err := q.View().Relation(parts)
	if err != nil {
		return "", err
	}
	snap := q.schema()
	known := false // of what owns no sequences
	switch v := snap.Numbered(id).(type) {
	case *catalog.View:
		known = slices.ContainsFunc(v.Columns, func(c catalog.ViewColumn) bool { return c.Name == column })
	case *catalog.Virtual:
		known = slices.ContainsFunc(v.Columns, func(c catalog.VirtualColumn) bool { return c.Name == column })
	case nil:
		composite := snap.TypeByID(id)
		known = composite != nil && composite.Field(column) >= 0
	}
	if known {
		return "", nil
	}
	t, ok := snap.ByID(id).(*catalog.Table)
	if !ok || t.Column(column) < 0 {
		return "", sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", column,
			parts[len(parts)-1])
	}
	for _, seq := range snap.Sequences() {
		if seq.OwnerTable == t.ID && seq.OwnerColumn == t.Columns[t.Column(column)].ID {
			return expr.QuoteIdent(seq.Schema) + "." + expr.QuoteIdent(seq.Name), nil
		}
	}
	return "", nil
}
