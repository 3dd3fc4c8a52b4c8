package ddl

import (
	"context"
	"crypto/rand"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/password"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// setPassword keeps the verifier of a password, or a verifier that was made elsewhere; the
// password itself ends here.
func (d roles) setPassword(r *catalog.Role, o ast.RoleOption) error {
	r.Verifier = ""
	switch {
	case o.Null:
		return nil
	case o.Value == "":
		return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
			"empty string is not a valid password, clearing password"))
	case isMD5(o.Value):
		return sqlerr.Unsupported("a password that is encrypted with MD5").WithHint("Send the password itself, or a SCRAM-SHA-256 verifier of it.")
	}
	v, err := password.ParseVerifier(o.Value)
	if err != nil {
		v, err = password.NewVerifier(o.Value)
	}
	r.Verifier = v.String()
	return err
}

// PutSecret sees to it that there is a secret when a role has a password.
func (d *Definer) PutSecret(ctx context.Context) error {
	if !d.Txn.Changed().Snap.AnyPassword() {
		return nil
	}
	return d.MakeSecret(ctx)
}

// MakeSecret sees to it that there is a secret.
func (d *Definer) MakeSecret(ctx context.Context) error {
	snap := d.Txn.Changed().Snap
	if snap.DefaultDatabase().Secret != nil {
		return nil
	}
	next := *snap.DefaultDatabase()
	next.Secret = make([]byte, 32)
	_, _ = rand.Read(next.Secret) // never fails
	return d.Txn.Put(ctx, &next)
}

// isMD5 says whether a text is what PostgreSQL keeps of a password by MD5.
func isMD5(text string) bool {
	hex, ok := strings.CutPrefix(text, "md5")
	return ok && len(hex) == 32 && strings.Trim(hex, "0123456789abcdef") == ""
}
