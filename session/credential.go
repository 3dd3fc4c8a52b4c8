package session

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"math"
	"strings"
	"time"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// Credential is what a client must show before it may be a user.
type Credential struct {
	// Trusted says that nothing is asked of clients on this machine, and that others are
	// turned away: no role has a password.
	Trusted bool
	// Verifier is what the password is checked against.
	Verifier Verifier
	// Doomed says that no password is right. The verifier is made up then, so that a client
	// that guesses names sees the same messages whether or not there is such a role.
	Doomed bool
}

// Authentication says what a client must show to be a user. Whether the user may then log
// in is for Connect to say, after the client has proved who it is.
func (db *DB) Authentication(user string) Credential {
	if !db.hasPasswords() {
		return Credential{Trusted: true}
	}
	text, until := db.password(user)
	v, err := ParseVerifier(text)
	if err != nil || !until.IsZero() && !time.Now().Before(until) {
		return Credential{Verifier: db.mockVerifier(user), Doomed: true}
	}
	return Credential{Verifier: v}
}

// hasPasswords says whether any role has a password.
func (db *DB) hasPasswords() bool { return db.Snapshot().AnyPassword() }

// password is the verifier of a role, empty when there is no such role or it has none, and
// when it ceases to be good, the zero time for never.
func (db *DB) password(user string) (verifier string, until time.Time) {
	r := db.Snapshot().Role(user)
	if r == nil {
		return "", until
	}
	if r.ValidUntil != nil && *r.ValidUntil != math.MaxInt64 {
		const epoch = 946_684_800_000_000 // 2000, which the microseconds of a timestamptz count from
		until = time.UnixMicro(epoch + max(*r.ValidUntil, math.MinInt64/2))
	}
	return r.Verifier, until
}

// mockVerifier is that of a user who has none. It is the same at every attempt, as that of
// a role would be.
func (db *DB) mockVerifier(user string) Verifier {
	secret := db.Snapshot().Database().Secret
	derive := func(what string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(what + "\x00" + user))
		return mac.Sum(nil)
	}
	return Verifier{
		Iterations: verifierIterations, Salt: derive("salt")[:saltSize],
		StoredKey: derive("stored key"), ServerKey: derive("server key"),
	}
}

// setPassword keeps the verifier of a password, or a verifier that was made elsewhere; the
// password itself ends here.
func (s *Session) setPassword(r *catalog.Role, o ast.RoleOption, c Client) error {
	r.Verifier = ""
	switch {
	case o.Null:
		return nil
	case o.Value == "":
		return c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "empty string is not a valid password, clearing password"))
	case isMD5(o.Value):
		return sqlerr.Unsupported("a password that is encrypted with MD5").WithHint("Send the password itself, or a SCRAM-SHA-256 verifier of it.")
	}
	v, err := ParseVerifier(o.Value)
	if err != nil {
		v, err = NewVerifier(o.Value)
	}
	r.Verifier = v.String()
	return err
}

// putSecret sees to it that there is a secret when a role has a password.
func (s *Session) putSecret(ctx context.Context) error {
	snap := s.txn.Changed().Snap
	if !snap.AnyPassword() || snap.Database().Secret != nil {
		return nil
	}
	d := *snap.Database()
	d.Secret = make([]byte, 32)
	_, _ = rand.Read(d.Secret) // never fails
	return s.txn.Put(ctx, &d)
}

// isMD5 says whether a text is what PostgreSQL keeps of a password by MD5.
func isMD5(text string) bool {
	hex, ok := strings.CutPrefix(text, "md5")
	return ok && len(hex) == 32 && strings.Trim(hex, "0123456789abcdef") == ""
}
