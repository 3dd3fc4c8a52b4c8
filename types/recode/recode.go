// Package recode converts the texts in the binary forms of values between encodings. The binary form of a text is its
// bytes, in the client's encoding; arrays and rows hold such forms, each with its length before it. The encodings are
// in package charset.
package recode

import (
	"encoding/binary"
	"math"
	"slices"

	"zproxy/types"
)

// Convert appends a text in another encoding.
type Convert func(dst, text []byte) ([]byte, error)

// texts are the types beside those of strings whose binary form is a text, maybe behind the number of a version.
var texts = []types.OID{types.OIDJSON, types.OIDJSONB, types.OIDJSONPath}

// Binary appends the binary form of a value of a type with its texts converted. A form that is not one of the type is
// left as it is, for its reader to refuse.
func Binary(dst, form []byte, t types.T, convert Convert) ([]byte, error) {
	info := types.InfoOf(t.OID)
	switch {
	case t.OID.IsEnum(), slices.Contains(texts, t.OID), info.Category == types.CategoryString && t.OID != types.OIDChar:
		return convert(dst, form)
	case t.IsComposite() || t.OID == types.OIDRecord:
		return row(dst, form, convert)
	case info.Element != types.OIDInvalid:
		return array(dst, form, t, convert)
	}
	return append(dst, form...), nil
}

// array converts the items of an array: behind the number of its dimensions, a flag, the type of the items, and two
// numbers for each dimension.
func array(dst, form []byte, t types.T, convert Convert) ([]byte, error) {
	const head, dim = 12, 8
	if len(form) < head {
		return append(dst, form...), nil
	}
	begin := head + dim*int(binary.BigEndian.Uint32(form))
	element, _ := types.ElementOf(t)
	if begin < head || begin > len(form) {
		return append(dst, form...), nil
	}
	dst = append(dst, form[:begin]...)
	var err error
	for rest := form[begin:]; len(rest) > 0 && err == nil; {
		dst, rest, err = item(dst, rest, element, convert)
	}
	return dst, err
}

// row converts the fields of a row: behind their number, and each behind its type.
func row(dst, form []byte, convert Convert) ([]byte, error) {
	const head, kind = 4, 4
	if len(form) < head {
		return append(dst, form...), nil
	}
	dst = append(dst, form[:head]...)
	var err error
	for rest := form[head:]; len(rest) > 0 && err == nil; {
		if len(rest) < kind {
			return append(dst, rest...), nil
		}
		t := types.Of(types.OID(binary.BigEndian.Uint32(rest)))
		dst = append(dst, rest[:kind]...)
		dst, rest, err = item(dst, rest[kind:], t, convert)
	}
	return dst, err
}

// item converts one item behind its length, and gives what follows it.
func item(dst, form []byte, t types.T, convert Convert) (out, rest []byte, err error) {
	const head = 4
	if len(form) < head {
		return append(dst, form...), nil, nil
	}
	size := binary.BigEndian.Uint32(form)
	if size == math.MaxUint32 || uint64(size) > uint64(len(form)-head) {
		return append(dst, form[:head]...), form[head:], nil
	}
	at := len(dst)
	dst, err = Binary(append(dst, 0, 0, 0, 0), form[head:head+size], t, convert)
	binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-head))
	return dst, form[head+size:], err
}
