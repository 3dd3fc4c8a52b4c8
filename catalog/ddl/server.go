package ddl

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/foreign"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/store"
)

// ServerNamed is the server of that name.
func (d *Definer) ServerNamed(server string) (store.Outsider, error) {
	o, ok := d.Node.Store.(store.Outsider)
	if !ok || o.Server() != server {
		return nil, sqlerr.New(sqlerr.UndefinedObject, "server \"%s\" does not exist", server)
	}
	return o, nil
}

// Outsider is the server of that name, which the present role must be allowed to use.
func (d *Definer) Outsider(server string) (store.Outsider, error) {
	o, err := d.ServerNamed(server)
	if err != nil {
		return nil, err
	}
	if !d.Superuser() { // no privilege can be granted on it
		return nil, statement.Denied("permission denied for foreign server %s", server)
	}
	return o, nil
}

// Described is how a table of a server looks.
func (d *Definer) Described(ctx context.Context, f *catalog.Foreign) (*store.OutsideTable, error) {
	o, err := d.Outsider(f.Server)
	if err != nil {
		return nil, err
	}
	t, err := o.Describe(ctx, f.Table)
	if err == nil && t == nil {
		err = sqlerr.New(sqlerr.ForeignTableNotFound, "server \"%s\" has no table \"%s\"", f.Server, f.Table).
			WithHint("The option %s says what the table is called there.", foreign.TableName)
	}
	return t, err
}

// NotOnForeign refuses to do something with a foreign table.
func NotOnForeign(t *catalog.Table, verb string) error {
	if t.Foreign == nil {
		return nil
	}
	return sqlerr.New(sqlerr.WrongObjectType, "cannot %s relation %q", verb, t.Name).
		WithDetail("This operation is not supported for foreign tables.")
}
