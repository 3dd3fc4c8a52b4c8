package host

import (
	"zproxy/catalog"
	"zproxy/cluster/exchange"
	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/json"
)

// Sites is what functions exchange with other stores. It implements system.Sites.
type Sites struct{ *Call }

// Changes implements system.Sites.
func (s Sites) Changes(relation uint32, since int64) expr.Set {
	return func(yield func(types.Row, error) bool) {
		x, err := s.exchange(relation, catalog.MaySelect)
		if err != nil {
			yield(nil, err)
			return
		}
		txn, err := s.Block.Strong(s.Ctx, x.Table)
		if err == nil { // by the catalog of the transaction
			x, err = s.exchange(relation, catalog.MaySelect)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		x.Changes(s.Ctx, txn, since)(yield)
	}
}

// Apply implements system.Sites. The rows are merged in transactions of their own.
func (s Sites) Apply(relation uint32, changes *json.Value) (int64, error) {
	const function = "zproxy.apply_changes()"
	x, err := s.exchange(relation, catalog.MayInsert|catalog.MayUpdate|catalog.MayDelete)
	if err == nil {
		err = s.Block.RefuseReadOnly(function)
	}
	if err == nil {
		err = s.Block.NotIn(function)
	}
	if err != nil {
		return 0, err
	}
	return x.Apply(s.Ctx, changes)
}

// exchange is that of a table, on which the present role must have privileges. Values are the same texts whatever
// the settings of the session are.
func (s Sites) exchange(relation uint32, privileges catalog.Privileges) (exchange.Exchange, error) {
	r := s.schema().Numbered(relation)
	t, ok := r.(*catalog.Table)
	switch {
	case r == nil:
		return exchange.Exchange{}, sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", relation)
	case !ok:
		return exchange.Exchange{}, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a table", r.Ref().Name)
	}
	d := s.Indexes()
	return exchange.Exchange{
		Node: s.Node, Tables: d.Tables, Schema: s.schema(), Table: t, Exec: d.Exec,
		Env: &types.Env{Names: s.Env.Names, Work: s.Env.Work},
	}, s.Statement().MustHold(s.schema(), t, privileges)
}
