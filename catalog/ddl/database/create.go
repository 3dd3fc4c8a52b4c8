package database

import (
	"context"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// create runs CREATE DATABASE.
func (d *Definer) create(ctx context.Context, tree *ast.CreateDatabase) error {
	if err := d.NotIn("CREATE DATABASE"); err != nil {
		return err
	}
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	snap := change.Snap
	next := catalog.Database{Name: tree.Name, Rights: catalog.Rights{Owner: d.Role}}
	template := "template1"
	for _, o := range tree.Options {
		switch {
		case o.Name == "template" && !o.Null:
			template = o.Value
		case !slices.Contains(known, o.Name):
			return sqlerr.New(sqlerr.SyntaxError, "option \"%s\" not recognized", o.Name).At(int(o.Pos))
		}
		if err := apply(&next, o); err != nil {
			return err
		}
	}
	if next.Owner, err = d.ownerOf(snap, tree.Options); err != nil {
		return err
	}
	if !d.mayMake(snap) {
		return statement.Denied("permission denied to create database")
	}
	if !snap.Member(d.Role, next.Owner) {
		return statement.Denied("must be member of role \"%s\"", d.RoleName(snap, next.Owner))
	}
	from, err := d.template(snap, template)
	if err != nil {
		return err
	}
	if err := d.encoding(from, tree.Options); err != nil {
		return err
	}
	if err := d.locale(tree.Options); err != nil {
		return err
	}
	if err := d.refuseTablespace(tree.Options); err != nil {
		return err
	}
	if err := d.mustBeNew(snap, tree.Name); err != nil {
		return err
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	next.ID = uint32(id)
	if err := d.nameDefault(ctx, snap, tree.Name); err != nil {
		return err
	}
	return d.copied(ctx, from, &next)
}

// known are the options of CREATE DATABASE.
var known = []string{"template", "owner", "encoding", "locale", "lc_collate", "lc_ctype", "icu_locale", "icu_rules",
	"locale_provider", "collation_version", "tablespace", "allow_connections", "connection_limit", "is_template",
	"strategy", "location"}

// ownerOf is who is to own a database.
func (d *Definer) ownerOf(snap *catalog.Snapshot, options []ast.RoleOption) (uint32, error) {
	for _, o := range options {
		if o.Name == "owner" && !o.Null {
			r, err := d.RoleOf(snap, ast.RoleName{Name: o.Value, Pos: -1})
			if err != nil {
				return 0, err
			}
			return r.ID, nil
		}
	}
	return d.Role, nil
}

// template finds the database that is copied.
func (d *Definer) template(snap *catalog.Snapshot, name string) (*catalog.Database, error) {
	from := d.DatabaseNames.Find(snap, name)
	switch {
	case from == nil:
		return nil, sqlerr.New(sqlerr.InvalidCatalogName, "template database \"%s\" does not exist", name)
	case !from.Template && !snap.Owns(d.Role, from):
		return nil, statement.Denied("permission denied to copy database \"%s\"", name)
	}
	return from, nil
}

// locale looks at the options about texts, which all databases have in one encoding and one order.
func (d *Definer) locale(options []ast.RoleOption) error {
	plain := []string{"", "C", "POSIX", "C.UTF-8", "C.UTF8", "C.utf8"}
	for _, o := range options {
		switch value := strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(o.Value)); o.Name {
		case "strategy":
			if !o.Null && value != "wallog" && value != "filecopy" {
				return sqlerr.New(sqlerr.InvalidParameterValue, "invalid create database strategy \"%s\"", o.Value).
					WithHint("Valid strategies are \"wal_log\", and \"file_copy\".")
			}
		case "locale_provider":
			if !slices.Contains([]string{"libc", "icu", "builtin"}, value) {
				return sqlerr.New(sqlerr.InvalidObjectDefinition, "unrecognized locale provider: %s", o.Value)
			}
		case "locale", "lc_collate", "icu_locale":
			if o.Null || slices.Contains(plain, o.Value) {
				continue
			}
			if err := d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"texts of database are ordered as in locale \"C\", not as in \"%s\"", o.Value)); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameDefault lets the default database answer only to the names by which it is used, when the first other database is
// made.
func (d *Definer) nameDefault(ctx context.Context, snap *catalog.Snapshot, but string) error {
	of := snap.DefaultDatabase()
	if of.Name != "" {
		return nil
	}
	next := *of
	next.Name = d.Default
	if of.ID == snap.Database().ID {
		next.Name = d.Database
	}
	for _, name := range append(d.Server.Used(), catalog.DefaultDatabaseName) {
		if name != next.Name && name != but && !slices.Contains(next.Aliases, name) {
			next.Aliases = append(next.Aliases, name)
		}
	}
	return d.Txn.Put(ctx, &next)
}
