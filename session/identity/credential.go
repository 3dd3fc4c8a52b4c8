package identity

import (
	"math"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/password"
)

// Credential is what a client must show before it may be a user.
type Credential struct {
	// Trusted says that nothing is asked of clients on this machine, and that others are
	// turned away: no role has a password.
	Trusted bool
	// Verifier is what the password is checked against.
	Verifier password.Verifier
	// Doomed says that no password is right. The verifier is made up then, so that a client
	// that guesses names sees the same messages whether or not there is such a role.
	Doomed bool
}

// CredentialOf says what a client must show to be a user. Whether the user may then log
// in is for `User.Authenticate` to say, after the client has proved who it is.
func CredentialOf(snap *catalog.Snapshot, user string) Credential {
	if !snap.AnyPassword() {
		return Credential{Trusted: true}
	}
	text, until := passwordOf(snap, user)
	v, err := password.ParseVerifier(text)
	if err != nil || !until.IsZero() && !time.Now().Before(until) {
		return Credential{Verifier: password.MockVerifier(snap.DefaultDatabase().Secret, user), Doomed: true}
	}
	return Credential{Verifier: v}
}

// passwordOf is the verifier of a role, empty when there is no such role or it has none, and
// when it ceases to be good, the zero time for never.
func passwordOf(snap *catalog.Snapshot, user string) (verifier string, until time.Time) {
	r := snap.Role(user)
	if r == nil {
		return "", until
	}
	if r.ValidUntil != nil && *r.ValidUntil != math.MaxInt64 {
		const epoch = 946_684_800_000_000 // 2000, which the microseconds of a timestamptz count from
		until = time.UnixMicro(epoch + max(*r.ValidUntil, math.MinInt64/2))
	}
	return r.Verifier, until
}
