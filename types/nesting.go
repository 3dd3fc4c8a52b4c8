package types

import "zproxy/types/form"

// MakeRecord is NewRecord of a record that was put together of other values, whose nesting it checks.
func MakeRecord(r *RecordValue) (Value, error) { return NewRecord(r), form.CheckNesting(r.depth) }

// nest counts how many records are within one another. Those within it have been counted.
func (r *RecordValue) nest() {
	for _, v := range r.Values {
		r.depth = max(r.depth, recordDepth(v)+1)
	}
}

func recordDepth(v Value) int {
	depth := 0
	switch v.kind {
	case KindRecord:
		depth = v.Record().depth
	case KindArray:
		for _, item := range v.Array().Items {
			if item.kind != KindRecord && !item.IsNull() {
				break // nor are the others records
			}
			depth = max(depth, recordDepth(item))
		}
	}
	return depth
}
