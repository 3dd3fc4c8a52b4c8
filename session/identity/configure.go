package identity

import (
	"iter"
	"slices"
	"strings"

	"zproxy/parser/ast"
	"zproxy/session/settings"
)

// Configure changes a list of settings that a role or the database keeps, none of which need be good for this session.
// Sessions begin with the given settings.
func (u *User) Configure(given map[string]string, list []string, set *ast.Set) ([]string, error) {
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
		if len(rest) == 0 {
			rest = nil
		}
		return rest, nil
	}
	trial, err := settings.New(u.Name, given)
	if err != nil {
		return nil, err
	}
	own := u.settings
	value, err := row.Written(set)
	if err != nil {
		return nil, err
	}
	if set.Current {
		value, _ = own.Get(row.Name)
	}
	trial.Who, trial.IsSuper, trial.Store = own.Who, own.IsSuper, own.Store
	if err := trial.Ask(row.Name, value, false); err != nil {
		return nil, err
	}
	own.PendingNotices = append(own.PendingNotices, trial.PendingNotices...)
	return append(rest, row.Name+"="+value), nil
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
