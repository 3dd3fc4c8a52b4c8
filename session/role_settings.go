package session

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/password"
	"zproxy/parser/ast"
	"zproxy/session/settings"
	"zproxy/sqlerr"
)

// configure changes a list of settings, none of which need be good for this session.
func (s identity) configure(list []string, set *ast.Set) ([]string, error) {
	if set.Name == "all" && set.Default {
		return nil, nil
	}
	row, ok := settings.Find(set.Name)
	if !ok {
		return nil, settings.Unknown(set.Name)
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(item string) bool {
		name, _, _ := strings.Cut(item, "=")
		return strings.EqualFold(name, row.Name)
	})
	if set.Default {
		return rest, nil
	}
	trial, err := settings.New(s.user, s.db.options.Settings)
	if err != nil {
		return nil, err
	}
	trial.Who, trial.IsSuper, trial.Store = s.settings.Who, s.settings.IsSuper, s.settings.Store
	if err := trial.Ask(row.Name, set.Value, false); err != nil {
		return nil, err
	}
	s.settings.PendingNotices = append(s.settings.PendingNotices, trial.PendingNotices...)
	return append(rest, row.Name+"="+set.Value), nil
}

// configured are the names and values of a list of settings.
func configured(list []string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, item := range list {
			if name, value, ok := strings.Cut(item, "="); ok && !yield(name, value) {
				return
			}
		}
	}
}

// SetBootstrap names the bootstrap superuser and gives it a password, for a program that is
// told both when it starts.
func (db *DB) SetBootstrap(ctx context.Context, name, secret string) error {
	s, err := db.Connect(Startup{User: name, Database: cmp.Or(db.options.Database, defaultBootstrapName),
		Internal: true})
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
	if err := s.definer(nil).PutSecret(ctx); err != nil {
		return err
	}
	return s.commit(ctx)
}
