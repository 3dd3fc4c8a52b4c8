package table

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/sqlerr"
)

// keepTTL puts a table with other options into the schema. The client is told of indexes that
// do not store when rows expire.
func (a *alteration) keepTTL(t *catalog.Table, err error) error {
	if err != nil {
		return err
	}
	for i := range t.Indexes {
		if x := &t.Indexes[i]; !t.Tells(x) && (a.Table.TTL == nil || a.Table.TTL.Column != t.TTL.Column) {
			n := sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"index \"%s\" does not store when rows expire, so reading it looks up the rows", x.Name).
				WithHint("REINDEX INDEX %s.", expr.QuoteIdent(x.Name))
			if err := a.d.Notice(n); err != nil {
				return err
			}
		}
	}
	return a.d.PutAltered(a.ctx, a.Table, t)
}
