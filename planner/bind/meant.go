package bind

import (
	"zproxy/catalog"
	"zproxy/types"
)

// Names in an expression that is stored with a table, a domain or a type go on to stand for what they did when it was
// stored, whatever the search path is that it is read with: the functions, operators and collations of users are noted
// among its literals, as the types and relations in its constants are.

// regcollation is PostgreSQL's type of names of collations.
const regcollation types.OID = 4191

// AsStored is Reading for a text without a search path of its own, whose names stand for what they did, unless it is
// being stored now.
func AsStored(b *Binder, l *catalog.Literals) (func(), error) {
	if l != nil && b.noted == l {
		return func() {}, nil
	}
	end, err := b.Reading(l)
	then, noting := reading(&b.Names, l), b.noting
	b.noting = nil
	return func() {
		b.noting = noting
		then()
		end()
	}, err
}

// Noted does something with a text that is stored now, and notes what the names in it stand for.
func Noted(b *Binder, l *catalog.Literals, f func() error) error {
	noted, noting := b.noted, b.noting
	b.noted, b.noting = l, l
	defer func() { b.noted, b.noting = noted, noting }()
	return f()
}

// reading has names stand for what they did in a stored text, until the function that it gives is called.
func reading(n *Names, l *catalog.Literals) (end func()) {
	path, meant, noted := n.SearchPath, n.meant, n.noted
	n.SearchPath, n.meant, n.noted = nil, nil, nil
	if l != nil {
		n.meant = l.Names
	}
	return func() { n.SearchPath, n.meant, n.noted = path, meant, noted }
}

// notes notes what a name in a text that is stored now stands for.
func notes(n *Names, kind types.OID, name string, id uint32) {
	if n.noted != nil {
		note(n.noted, catalog.Named{Type: kind, Text: name, ID: id})
	}
}

// stoodFor are the numbers of what a name stood for in the text that is read.
func stoodFor(n *Names, kind types.OID, name string) (ids []uint32) {
	for _, k := range n.meant {
		if k.Type == kind && k.Text == name {
			ids = append(ids, k.ID)
		}
	}
	return ids
}
