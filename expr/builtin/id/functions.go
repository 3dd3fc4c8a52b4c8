package id

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin/datetime"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// idFunctions make ids that spread over their keys, and ids in the order of time, and read
// those. PostgreSQL has some of them from version 17 or 18 on, where they mean the same.
var idFunctions = []*expr.Function{
	{Name: "bit_reverse", OID: 9501, Args: pg.Sig{pg.Int4}, Result: pg.Int4, Doc: "Number with its 32 bits in reverse order, so that numbers in sequence spread over all there are. Twice gives the number back.", Fn1: reverse4},
	{Name: "bit_reverse", OID: 9502, Args: pg.Sig{pg.Int8}, Result: pg.Int8, Doc: "Number with its 64 bits in reverse order, so that numbers in sequence spread over all there are. Twice gives the number back.", Fn1: reverse8},
	{Name: "bit_reverse", OID: 9503, Args: pg.Sig{pg.Int8, pg.Boolean}, Result: pg.Int8, Doc: "Number with its bits in reverse order; the sign stays where it is when the second argument is true. Twice gives the number back.", Fn2: reverseSigned},
	{Name: "uuidv7", OID: 9504, Args: pg.Sig{}, Result: pg.UUID, Volatility: expr.Volatile, Doc: "Uuid of version 7, greater than all that this process made before.", Fn0: uuidOfNow},
	{Name: "uuidv7", OID: 9505, Args: pg.Sig{pg.Interval}, Params: []string{"shift"}, Result: pg.UUID, Volatility: expr.Volatile, Doc: "Uuid of version 7 of the time that is an interval away from now.", Fn1: uuidOfShifted},
	{Name: "uuid_extract_version", OID: 9506, Args: pg.Sig{pg.UUID}, Result: pg.Int2, Doc: "Version of a uuid; NULL when it is not of the variant of RFC 9562.", Fn1: uuidVersion},
	{Name: "uuid_extract_timestamp", OID: 9507, Args: pg.Sig{pg.UUID}, Result: pg.Timestamptz, Doc: "Time in a uuid of version 1 or 7; NULL for others.", Fn1: uuidTime},
}

func reverse4(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(int32(bits.Reverse32(uint32(a.Int()))))), nil
}

func reverse8(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(bits.Reverse64(uint64(a.Int())))), nil
}

// reverseSigned leaves the highest bit alone, or not: the others move by one less then.
func reverseSigned(c *expr.Context, a, keepsSign types.Value) (types.Value, error) {
	if !keepsSign.Bool() {
		return reverse8(c, a)
	}
	const sign = 1 << 63
	n := uint64(a.Int())
	return types.NewInt(int64(n&sign | bits.Reverse64(n&^sign)>>1)), nil
}

// nextID is the time of the next uuid of version 7.
func nextID(c *expr.Context) int64 {
	if c.IDs == nil {
		c.IDs = new(expr.IDClock)
	}
	return c.IDs.After(time.Now())
}

func uuidOfNow(c *expr.Context) (types.Value, error) {
	ns := nextID(c)
	return uuidOf(ns/1_000_000, ns%1_000_000)
}

// uuidOfShifted shifts whole microseconds, which timestamps have; the nanoseconds stay.
func uuidOfShifted(c *expr.Context, shift types.Value) (types.Value, error) {
	ns := nextID(c)
	at, err := datetime.AddToTimestamptz(c, types.TimestampAt(time.Unix(0, ns)), shift)
	if err != nil {
		return types.Null, err
	}
	micros := at.Micros() + datetime.Epoch2000*datetime.SecondMicros
	if micros < 0 || micros/1000 >= 1<<48 {
		return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range for UUID version 7")
	}
	return uuidOf(micros/1000, micros%1000*1000+ns%1000)
}

// uuidOf is version 7, variant 1 (RFC 9562): 48 bits of milliseconds, 12 bits of how much of
// the next millisecond has passed, and random ones.
func uuidOf(millis, nanos int64) (types.Value, error) {
	var u [16]byte
	binary.BigEndian.PutUint64(u[:], uint64(millis)<<16|7<<12|uint64(nanos<<12/1_000_000))
	if _, err := rand.Read(u[8:]); err != nil {
		return types.Null, err
	}
	u[8] = u[8]&0x3f | 0x80
	return types.NewUUID(u), nil
}

// versionOf is the version of a uuid, which those of other variants have none of.
func versionOf(u [16]byte) (version int64, ok bool) {
	return int64(u[6] >> 4), u[8]&0xc0 == 0x80
}

func uuidVersion(_ *expr.Context, a types.Value) (types.Value, error) {
	version, ok := versionOf(a.UUID())
	if !ok {
		return types.Null, nil
	}
	return types.NewInt(version), nil
}

// gregorian is the seconds from the start of the Gregorian calendar in 1582, where the time of
// version 1 begins, to 1970.
const gregorian = 12_219_292_800

func uuidTime(_ *expr.Context, a types.Value) (types.Value, error) {
	u := a.UUID()
	version, ok := versionOf(u)
	switch {
	case !ok:
	case version == 1: // steps of 100 nanoseconds, the lowest 32 bits first
		ticks := int64(binary.BigEndian.Uint32(u[:])) | int64(binary.BigEndian.Uint16(u[4:]))<<32 |
			int64(binary.BigEndian.Uint16(u[6:])&0xfff)<<48
		return types.NewTimestamp(ticks/10 - (gregorian+datetime.Epoch2000)*datetime.SecondMicros), nil
	case version == 7:
		millis := int64(binary.BigEndian.Uint64(u[:]) >> 16)
		return types.NewTimestamp(millis*1000 - datetime.Epoch2000*datetime.SecondMicros), nil
	}
	return types.Null, nil
}
