package session

import (
	"zproxy/catalog/names"
	"zproxy/expr/builtin/system"
	"zproxy/store"
	"zproxy/types"
)

// view is the catalog as the transaction sees it now.
func (s *Session) view() *names.View {
	snap := s.schema()
	v := &names.View{
		Catalog: snap, System: s.db.relations, Path: s.path(snap), As: s.role(), Bootstrap: s.bootstrapName(snap),
		Database: s.database, Server: s.server(), Env: s.Env(),
	}
	if sized, ok := s.db.Store.(store.Sized); ok {
		v.Size = func(sp *store.Space) (int64, bool, error) { return sized.Bytes(s.watchedContext(), sp) }
	}
	return v
}

// lookup finds objects in the catalog as it is when each is asked for: a statement may change it between.
type lookup struct{ s *Session }

// OIDOf implements types.Names.
func (l lookup) OIDOf(kind types.OID, text string) (uint32, error) {
	return l.s.view().OIDOf(kind, text)
}

// NameOf implements types.Names.
func (l lookup) NameOf(kind types.OID, oid uint32) string { return l.s.view().NameOf(kind, oid) }

// Find implements system.Objects.
func (l lookup) Find(class, name string) (uint32, error) { return l.s.view().Find(class, name) }

// Object implements system.Objects.
func (l lookup) Object(class string, oid uint32) *system.Object { return l.s.view().Object(class, oid) }

// Expression implements system.Objects.
func (l lookup) Expression(text string, relation uint32, layout system.Layout) (string, bool) {
	return l.s.view().Expression(text, relation, layout)
}

// Privileges implements system.Objects.
func (l lookup) Privileges(role uint32, class string, oid uint32) (have, options system.Privileges) {
	return l.s.view().Privileges(role, class, oid)
}

// Belongs implements system.Objects.
func (l lookup) Belongs(role, to uint32) system.Membership { return l.s.view().Belongs(role, to) }

// Role implements system.Objects.
func (l lookup) Role() uint32 { return l.s.role() }
