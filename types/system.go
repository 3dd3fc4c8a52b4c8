package types

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"zproxy/types/form"
	"zproxy/types/integer"
)

// systemTypes are numbers of a server's insides that clients meet.
var systemTypes = []Info{
	{
		OID: OIDTID, Name: "tid", SQL: "tid", Array: 1010,
		Kind: KindBytes, Category: CategoryUser, Size: 6,
		forms: forms{
			appendText: appendTID, parseText: parseTID,
			appendBinary: appendBinaryBytes, parseBinary: fixedBytes(6),
		},
	},
	{
		OID: OIDXID8, Name: "xid8", SQL: "xid8", Array: 271,
		Kind: KindBytes, Category: CategoryUser, Size: 8,
		forms: forms{
			appendText: appendXID8, parseText: parseXID8,
			appendBinary: appendBinaryBytes, parseBinary: fixedBytes(8),
		},
	},
	{
		OID: OIDLSN, Name: "pg_lsn", SQL: "pg_lsn", Array: 3221,
		Kind: KindBytes, Category: CategoryUser, Size: 8,
		forms: forms{
			appendText: appendLSN, parseText: parseLSN,
			appendBinary: appendBinaryBytes, parseBinary: fixedBytes(8),
		},
	},
}

// systemCasts are those with a function.
var systemCasts = []castRow{
	{OIDXID8, OIDXID, Cast{Explicit, func(v Value, _ T, _ *Env) (Value, error) {
		return NewInt(int64(binary.BigEndian.Uint32(v.Bytes()[4:]))), nil
	}}},
}

// appendTID writes a row's page and its offset there.
func appendTID(dst []byte, v Value, _ *Env) []byte {
	p := v.Bytes()
	dst = strconv.AppendUint(append(dst, '('), uint64(binary.BigEndian.Uint32(p)), 10)
	dst = strconv.AppendUint(append(dst, ','), uint64(binary.BigEndian.Uint16(p[4:])), 10)
	return append(dst, ')')
}

func parseTID(s string, _ *Env) (Value, error) {
	inner, ok1 := strings.CutPrefix(s, "(")
	inner, ok2 := strings.CutSuffix(inner, ")")
	left, right, ok3 := strings.Cut(inner, ",")
	page, err1 := strconv.ParseUint(left, 10, 32)
	offset, err2 := strconv.ParseUint(right, 10, 16)
	if !ok1 || !ok2 || !ok3 || err1 != nil || err2 != nil {
		return Null, form.InvalidText("tid", s)
	}
	id := binary.BigEndian.AppendUint32(nil, uint32(page))
	return NewBytes(binary.BigEndian.AppendUint16(id, uint16(offset))), nil
}

func appendXID8(dst []byte, v Value, _ *Env) []byte {
	return strconv.AppendUint(dst, binary.BigEndian.Uint64(v.Bytes()), 10)
}

func parseXID8(s string, _ *Env) (Value, error) {
	return NewBytes(binary.BigEndian.AppendUint64(nil, integer.LeadingNumber(s))), nil
}

func appendLSN(dst []byte, v Value, _ *Env) []byte {
	n := binary.BigEndian.Uint64(v.Bytes())
	return fmt.Appendf(dst, "%X/%X", n>>32, n&0xffffffff)
}

func parseLSN(s string, _ *Env) (Value, error) {
	left, right, ok := strings.Cut(s, "/")
	high, err1 := strconv.ParseUint(left, 16, 32)
	low, err2 := strconv.ParseUint(right, 16, 32)
	if !ok || err1 != nil || err2 != nil {
		return Null, form.InvalidText("pg_lsn", s)
	}
	return NewBytes(binary.BigEndian.AppendUint64(nil, high<<32|low)), nil
}
