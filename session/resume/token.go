// Package resume makes the tokens of resumable cursors: a text that says where a cursor stopped, which a client keeps
// and cannot read or change. It knows no statements; session fills in what a Token is bound to. Read Token
// first.
package resume

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"time"

	"zproxy/sqlerr"
)

// Token is what the text of a token holds.
type Token struct {
	Statement []byte   // a hash of what the statement is and by which settings its values are read
	Role      int64    // for which it was made
	Until     int64    // the last millisecond in which it may be used; 0: it does not expire
	Layouts   []Layout // of the keys of each scan
	Rows      int64    // delivered so far
	Last      int      // the number of the scan that the last of them came from
	Keys      []Key
}

// Expired says whether a token is not to be used any more.
func (t *Token) Expired(now time.Time) bool { return t.Until != 0 && now.UnixMilli() > t.Until }

// Layout says which keys a plan reads, and in which order.
type Layout struct {
	Space           int64
	Reverse, Merged bool
}

// Key is that of the last row that was delivered of one stream of keys of a scan.
type Key struct {
	Scan            int
	Partition, Sort []byte
}

// form is the version of the tokens, which each begins with.
const form = 2

// Seal makes the text of a token: AES-GCM with a key derived from a secret, of the ASN.1 of the token, in
// base64 for URLs.
func Seal(secret []byte, t Token) (string, error) {
	plain, err := asn1.Marshal(t)
	if err != nil {
		return "", err
	}
	box, err := sealer(secret)
	if err != nil {
		return "", err
	}
	out := make([]byte, 1+box.NonceSize(), 1+box.NonceSize()+len(plain)+box.Overhead())
	out[0] = form
	_, _ = rand.Read(out[1:]) // never fails
	return base64.RawURLEncoding.EncodeToString(box.Seal(out, out[1:], plain, out[:1])), nil
}

// Open reads the text of a token that Seal made with the same secret.
func Open(secret []byte, text string) (Token, error) {
	var t Token
	sealed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return t, errInvalid()
	}
	box, err := sealer(secret)
	if err != nil {
		return t, err
	}
	front := 1 + box.NonceSize()
	if len(sealed) < front || sealed[0] != form {
		return t, errInvalid()
	}
	plain, err := box.Open(nil, sealed[1:front], sealed[front:], sealed[:1])
	if err != nil {
		return t, errInvalid()
	}
	if rest, err := asn1.Unmarshal(plain, &t); err != nil || len(rest) > 0 {
		return Token{}, errInvalid()
	}
	return t, nil
}

func errInvalid() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid resume token").
		WithDetail("The token was not made by this database, or it was changed.")
}

// sealer encrypts and authenticates with the key of tokens.
func sealer(secret []byte) (cipher.AEAD, error) {
	key := hmac.New(sha256.New, secret)
	key.Write([]byte("zproxy resume token"))
	block, err := aes.NewCipher(key.Sum(nil))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
