package crypto

import (
	"crypto/md5"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	//lint:ignore SA1019 what there is was made with it
	"golang.org/x/crypto/blowfish"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

var passwordFunctions = []*expr.Function{
	{Name: "crypt", OID: 9715, Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Hash of a password with a salt, or with the hash to compare with: bcrypt ($2a$) or MD5 ($1$).", Fn2: crypt},
	{Name: "gen_salt", OID: 9716, Args: pg.Sig{pg.Text}, Result: pg.Text, Volatility: expr.Volatile, Doc: "Random salt for crypt of a kind: bf or md5.", Fn1: salt},
	{Name: "gen_salt", OID: 9717, Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Volatility: expr.Volatile, Doc: "Random salt for crypt of a kind; a hash with it takes 2^n rounds.", Fn2: saltOf},
}

// The prefixes of hashes.
const (
	bcryptPrefix = "$2a$"
	md5Prefix    = "$1$"
)

// The digits of hashes.
const (
	bcryptDigits = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	md5Digits    = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

var bcryptEncoding = base64.NewEncoding(bcryptDigits).WithPadding(base64.NoPadding)

func crypt(c *expr.Context, password, salt types.Value) (types.Value, error) {
	with := salt.Text()
	word, _, _ := strings.Cut(password.Text(), "\x00")
	if err := c.Tick(len(word)); err != nil {
		return types.Null, err
	}
	switch {
	case strings.HasPrefix(with, bcryptPrefix):
		return bcrypt(c, word, with)
	case strings.HasPrefix(with, md5Prefix):
		return md5Crypt(c, word, with)
	case len(with) < 2:
		return types.Null, invalidSalt()
	}
	return types.Null, sqlerr.Unsupported("crypt by DES")
}

func invalidSalt() error { return sqlerr.New(sqlerr.InvalidParameterValue, "invalid salt") }

// The form of a salt of bcrypt: the prefix, the digits of the cost, a dollar, and the salt in digits.
const (
	bcryptCost  = len(bcryptPrefix)
	bcryptStart = bcryptCost + len("10$")
	bcryptSalt  = 22
	bcryptEnd   = bcryptStart + bcryptSalt
)

// bcrypt is the hash of Provos and Mazières.
func bcrypt(c *expr.Context, word, salt string) (types.Value, error) {
	if len(salt) < bcryptEnd || salt[bcryptStart-1] != '$' {
		return types.Null, invalidSalt()
	}
	cost, err := strconv.ParseUint(salt[bcryptCost:bcryptStart-1], 10, 8)
	last := strings.IndexByte(bcryptDigits, salt[bcryptEnd-1])
	if err != nil || cost < 4 || cost > 31 || last < 0 {
		return types.Null, invalidSalt()
	}
	head := salt[:bcryptEnd-1] + bcryptDigits[last&0x30:last&0x30+1] // of which only two bits count
	bytes, err := bcryptEncoding.DecodeString(head[bcryptStart:])
	if err != nil {
		return types.Null, invalidSalt()
	}
	key := append([]byte(word), 0)
	cipher, err := blowfish.NewSaltedCipher(key, bytes)
	if err != nil {
		return types.Null, err
	}
	const work = 1 << 15 // of one expansion
	for range uint64(1) << cost {
		if err := c.Tick(work); err != nil {
			return types.Null, err
		}
		blowfish.ExpandKey(key, cipher)
		blowfish.ExpandKey(bytes, cipher)
	}
	sum := []byte("OrpheanBeholderScryDoubt")
	for at := 0; at < len(sum); at += blowfish.BlockSize {
		for range 64 {
			cipher.Encrypt(sum[at:], sum[at:])
		}
	}
	return types.NewText(head + bcryptEncoding.EncodeToString(sum[:len(sum)-1])), nil
}

// md5Crypt is the hash of Kamp.
func md5Crypt(c *expr.Context, word, with string) (types.Value, error) {
	salt, _, _ := strings.Cut(with[len(md5Prefix):], "$")
	salt = salt[:min(len(salt), 8)]
	alternate := md5.Sum([]byte(word + salt + word))
	h := md5.New()
	h.Write([]byte(word + md5Prefix + salt))
	for n := len(word); n > 0; n -= len(alternate) {
		h.Write(alternate[:min(n, len(alternate))])
	}
	for n := len(word); n > 0; n >>= 1 {
		if n&1 != 0 {
			h.Write([]byte{0})
		} else {
			h.Write([]byte(word[:1]))
		}
	}
	sum := h.Sum(nil)
	for i := range 1000 {
		if err := c.Tick(len(word) + len(sum)); err != nil {
			return types.Null, err
		}
		sum = md5Round(i, word, salt, sum)
	}
	var out strings.Builder
	out.WriteString(md5Prefix + salt + "$")
	for _, at := range [][3]int{{0, 6, 12}, {1, 7, 13}, {2, 8, 14}, {3, 9, 15}, {4, 10, 5}} {
		out.WriteString(md5Text(uint32(sum[at[0]])<<16|uint32(sum[at[1]])<<8|uint32(sum[at[2]]), 4))
	}
	out.WriteString(md5Text(uint32(sum[11]), 2))
	return types.NewText(out.String()), nil
}

// md5Round hashes the sum of the round before with the password and the salt, in an order that differs by the round.
func md5Round(i int, word, salt string, sum []byte) []byte {
	first, last := []byte(word), sum
	if i&1 == 0 {
		first, last = sum, []byte(word)
	}
	h := md5.New()
	h.Write(first)
	if i%3 != 0 {
		h.Write([]byte(salt))
	}
	if i%7 != 0 {
		h.Write([]byte(word))
	}
	h.Write(last)
	return h.Sum(nil)
}

// md5Text is so many digits of a number, the lowest one first.
func md5Text(n uint32, digits int) string {
	out := make([]byte, digits)
	for i := range out {
		out[i] = md5Digits[n&0x3f]
		n >>= 6
	}
	return string(out)
}

func salt(c *expr.Context, kind types.Value) (types.Value, error) {
	return saltOf(c, kind, types.NewInt(0))
}

func saltOf(_ *expr.Context, kind, rounds types.Value) (types.Value, error) {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		return types.Null, err
	}
	switch strings.ToLower(kind.Text()) {
	case "bf":
		cost := rounds.Int()
		if cost == 0 {
			cost = 6
		}
		if cost < 4 || cost > 31 {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "gen_salt: Incorrect number of rounds")
		}
		text := bcryptEncoding.EncodeToString(random[:])
		return types.NewText(fmt.Sprintf("%s%02d$%s", bcryptPrefix, cost, text)), nil
	case "md5":
		low := uint32(random[0]) | uint32(random[1])<<8 | uint32(random[2])<<16
		high := uint32(random[3]) | uint32(random[4])<<8 | uint32(random[5])<<16
		return types.NewText(md5Prefix + md5Text(low, 4) + md5Text(high, 4)), nil
	case "des", "xdes":
		return types.Null, sqlerr.Unsupported("crypt by DES")
	}
	return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "gen_salt: Unknown salt algorithm")
}
