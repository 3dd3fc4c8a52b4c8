package executor

import (
	"unsafe"

	"zproxy/internal/memory"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// What a statement may hold in memory when its Env does not say.
const (
	DefaultWorkMemory = 64 << 20
	DefaultMaxMemory  = 1 << 30
)

// account is what the operators of one statement hold together, and may. It is part of what the
// session holds.
type account struct {
	used, most int64
	of         *memory.Account // nil: nothing else bounds it
}

// grow charges memory before it is taken. With an error nothing is charged.
func (a *account) grow(bytes int64) error {
	if a.used+bytes > a.most {
		return OutOfMemory(a.most)
	}
	if a.of != nil {
		if err := a.of.Grow(bytes); err != nil {
			return err
		}
	}
	a.used += bytes
	return nil
}

func (a *account) shrink(bytes int64) {
	a.used -= bytes
	if a.of != nil {
		a.of.Shrink(bytes)
	}
}

// hold is the part of an account that one operator has taken. It is given back when the
// operator ends.
type hold struct {
	of    *account
	bytes int64
}

// hold begins to take memory.
func (f frame) hold() hold {
	e := f.env
	if e.memory.most == 0 {
		e.memory.most, e.memory.of = e.MaxMemory, e.Memory
		if e.MaxMemory == 0 {
			e.memory.most = DefaultMaxMemory
		}
	}
	return hold{of: &e.memory}
}

// workMemory is how much a sort or a hash table holds before it goes to files.
func (f frame) workMemory() int64 {
	if f.env.WorkMemory == 0 {
		return DefaultWorkMemory
	}
	return f.env.WorkMemory
}

// add takes more.
func (h *hold) add(bytes int64) error {
	if err := h.of.grow(bytes); err != nil {
		return err
	}
	h.bytes += bytes
	return nil
}

// OutOfMemory is the error of a statement that needs more than it may hold.
func OutOfMemory(most int64) error {
	return sqlerr.New(sqlerr.OutOfMemory, "out of memory").
		WithDetail("The statement may hold %d kB.", most>>10).
		WithHint("Increase the setting \"zproxy.statement_memory\", or let the statement keep fewer rows.")
}

// addRow takes what a kept copy of a row needs, and something around it.
func (h *hold) addRow(row types.Row) error { return h.add(rowBytes(row)) }

// release gives everything back.
func (h *hold) release() { h.releaseTo(0) }

// releaseTo gives back all but so many bytes.
func (h *hold) releaseTo(bytes int64) {
	if h.bytes > bytes {
		h.of.shrink(h.bytes - bytes)
		h.bytes = bytes
	}
}

// stateful are accumulators that have one value for each group in the place of all that was added.
type stateful interface{ Present(group int) types.Value }

// replace holds what a step makes of a value in the place of the value.
func (h *hold) replace(value func() types.Value, step func() error) error {
	before := payload(value())
	if err := step(); err != nil {
		return err
	}
	return h.change(payload(value()) - before)
}

// change takes more, or gives back what is below 0.
func (h *hold) change(bytes int64) error {
	if bytes > 0 {
		return h.add(bytes)
	}
	h.releaseTo(h.bytes + bytes)
	return nil
}

// keptAtMost notes what a hold has that has only grown, and gives it back.
func (f frame) keptAtMost(h *hold) {
	h.note(f.profile())
	h.release()
}

// note notes what a hold has, before some of it is given back.
func (h *hold) note(p *plan.NodeProfile) { p.Memory = max(p.Memory, h.bytes) }

// Grow implements work.Memory. What expressions make is held until the batch that they are computed
// for has been consumed; what an operator keeps of it, it holds itself.
func (h *hold) Grow(bytes int64) error { return h.add(bytes) }

// source delivers the rows of a node without inputs, or of one that makes many batches while it reads
// none. All that expressions have made for a batch of it, in this node and in those above, is given back
// when the next batch is wanted.
func (f frame) source(in Rows) Rows {
	return func(yield func(*types.Batch, error) bool) {
		made := &f.env.made
		before := made.bytes
		defer func() { made.releaseTo(before) }()
		for batch, err := range in {
			if !yield(batch, err) {
				return
			}
			made.releaseTo(before)
		}
	}
}

const (
	valueBytes = int64(unsafe.Sizeof(types.Value{}))
	// rowOverhead is what lists and tables need to know of a row.
	rowOverhead = 48
)

// RowBytes estimates what a kept row takes.
func RowBytes(row types.Row) int64 { return rowBytes(row) }

func rowBytes(row types.Row) int64 {
	n := rowOverhead + valueBytes*int64(len(row))
	for i := range row {
		if row[i].Kind() >= types.KindNumeric {
			n += payload(row[i])
		}
	}
	return n
}

// batchBytes estimates what a kept batch takes.
func batchBytes(b *types.Batch) int64 {
	if b.Columnar() {
		return b.ColumnBytes()
	}
	return rowBytes(b.All()) + rowOverhead*int64(b.Len()-1)
}

// vectorBytes estimates what values of a vector take.
func vectorBytes(v *types.Vector, from, to int) int64 {
	n := int64(to - from)
	switch {
	case v.Kind == types.KindNull:
		n *= valueBytes
		for _, x := range v.Values[from:to] {
			n += payload(x)
		}
	case v.Kind.Plain():
		n *= 8
	default:
		n *= 4
		for i := from; i < to; i++ {
			n += int64(len(v.Text(i)))
		}
	}
	return n
}

// payload estimates what a value takes outside of its fixed size.
func payload(v types.Value) int64 {
	switch v.Kind() {
	case types.KindText, types.KindBytes, types.KindBpchar, types.KindCitext, types.KindCollated,
		types.KindJSON:
		return int64(len(v.Bytes()))
	case types.KindNumeric:
		if _, small := v.Small(); small {
			return 0
		}
		return int64(unsafe.Sizeof(*v.Numeric())) + int64(v.Numeric().Coeff.BitLen()/8)
	case types.KindArray:
		return itemBytes(v.Array().Items)
	case types.KindRecord:
		return itemBytes(v.Record().Values)
	case types.KindRange:
		return itemBytes(v.Range().Bounds())
	case types.KindJSONB:
		return jsonBytes(v.JSONB())
	}
	return 0
}

func itemBytes(items []types.Value) int64 { return rowBytes(items) }

func jsonBytes(j *json.Value) int64 {
	n := int64(unsafe.Sizeof(*j)) + int64(len(j.Text)+len(j.Raw))
	for i := range j.Items {
		n += jsonBytes(&j.Items[i])
	}
	for _, k := range j.Keys {
		n += int64(unsafe.Sizeof(k)) + int64(len(k))
	}
	return n
}
