package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/password"
	"zproxy/sqlerr"
)

// SetBootstrap names the bootstrap superuser and gives it a password, for a program that is
// told both when it starts.
func (db *DB) SetBootstrap(ctx context.Context, name, secret string) error {
	s, err := db.Connect(Startup{User: name, Database: db.name(), Internal: true})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	r := *s.txn.Changed().Snap.RoleByID(catalog.BootstrapID)
	if other := s.txn.Changed().Snap.Role(name); other != nil && other.ID != r.ID {
		return sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", name)
	}
	r.Name, r.Login = name, true
	v, err := password.NewVerifier(secret)
	if err != nil {
		return err
	}
	r.Verifier = v.String()
	if err := s.txn.Put(ctx, &r); err != nil {
		return err
	}
	if err := s.reach.definer(nil).PutSecret(ctx); err != nil {
		return err
	}
	return s.txn.Commit(ctx)
}
