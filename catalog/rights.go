package catalog

import (
	"cmp"
	"iter"
	"maps"
	"math/bits"
	"slices"
)

// Privileges is a set of what a role may do with an object.
type Privileges uint32

// The privileges, in the order in which PostgreSQL shows them.
const (
	MayInsert Privileges = 1 << iota
	MaySelect
	MayUpdate
	MayDelete
	MayTruncate
	MayReference
	MayTrigger
	MayExecute
	MayUse
	MayCreate
	MayCreateTemp
	MayConnect
	MaySet
	MayAlterSystem
)

// PrivilegeLetters are the letters of the privileges, from the lowest bit.
const PrivilegeLetters = "arwdDxtXUCTcsA"

// Public is the grantee that stands for everybody.
const Public = 0

// Grant is what one role gave to another.
type Grant struct {
	Grantee    uint32 // or Public
	Grantor    uint32
	Privileges Privileges
	Options    Privileges `json:",omitzero"` // those that the grantee may grant, too
}

// ACL is the grants on one object.
type ACL []Grant

// Rights are whose an object is, and what others may do with it.
type Rights struct {
	Owner uint32 `json:",omitzero"` // 0: BootstrapID, of the time before there were roles
	ACL   ACL    `json:",omitzero"` // nil: as DefaultACL has it
	// Columns are the grants on columns of a relation, by their numbers. Each has some. They are kept under a name of
	// their own, since relations have Columns themselves.
	Columns map[int16]ACL `json:"ColumnGrants,omitempty"`
	// Defaults are the grants that new objects in a schema or a database begin with.
	Defaults []DefaultGrants `json:",omitempty"`
}

// OwnerID is the role that owns the object.
func (r *Rights) OwnerID() uint32 { return cmp.Or(r.Owner, BootstrapID) }

func (r *Rights) rights() *Rights { return r }

// Owned is an object that a role owns.
type Owned interface {
	Object
	OwnerID() uint32
	rights() *Rights
}

// RightsOf are the rights of an object.
func RightsOf(o Owned) Rights { return *o.rights() }

// WithRights is a copy of an object with other rights.
func WithRights(o Owned, r Rights) Owned {
	var c Owned
	switch o := o.(type) {
	case *Table:
		t := *o
		c = &t
	case *View:
		v := *o
		c = &v
	case *Sequence:
		q := *o
		c = &q
	case *Statistics:
		x := *o
		c = &x
	case *Extension:
		x := *o
		c = &x
	case *Function:
		f := *o
		c = &f
	case *Plain:
		x := *o
		c = &x
	case *Type:
		x := *o
		c = &x
	case *Schema:
		n := *o
		c = &n
	case *Database:
		d := *o
		c = &d
	case *LargeObject:
		x := *o
		c = &x
	}
	*c.rights() = r
	return c
}

// AllPrivileges are those that there are on objects of a kind, by the letter of
// PostgreSQL's acldefault.
func AllPrivileges(kind byte) Privileges {
	switch kind {
	case 'r':
		return MayInsert | MaySelect | MayUpdate | MayDelete | MayTruncate | MayReference | MayTrigger
	case 's':
		return MaySelect | MayUpdate | MayUse
	case 'n':
		return MayUse | MayCreate
	case 'd':
		return MayCreate | MayCreateTemp | MayConnect
	case 'f':
		return MayExecute
	case 'T', 'l', 'F', 'S':
		return MayUse
	case 't':
		return MayCreate
	case 'L':
		return MaySelect | MayUpdate
	case 'p':
		return MaySet | MayAlterSystem
	case 'c':
		return MayInsert | MaySelect | MayUpdate | MayReference
	}
	return 0
}

// DefaultACL are the grants on an object of a kind before anybody grants or revokes
// anything.
func DefaultACL(kind byte, owner uint32) ACL {
	var public Privileges
	switch kind {
	case 'd':
		public = MayCreateTemp | MayConnect
	case 'f', 'T', 'l':
		public = AllPrivileges(kind)
	}
	var out ACL
	if public != 0 {
		out = append(out, Grant{Grantee: Public, Grantor: owner, Privileges: public})
	}
	if all := AllPrivileges(kind); all != 0 && kind != 'p' && kind != 'c' {
		out = append(out, Grant{Grantee: owner, Grantor: owner, Privileges: all})
	}
	return out
}

// ACLKind is the letter of acldefault for an object.
func ACLKind(o Owned) byte {
	switch o := o.(type) {
	case *Plain:
		if o.Amendment != nil {
			return o.Amendment.ACLKind()
		}
		return 0
	case *Sequence:
		return 's'
	case *Schema:
		return 'n'
	case *Type:
		return 'T'
	case *Database:
		return 'd'
	case *Function:
		return 'f'
	case *LargeObject:
		return 'L'
	}
	return 'r'
}

// Grants are the grants on an object.
func Grants(o Owned) ACL {
	if acl := o.rights().ACL; acl != nil {
		return acl
	}
	return DefaultACL(ACLKind(o), o.OwnerID())
}

// Owns says whether a role may do what the owner of an object may.
func (s *Snapshot) Owns(role uint32, o Owned) bool { return s.Acts(role, o.OwnerID()) }

// MayUse says whether a role may look names up in a schema.
func (s *Snapshot) MayUse(role uint32, schema *Schema) bool {
	have, _ := s.Privileges(role, schema)
	return have&MayUse != 0
}

// Privileges are what a role may do with an object, and what of it it may grant.
func (s *Snapshot) Privileges(role uint32, o Owned) (have, options Privileges) {
	all := AllPrivileges(ACLKind(o))
	if s.Superuser(role) {
		return all, all
	}
	acting := s.Inherited(role)
	have, options = s.granted(acting, Grants(o), o.OwnerID())
	return have | byRole(acting, o), options
}

// Held are what a role may do by a list of grants, and what of it it may grant.
func (s *Snapshot) Held(role uint32, acl ACL, owner uint32) (have, options Privileges) {
	if s.Superuser(role) {
		return ^Privileges(0), ^Privileges(0)
	}
	return s.granted(s.Inherited(role), acl, owner)
}

// granted are what roles together may do by a list of grants. An owner may always grant.
func (s *Snapshot) granted(acting []uint32, acl ACL, owner uint32) (have, options Privileges) {
	for _, g := range acl {
		if g.Grantee == Public || slices.Contains(acting, g.Grantee) {
			have, options = have|g.Privileges, options|g.Options
		}
	}
	if slices.Contains(acting, owner) {
		options = ^Privileges(0)
	}
	return have, options
}

// byRole is what everybody in some roles may do with all objects.
func byRole(acting []uint32, o Owned) (p Privileges) {
	read, write := slices.Contains(acting, ReadAllDataID), slices.Contains(acting, WriteAllDataID)
	switch o.(type) {
	case *Schema:
		if read || write {
			p = MayUse
		}
	case *Table, *View, *Sequence:
		if read {
			p |= MaySelect
		}
		if write {
			p |= MayInsert | MayUpdate | MayDelete
		}
	}
	return p
}

// Grantor is the role in whose name another one grants privileges on what is an owner's, and those of them that it
// may grant: the owner if that is possible, else who may grant the most.
func (s *Snapshot) Grantor(role, owner uint32, acl ACL, wanted Privileges) (grantor uint32, options Privileges) {
	if s.Acts(role, owner) {
		return owner, wanted
	}
	grantor, most := role, 0
	for _, r := range s.Inherited(role) {
		_, may := s.direct(r, acl)
		may &= wanted
		if n := bits.OnesCount32(uint32(may)); n > most {
			grantor, options, most = r, may, n
		}
	}
	return grantor, options
}

// direct are what a role itself was granted.
func (s *Snapshot) direct(role uint32, acl ACL) (have, options Privileges) {
	for _, g := range acl {
		if g.Grantee == role {
			have, options = have|g.Privileges, options|g.Options
		}
	}
	return have, options
}

// Giving is a change of grants.
type Giving struct {
	Grant
	Owner   uint32 // of the object
	Cascade bool   // taking options away takes away what was granted by them
}

// Give adds a grant to a list. It says false when the grantee would give the option back to
// those that the grantor has it from.
func (s *Snapshot) Give(acl ACL, g Giving) (ACL, bool) {
	switch {
	case g.Privileges|g.Options == 0:
		return acl, true
	case g.Options != 0 && s.circular(acl, g):
		return acl, false
	}
	return acl.With(g.Grant), true
}

// With is a list with another grant, which joins that of the same roles.
func (acl ACL) With(g Grant) ACL {
	out := slices.Clone(acl)
	at := slices.IndexFunc(out, func(x Grant) bool { return x.Grantee == g.Grantee && x.Grantor == g.Grantor })
	if at < 0 {
		return append(out, g)
	}
	out[at].Privileges |= g.Privileges
	out[at].Options |= g.Options
	return out
}

// circular says whether a grant needs an option that comes from its own grantee.
func (s *Snapshot) circular(acl ACL, g Giving) bool {
	if g.Grantor == g.Owner {
		return false
	}
	without := acl
	for {
		at := slices.IndexFunc(without, func(x Grant) bool { return x.Grantee == g.Grantee && x.Options != 0 })
		if at < 0 {
			break
		}
		take := without[at]
		take.Privileges = 0
		without, _ = s.Take(without, Giving{take, g.Owner, true})
	}
	_, options := s.Held(g.Grantor, without, g.Owner)
	return g.Options&^options != 0
}

// Take takes privileges and options of a grant away. It says false when others were
// granted something by such an option, and may keep it.
func (s *Snapshot) Take(acl ACL, g Giving) (ACL, bool) {
	out := make(ACL, 0, len(acl))
	var lost Privileges
	for _, x := range acl {
		if x.Grantee == g.Grantee && x.Grantor == g.Grantor {
			lost = x.Options & g.Options
			x.Privileges &^= g.Privileges
			x.Options &^= g.Options
		}
		if x.Privileges|x.Options != 0 {
			out = append(out, x)
		}
	}
	return s.abandon(out, g, lost)
}

// abandon takes away what a role granted by options that it has no more.
func (s *Snapshot) abandon(acl ACL, g Giving, lost Privileges) (ACL, bool) {
	if lost == 0 || g.Grantee == g.Owner {
		return acl, true
	}
	_, still := s.Held(g.Grantee, acl, g.Owner)
	if lost &^= still; lost == 0 {
		return acl, true
	}
	for {
		at := slices.IndexFunc(acl, func(x Grant) bool { return x.Grantor == g.Grantee && x.Privileges&lost != 0 })
		if at < 0 {
			return acl, true
		}
		if !g.Cascade {
			return acl, false
		}
		next := Grant{Grantee: acl[at].Grantee, Grantor: acl[at].Grantor, Privileges: lost, Options: lost}
		acl, _ = s.Take(acl, Giving{next, g.Owner, true})
	}
}

// NewOwner is rights that pass to another owner, who then has granted what the old one had.
func (r Rights) NewOwner(owner uint32) Rights {
	old := r.OwnerID()
	r.Owner = owner
	if r.ACL != nil {
		r.ACL = r.ACL.passed(old, owner)
	}
	r.Columns = maps.Clone(r.Columns)
	for number, acl := range r.Columns {
		r.Columns[number] = acl.passed(old, owner)
	}
	return r
}

// passed is a list of grants with one role in the place of another.
func (acl ACL) passed(old, owner uint32) ACL {
	out := ACL{}
	for _, g := range acl {
		if g.Grantee == old {
			g.Grantee = owner
		}
		if g.Grantor == old {
			g.Grantor = owner
		}
		at := slices.IndexFunc(out, func(x Grant) bool { return x.Grantee == g.Grantee && x.Grantor == g.Grantor })
		if at < 0 {
			out = append(out, g)
			continue
		}
		out[at].Privileges |= g.Privileges
		out[at].Options |= g.Options
	}
	return slices.Clip(out)
}

// Lists are all lists of grants of an object: that on itself with the number 0, and those on columns.
func (r *Rights) Lists() iter.Seq2[int16, ACL] {
	return func(yield func(int16, ACL) bool) {
		if !yield(0, r.ACL) {
			return
		}
		for _, column := range slices.Sorted(maps.Keys(r.Columns)) {
			if !yield(column, r.Columns[column]) {
				return
			}
		}
	}
}

// Named are the roles that own the object or are named by grants.
func (r *Rights) Named() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if !yield(r.OwnerID()) {
			return
		}
		for _, acl := range r.Lists() {
			for id := range acl.Named() {
				if !yield(id) {
					return
				}
			}
		}
		for _, g := range r.Defaults {
			if !yield(g.Role) {
				return
			}
			for id := range g.ACL.Named() {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// List is the list of grants on a column, or with the number 0 that on the object itself.
func (r *Rights) List(column int16) ACL {
	if column == 0 {
		return r.ACL
	}
	return r.Columns[column]
}

// WithList is rights with another list of grants on the object, or on a column of it, where no grant is none.
func (r Rights) WithList(column int16, acl ACL) Rights {
	if column == 0 {
		r.ACL = acl
		return r
	}
	columns := maps.Clone(r.Columns)
	if columns == nil {
		columns = map[int16]ACL{}
	}
	columns[column] = acl
	if len(acl) == 0 {
		delete(columns, column)
	}
	r.Columns = columns
	return r
}
