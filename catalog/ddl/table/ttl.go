package table

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/sqlerr"
)

// keepTTL puts a table with other options into the schema. The client is told of indexes that
// cannot tell when rows are due.
func (a *alteration) keepTTL(t *catalog.Table, err error) error {
	if err != nil {
		return err
	}
	for i := range t.Indexes {
		if x := &t.Indexes[i]; !t.Tells(x) && (a.Table.TTL == nil || a.Table.TTL.Column != t.TTL.Column) {
			n := sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"index \"%s\" does not tell when rows are due, so that reading it looks them up", x.Name).
				WithHint("REINDEX INDEX %s.", expr.QuoteIdent(x.Name))
			if err := a.d.Notice(n); err != nil {
				return err
			}
		}
	}
	return a.d.PutAltered(a.ctx, a.Table, t)
}
