// Package uuids is the functions of the extension uuid-ossp: uuids of versions 1, 3, 4 and 5 (RFC 9562), and the
// namespaces of those that are made of names. Those of the time and of random bits for other ends are in package id.
// Begin with Functions.
package uuids

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"hash"
	"net"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// Functions are those of uuid-ossp.
var Functions = []*expr.Function{
	{Name: "uuid_nil", OID: 9700, Args: pg.Sig{}, Result: pg.UUID, Doc: "Uuid without any bit.", Fn0: constant([16]byte{})},
	{Name: "uuid_ns_dns", OID: 9701, Args: pg.Sig{}, Result: pg.UUID, Doc: "Namespace of names of the domain name system.", Fn0: constant(namespace(0x10))},
	{Name: "uuid_ns_url", OID: 9702, Args: pg.Sig{}, Result: pg.UUID, Doc: "Namespace of URLs.", Fn0: constant(namespace(0x11))},
	{Name: "uuid_ns_oid", OID: 9703, Args: pg.Sig{}, Result: pg.UUID, Doc: "Namespace of object identifiers of ISO.", Fn0: constant(namespace(0x12))},
	{Name: "uuid_ns_x500", OID: 9704, Args: pg.Sig{}, Result: pg.UUID, Doc: "Namespace of names of X.500.", Fn0: constant(namespace(0x14))},
	{Name: "uuid_generate_v1", OID: 9705, Args: pg.Sig{}, Result: pg.UUID, Volatility: expr.Volatile, Doc: "Uuid of the time and the address of this machine.", Fn0: ofTime(machine)},
	{Name: "uuid_generate_v1mc", OID: 9706, Args: pg.Sig{}, Result: pg.UUID, Volatility: expr.Volatile, Doc: "Uuid of the time and a random multicast address.", Fn0: ofTime(multicast)},
	{Name: "uuid_generate_v3", OID: 9707, Args: pg.Sig{pg.UUID, pg.Text}, Params: []string{"namespace", "name"}, Result: pg.UUID, Doc: "Uuid of the MD5 hash of a name in a namespace.", Fn2: ofName(3, md5.New)},
	{Name: "uuid_generate_v4", OID: 9708, Args: pg.Sig{}, Result: pg.UUID, Volatility: expr.Volatile, Doc: "Random uuid.", Fn0: ofChance},
	{Name: "uuid_generate_v5", OID: 9709, Args: pg.Sig{pg.UUID, pg.Text}, Params: []string{"namespace", "name"}, Result: pg.UUID, Doc: "Uuid of the SHA-1 hash of a name in a namespace.", Fn2: ofName(5, sha1.New)},
}

// namespace is one of the namespaces of RFC 9562, which differ in one byte.
func namespace(last byte) [16]byte {
	return [16]byte{0x6b, 0xa7, 0xb8, last, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
}

func constant(u [16]byte) func(*expr.Context) (types.Value, error) {
	return func(*expr.Context) (types.Value, error) { return types.NewUUID(u), nil }
}

// of is a uuid of a version, variant 1.
func of(u [16]byte, version byte) types.Value {
	u[6], u[8] = u[6]&0x0f|version<<4, u[8]&0x3f|0x80
	return types.NewUUID(u)
}

func ofChance(*expr.Context) (types.Value, error) {
	var u [16]byte
	_, err := rand.Read(u[:])
	return of(u, 4), err
}

func ofName(version byte, hashed func() hash.Hash) expr.Function2 {
	return func(c *expr.Context, space, name types.Value) (types.Value, error) {
		h, u := hashed(), space.UUID()
		h.Write(u[:])
		if err := c.Pieces(name.Text(), 1, func(piece string) { h.Write([]byte(piece)) }); err != nil {
			return types.Null, err
		}
		copy(u[:], h.Sum(nil))
		return of(u, version), nil
	}
}

// gregorian is how many steps of 100 nanoseconds lie between 1582, where the time of version 1 begins, and 1970.
const gregorian = 122_192_928_000_000_000

// ofTime makes uuids of version 1: each later than the one before, in steps of 100 nanoseconds.
func ofTime(node func() ([6]byte, error)) func(*expr.Context) (types.Value, error) {
	return func(c *expr.Context) (types.Value, error) {
		if c.IDs == nil {
			c.IDs = new(expr.IDClock)
		}
		address, err := node()
		if err != nil {
			return types.Null, err
		}
		var u [16]byte
		if _, err := rand.Read(u[8:10]); err != nil {
			return types.Null, err
		}
		ticks := uint64(c.IDs.After(time.Now()))/100 + gregorian
		binary.BigEndian.PutUint32(u[0:], uint32(ticks))
		binary.BigEndian.PutUint16(u[4:], uint16(ticks>>32))
		binary.BigEndian.PutUint16(u[6:], uint16(ticks>>48))
		copy(u[10:], address[:])
		return of(u, 1), nil
	}
}

// machine is the address of the first network card; where there is none, a random one.
func machine() (out [6]byte, err error) {
	all, err := net.Interfaces()
	if err != nil {
		return multicast()
	}
	for _, one := range all {
		if len(one.HardwareAddr) == len(out) && one.HardwareAddr.String() != "00:00:00:00:00:00" {
			copy(out[:], one.HardwareAddr)
			return out, nil
		}
	}
	return multicast()
}

func multicast() (out [6]byte, err error) {
	_, err = rand.Read(out[:])
	out[0] |= 1
	return out, err
}
