package ddl

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/session/statement"
)

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
