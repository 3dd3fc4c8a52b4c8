package host

import (
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// Objects finds objects in the catalog as it is when each is asked for: a statement may change it between. It
// implements system.Objects and types.Names.
type Objects struct{ *Session }

// OIDOf implements types.Names.
func (o Objects) OIDOf(kind types.OID, text string) (uint32, error) {
	return o.View().OIDOf(kind, text)
}

// NameOf implements types.Names.
func (o Objects) NameOf(kind types.OID, oid uint32) string { return o.View().NameOf(kind, oid) }

// Find implements system.Objects.
func (o Objects) Find(class, name string) (uint32, error) { return o.View().Find(class, name) }

// Object implements system.Objects.
func (o Objects) Object(class string, oid uint32) *system.Object { return o.View().Object(class, oid) }

// Expression implements system.Objects.
func (o Objects) Expression(text string, relation uint32, layout system.Layout) (string, bool) {
	return o.View().Expression(text, relation, layout)
}

// Privileges implements system.Objects.
func (o Objects) Privileges(role uint32, class string, oid uint32, column int16) (have, options system.Privileges) {
	return o.View().Privileges(role, class, oid, column)
}

// Belongs implements system.Objects.
func (o Objects) Belongs(role, to uint32) system.Membership { return o.View().Belongs(role, to) }

// Role implements system.Objects.
func (o Objects) Role() uint32 { return o.Session.Role() }
