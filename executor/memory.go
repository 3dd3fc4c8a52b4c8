package executor

import (
	"unsafe"

	"zproxy/sqlerr"
	"zproxy/types"
)

// What a statement may hold in memory when its Env does not say.
const (
	DefaultWorkMemory = 64 << 20
	DefaultMaxMemory  = 1 << 30
)

// account is what the operators of one statement hold together, and may.
type account struct{ used, most int64 }

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
		e.memory.most = e.MaxMemory
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
	h.bytes += bytes
	h.of.used += bytes
	if h.of.used <= h.of.most {
		return nil
	}
	return OutOfMemory(h.of.most)
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
func (h *hold) release() {
	h.of.used -= h.bytes
	h.bytes = 0
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
	return rowBytes(b.All()) + rowOverhead*int64(b.Len()-1)
}

// payload estimates what a value takes outside of its fixed size.
func payload(v types.Value) int64 {
	switch v.Kind() {
	case types.KindText, types.KindBytes, types.KindBpchar, types.KindJSON:
		return int64(len(v.Bytes()))
	case types.KindNumeric:
		return int64(unsafe.Sizeof(*v.Numeric())) + int64(v.Numeric().Coeff.BitLen()/8)
	case types.KindArray:
		return itemBytes(v.Array().Items)
	case types.KindRecord:
		return itemBytes(v.Record().Values)
	case types.KindJSONB:
		return jsonBytes(v.JSONB())
	}
	return 0
}

func itemBytes(items []types.Value) int64 { return rowBytes(items) }

func jsonBytes(j *types.JSONValue) int64 {
	n := int64(unsafe.Sizeof(*j)) + int64(len(j.Text)+len(j.Raw))
	for i := range j.Items {
		n += jsonBytes(&j.Items[i])
	}
	for _, k := range j.Keys {
		n += int64(unsafe.Sizeof(k)) + int64(len(k))
	}
	return n
}
