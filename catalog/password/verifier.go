// Package password has the stored form of passwords: verifiers of SCRAM-SHA-256, in PostgreSQL's format. It also
// makes mock verifiers, for users that do not exist. The SCRAM exchange itself is in `wire`; `session` decides
// which clients need a password. Read `Verifier` first.
package password

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/scram"
)

// Verifier is what is kept of a password: enough to check one by SCRAM-SHA-256, and not
// enough to log in with.
type Verifier struct {
	Iterations                 int
	Salt, StoredKey, ServerKey []byte
}

const (
	// verifierIterations make a stolen verifier expensive to guess from; as PostgreSQL's.
	verifierIterations = 4096
	// maxIterations bound what a verifier made elsewhere may cost clients.
	maxIterations = 1_000_000
	saltSize      = 16
)

// NewVerifier makes the verifier of a password, with a salt of its own. A password that
// SASLprep does not take is used as it is.
func NewVerifier(password string) (Verifier, error) {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails
	return newVerifier(password, salt)
}

func newVerifier(password string, salt []byte) (Verifier, error) {
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		client, _ = scram.SHA256.NewClientUnprepped("", password, "") // never fails
	}
	keys, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: verifierIterations})
	if err != nil {
		return Verifier{}, fmt.Errorf("password: %w", err)
	}
	return Verifier{Iterations: verifierIterations, Salt: salt, StoredKey: keys.StoredKey, ServerKey: keys.ServerKey},
		nil
}

const verifierKind = "SCRAM-SHA-256"

// String is the text that PostgreSQL keeps: SCRAM-SHA-256$iterations:salt$stored:server.
func (v Verifier) String() string {
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s$%d:%s$%s:%s", verifierKind, v.Iterations, encode(v.Salt), encode(v.StoredKey),
		encode(v.ServerKey))
}

var errVerifier = errors.New("not a SCRAM-SHA-256 verifier")

// ParseVerifier reads what String writes.
func ParseVerifier(text string) (Verifier, error) {
	parts := strings.Split(text, "$")
	if len(parts) != 3 || parts[0] != verifierKind {
		return Verifier{}, errVerifier
	}
	count, salt, ok := strings.Cut(parts[1], ":")
	stored, server, also := strings.Cut(parts[2], ":")
	if !ok || !also {
		return Verifier{}, errVerifier
	}
	var v Verifier
	var errs [4]error
	v.Iterations, errs[0] = strconv.Atoi(count)
	v.Salt, errs[1] = base64.StdEncoding.DecodeString(salt)
	v.StoredKey, errs[2] = base64.StdEncoding.DecodeString(stored)
	v.ServerKey, errs[3] = base64.StdEncoding.DecodeString(server)
	if errors.Join(errs[:]...) != nil || v.Iterations < 1 || v.Iterations > maxIterations ||
		len(v.Salt) == 0 || len(v.StoredKey) != sha256.Size || len(v.ServerKey) != sha256.Size {
		return Verifier{}, errVerifier
	}
	return v, nil
}

// MockVerifier is that of a user who has none. It is the same at every attempt, as that of
// a role would be.
func MockVerifier(secret []byte, user string) Verifier {
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
