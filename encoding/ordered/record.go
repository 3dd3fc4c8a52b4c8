package ordered

import "zproxy/types"

// A NULL field and the end of the fields are above every tag. The NULLs behind the last field that has a value are not
// written, so that the end stands for them, and a row is the same when its type gets another field.
const (
	fieldNull = 0xfc
	recordEnd = 0xfd
)

// appendRecord writes the fields and their end.
func appendRecord(dst []byte, r *types.RecordValue) []byte {
	dst = append(dst, tagRecord)
	written := len(r.Values)
	for written > 0 && r.Values[written-1].IsNull() {
		written--
	}
	for _, v := range r.Values[:written] {
		if v.IsNull() {
			dst = append(dst, fieldNull)
			continue
		}
		dst = appendAscending(dst, v)
	}
	return append(dst, recordEnd)
}

// recordLen is the number of bytes of a record's encoding.
func recordLen(key []byte, desc bool) (int, error) {
	flip := flipped(desc)
	for n := 1; n < len(key); {
		switch key[n] ^ flip {
		case recordEnd:
			return n + 1, nil
		case fieldNull:
			n++
			continue
		}
		size, err := Len(key[n:], desc)
		if err != nil {
			return 0, err
		}
		n += size
	}
	return 0, errCorrupt
}

// decodeRecord reads one whole ascending encoding.
func decodeRecord(enc []byte, t types.T) (types.Value, error) {
	if t.Def == nil {
		return types.Null, errCorrupt
	}
	r := &types.RecordValue{
		Names: t.Def.Names, Types: t.Def.Types, Values: make([]types.Value, len(t.Def.Types)),
	}
	rest := enc[1:]
	for i := 0; rest[0] != recordEnd; i++ {
		if i == len(r.Values) {
			return types.Null, errCorrupt
		}
		if rest[0] == fieldNull {
			rest = rest[1:]
			continue
		}
		var err error
		if r.Values[i], rest, err = Decode(rest, r.Types[i], false); err != nil {
			return types.Null, err
		}
	}
	return types.NewRecord(r), nil
}
