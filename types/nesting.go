package types

import "zproxy/sqlerr"

// maxNesting bounds how many documents, or records, are within one another: what compares, prints and stores them
// recurses, and a stack that is used up ends the process. What can be made can be read as text, too.
const maxNesting = 6000

func checkNesting(depth int) error {
	if depth <= maxNesting {
		return nil
	}
	return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Values are nested more than %d deep.", maxNesting)
}

// MakeJSONB is NewJSONB of a document that was put together of others, whose nesting it checks.
func MakeJSONB(j *JSONValue) (Value, error) { return NewJSONB(j), checkNesting(int(j.depth)) }

// nest counts how deep a document is. Its parts that are documents of their own have been counted.
func (j *JSONValue) nest() int32 {
	if j.depth == 0 && (j.Kind == JSONArray || j.Kind == JSONObject) {
		deepest := int32(0)
		for i := range j.Items {
			deepest = max(deepest, j.Items[i].nest())
		}
		j.depth = deepest + 1
	}
	return j.depth
}

// MakeRecord is NewRecord of a record that was put together of other values, whose nesting it checks.
func MakeRecord(r *RecordValue) (Value, error) { return NewRecord(r), checkNesting(r.depth) }

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
