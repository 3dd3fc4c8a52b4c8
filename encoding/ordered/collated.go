package ordered

import "zproxy/types"

// appendCollated writes the sort key of a text and, unless that is all that counts, the text behind it: so texts of one
// sort key are not the same key, and the text can be read again.
func appendCollated(dst []byte, v types.Value) []byte {
	if !v.Order().Deterministic() {
		return appendBytes(dst, v.SortKey())
	}
	return appendBytes(appendBytes(append(dst, tagCollated), v.SortKey()), []byte(v.Compared()))
}

// decodeCollated reads the text behind a sort key.
func decodeCollated(enc []byte, t types.T) (types.Value, error) {
	n, err := Len(enc[1:], false)
	if err != nil {
		return types.Null, err
	}
	v, err := decode(enc[1+n:], t.Bare().In(types.Collation{}))
	if err != nil {
		return types.Null, err
	}
	return t.Collate(v), nil
}
