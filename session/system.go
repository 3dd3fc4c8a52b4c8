package session

import (
	"iter"

	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/types"
)

// systemRows computes the rows of a relation of the system as the transaction sees them.
func (s *Session) systemRows(v *catalog.Virtual, keys []uint32) iter.Seq2[types.Row, error] {
	return s.db.relations.Rows(v, &syscat.Source{
		Catalog: s.schema(), Env: s.Env(), Objects: objects{s}, Database: s.database, Bootstrap: s.user,
	}, keys)
}
