package ddl

import (
	"context"
	"maps"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// commentDatabase runs COMMENT ON DATABASE. As in PostgreSQL another database is only a warning, so that a dump can be
// restored into one of another name.
func (d owners) commentDatabase(ctx context.Context, name, text string) error {
	snap := d.Txn.Changed().Snap
	database := d.DatabaseNames.Find(snap, name)
	if database == nil {
		return d.Notice(sqlerr.Warn(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name))
	}
	if err := d.MustOwn(snap, database); err != nil {
		return err
	}
	c := *database
	c.Comment = text
	return d.Txn.Put(ctx, &c)
}

// setInDatabase keeps settings that sessions in the database begin with: all, or those of a role.
func (d roles) setInDatabase(ctx context.Context, tree *ast.AlterRoleSet, r *catalog.Role) error {
	snap := d.Txn.Changed().Snap
	database, err := owners(d).databaseNamed(snap, tree.Database)
	if err != nil {
		return err
	}
	role := uint32(catalog.Public)
	if r != nil {
		role = r.ID
	} else if err := d.MustOwn(snap, database); err != nil {
		return err
	}
	c := *database
	if c.RoleConfig = maps.Clone(database.RoleConfig); c.RoleConfig == nil {
		c.RoleConfig = map[uint32][]string{}
	}
	list, err := d.Configure(c.RoleConfig[role], tree.Set)
	if err != nil {
		return err
	}
	if c.RoleConfig[role] = list; len(list) == 0 {
		delete(c.RoleConfig, role)
	}
	return d.Txn.Put(ctx, &c)
}

// forgetSettings takes the settings away that sessions of a role in the database began with.
func (d roles) forgetSettings(ctx context.Context, role uint32) error {
	for _, database := range d.Txn.Changed().Snap.Databases() {
		if len(database.RoleConfig[role]) == 0 {
			continue
		}
		c := *database
		c.RoleConfig = maps.Clone(database.RoleConfig)
		delete(c.RoleConfig, role)
		if err := d.Txn.Put(ctx, &c); err != nil {
			return err
		}
	}
	return nil
}

// checkpoint runs CHECKPOINT: every commit is durable already.
func checkpoint(d *Definer) error {
	const pgCheckpoint = 4544
	if snap := d.Schema(); !d.Superuser() && !snap.Acts(d.Role, pgCheckpoint) {
		return statement.Denied("must be superuser or have privileges of pg_checkpoint")
	}
	return nil
}

// load runs LOAD. PL/pgSQL is what every PostgreSQL can load, and its functions need nothing more.
func load(tree *ast.Load) error {
	if strings.TrimPrefix(tree.Library, "$libdir/") == "plpgsql" {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedFile, "could not access file \"%s\": No such file or directory", tree.Library)
}
