// Package amendment has what a database keeps of an object of the system that was changed: that it has other rights or
// another comment than in every database. Objects of the system are in no store; a language that was given to a role,
// or a system catalog on which something was granted, is one of these and its amendment. Read Definition first.
package amendment

import "strconv"

// Definition says of which object of the system an amendment is.
type Definition struct {
	Catalog string // of PostgreSQL that has the object, such as pg_language
	Class   uint32 // its number
	OID     uint32 // of the object
	Kind    string // of the object, as messages have it
	Name    string // of the object
}

// Key is what no other amendment has.
func (d *Definition) Key() string { return Key(d.Catalog, d.OID) }

// Key is the Key of the amendment of an object.
func Key(catalog string, oid uint32) string {
	return catalog + " " + strconv.FormatUint(uint64(oid), 10)
}

// ACLKind is the letter of acldefault for the object, 0 where nothing can be granted on it.
func (d *Definition) ACLKind() byte { return ACLKind(d.Catalog) }

// ACLKind is the letter of acldefault for the objects of a catalog, 0 where nothing can be granted on them.
func ACLKind(catalog string) byte {
	switch catalog {
	case "pg_class":
		return 'r'
	case "pg_proc":
		return 'f'
	case "pg_type":
		return 'T'
	case "pg_language":
		return 'l'
	case "pg_tablespace":
		return 't'
	case "pg_foreign_data_wrapper":
		return 'F'
	case "pg_foreign_server":
		return 'S'
	}
	return 0
}
