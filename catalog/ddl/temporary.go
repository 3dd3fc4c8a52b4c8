package ddl

import (
	"context"
	"fmt"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// meantSchema is the schema that a statement names: pg_temp is the session's own.
func meantSchema(d *Definer, name string) string {
	if name == ast.TemporarySchema && *d.Temporary != "" {
		return *d.Temporary
	}
	return name
}

// mayMove checks that an object of a schema can be moved to another one, and that the present role may make objects
// there.
func mayMove(ctx context.Context, d *Definer, name, from, to string) error {
	if to == ast.TemporarySchema || from != to &&
		(strings.HasPrefix(from, catalog.TemporaryPrefix) || strings.HasPrefix(to, catalog.TemporaryPrefix)) {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot move objects into or out of temporary schemas")
	}
	_, err := d.SchemaFor(ctx, d.Txn.Changed().Snap, ast.Name{Schema: to, Name: name, Pos: -1})
	return err
}

// temporarySchema is the session's schema of temporary relations, which it makes.
func (d *Definer) temporarySchema(ctx context.Context) (string, error) {
	snap := d.Txn.Changed().Snap
	if snap.Schema(*d.Temporary) != nil {
		return *d.Temporary, nil
	}
	if have, _ := snap.Privileges(d.Role, snap.Database()); have&catalog.MayCreateTemp == 0 {
		return "", statement.Denied("permission denied to create temporary tables in database \"%s\"", d.Database)
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return "", err
	}
	*d.Temporary = fmt.Sprintf("%s%d", catalog.TemporaryPrefix, id)
	schema := &catalog.Schema{ID: uint32(id), Name: *d.Temporary, Member: d.Node.MemberID(),
		Rights: catalog.Rights{Owner: d.Role}}
	return *d.Temporary, d.Txn.Put(ctx, schema)
}
