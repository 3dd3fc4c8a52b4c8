package expiry

import (
	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/expr"
	"zproxy/planner/lifetime"
	"zproxy/types"
)

// over says which rows of a table are to be removed, by one column.
type over struct {
	column int
	cond   expr.Expr // over the columns of the table
	is     func(row types.Row) bool
}

// over are the rows of a table that have expired by now, or those that are kept only for the timestamp of a delete that
// is older than the table keeps it; nil where all stay.
func (r *Remover) over(t *catalog.Table) *over {
	now := r.Now()
	if t.TTL != nil {
		at := t.Ordinal(t.TTL.Column)
		expired := func(row types.Row) bool { return t.TTL.Expired(row[at], now) }
		return &over{at, lifetime.Expired(t), expired}
	}
	keeps, ok := celltime.Retention(t)
	if !ok {
		return nil
	}
	at, last := celltime.DeletedAt(t), types.NewInt(now.UnixMilli()-keeps)
	column := expr.Column{Index: at, Name: t.Columns[at].Name, T: t.Columns[at].Type}
	old := expr.Compare{Op: expr.LE, Left: column, Right: expr.Const{Value: last, T: types.Int8}}
	return &over{at, old, func(row types.Row) bool { return !row[at].IsNull() && row[at].Int() <= last.Int() }}
}
