// Package crypto is the functions of the extension pgcrypto: hashes, hashes with keys and of passwords, random bytes,
// and ciphers with keys. What it has for messages of PGP is not here. Begin with Functions.
package crypto

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/text"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Functions are those of pgcrypto. gen_random_uuid is in pg_catalog.
var Functions = slices.Concat(hashFunctions, passwordFunctions, cipherFunctions)

var hashFunctions = []*expr.Function{
	{Name: "digest", OID: 9710, Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Bytea, Doc: "Hash of a text by an algorithm: md5, sha1, sha224, sha256, sha384 or sha512.", Fn2: digest},
	{Name: "digest", OID: 9711, Args: pg.Sig{pg.Bytea, pg.Text}, Result: pg.Bytea, Doc: "Hash of bytes by an algorithm.", Fn2: digest},
	{Name: "hmac", OID: 9712, Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Bytea, Doc: "Hash of a text with a key, by an algorithm (RFC 2104).", FnN: hashWithKey},
	{Name: "hmac", OID: 9713, Args: pg.Sig{pg.Bytea, pg.Bytea, pg.Text}, Result: pg.Bytea, Doc: "Hash of bytes with a key, by an algorithm (RFC 2104).", FnN: hashWithKey},
	{Name: "gen_random_bytes", OID: 9714, Args: pg.Sig{pg.Int4}, Result: pg.Bytea, Volatility: expr.Volatile, Doc: "So many random bytes, at most 1024.", Fn1: randomBytes},
}

func cannotUse(name, why string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "Cannot use \"%s\": %s", strings.ToLower(name), why)
}

// algorithm is a hash by its name.
func algorithm(name string) (func() hash.Hash, error) {
	switch strings.ToLower(name) {
	case "md5":
		return md5.New, nil
	case "sha1":
		return sha1.New, nil
	case "sha224":
		return sha256.New224, nil
	case "sha256":
		return sha256.New, nil
	case "sha384":
		return sha512.New384, nil
	case "sha512":
		return sha512.New, nil
	}
	return nil, cannotUse(name, "No such hash algorithm")
}

func digest(c *expr.Context, data, name types.Value) (types.Value, error) {
	of, err := algorithm(name.Text())
	if err != nil {
		return types.Null, err
	}
	sum, err := text.Hash(c, of(), data)
	return types.NewBytes(sum), err
}

func hashWithKey(c *expr.Context, args []types.Value) (types.Value, error) {
	of, err := algorithm(args[2].Text())
	if err != nil {
		return types.Null, err
	}
	if err := c.Tick(len(args[1].Text())); err != nil {
		return types.Null, err
	}
	sum, err := text.Hash(c, hmac.New(of, []byte(args[1].Text())), args[0])
	return types.NewBytes(sum), err
}

func randomBytes(_ *expr.Context, n types.Value) (types.Value, error) {
	const most = 1024
	if n.Int() < 1 || n.Int() > most {
		return types.Null, sqlerr.New(sqlerr.ExternalRoutineInvocation, "Length not in range")
	}
	out := make([]byte, n.Int())
	_, err := rand.Read(out)
	return types.NewBytes(out), err
}
