package types

import (
	"cmp"
	"encoding/binary"
	"errors"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// appendBinaryArray writes the number of dimensions, whether there are NULLs, the type of
// the elements, the length and lower bound of each dimension, and each item behind its
// length. The entry of a type that a user made has no number, so the array tells that.
func appendBinaryArray(dst []byte, a *ArrayValue, element *Info) []byte {
	hasNull := uint32(0)
	for _, v := range a.Items {
		if v.IsNull() {
			hasNull = 1
		}
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(a.Dims)))
	dst = binary.BigEndian.AppendUint32(dst, hasNull)
	dst = binary.BigEndian.AppendUint32(dst, uint32(cmp.Or(element.OID, a.Element)))
	for _, d := range a.Dims {
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Length))
		dst = binary.BigEndian.AppendUint32(dst, uint32(d.Lower))
	}
	for _, v := range a.Items {
		dst = appendCountedBinary(dst, v, element)
	}
	return dst
}

// binaryReader takes integers and counted bytes off a message; short is set once there
// were not enough.
type binaryReader struct {
	rest  []byte
	short bool
}

func (r *binaryReader) take(n int) []byte {
	if n < 0 || n > len(r.rest) {
		r.short, r.rest = true, nil
		return nil
	}
	p := r.rest[:n]
	r.rest = r.rest[n:]
	return p
}

func (r *binaryReader) int32() int {
	p := r.take(4)
	if p == nil {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(p)))
}

func parseBinaryArray(p []byte, element *Info) (Value, error) {
	r := &binaryReader{rest: p}
	dims, flags, oid := r.int32(), r.int32(), OID(uint32(r.int32()))
	switch { // as PostgreSQL reads: each number is judged before the next is missed
	case len(p) < 4:
		return Null, form.TooShort()
	case dims < 0:
		return Null, sqlerr.New(sqlerr.InvalidBinaryRepresentation, "invalid number of dimensions: %d", dims)
	case dims > MaxDims:
		return Null, TooManyDims(dims)
	case len(p) < 8:
		return Null, form.TooShort()
	case flags != 0 && flags != 1:
		return Null, form.InvalidBinary("invalid array flags")
	case r.short:
		return Null, form.TooShort()
	case otherBuiltin(oid, element.OID):
		return Null, sqlerr.New(sqlerr.DatatypeMismatch,
			"binary data has array element type %d (%s) instead of expected %d (%s)",
			oid, claimed(oid), element.OID, element.SQL)
	}
	a := &ArrayValue{Element: element.OID}
	items := 1
	for range dims {
		d := Dim{Length: r.int32(), Lower: r.int32()}
		a.Dims = append(a.Dims, d)
		items *= min(max(d.Length, 0), MaxItems+1)
		if err := checkDims(a.Dims); err != nil {
			return Null, err
		}
	}
	switch {
	case r.short:
		return Null, form.TooShort()
	case dims == 0 || items == 0:
		a.Dims = nil
		return NewArray(a), r.end()
	}
	a.Items = make([]Value, 0, min(items, len(r.rest)/4)) // each has a length
	for i := range items {
		v, err := r.item(element, i)
		if err != nil {
			return Null, err
		}
		a.Items = append(a.Items, v)
	}
	return NewArray(a), r.end()
}

// claimed is the name of a type that a client says a value has.
func claimed(oid OID) string {
	if oid == OIDInvalid {
		return "-"
	}
	return InfoOf(oid).SQL
}

// firstUnstable is the first OID that may be of another type elsewhere.
const firstUnstable OID = 10000

// otherBuiltin says whether the type that a client says a value has is not the one that is wanted. Only between types
// that have the same OID in each database it is: the numbers of others may come from another one, or be those of what
// a domain is over.
func otherBuiltin(got, want OID) bool { return got != want && max(got, want) < firstUnstable }

// item reads one item behind its length.
func (r *binaryReader) item(element *Info, i int) (Value, error) {
	size := r.int32()
	switch {
	case r.short:
		return Null, form.TooShort()
	case size == -1:
		return Null, nil
	}
	p := r.take(size)
	if r.short {
		return Null, form.ItemTooShort()
	}
	v, err := element.receive(p)
	if errors.Is(err, form.ErrTrailing) {
		err = sqlerr.New(sqlerr.InvalidBinaryRepresentation, "improper binary format in array element %d", i+1)
	}
	return v, err
}

func (r *binaryReader) end() error {
	return form.CheckLength(r.rest, 0)
}
