package syscat

import (
	"iter"

	"zproxy/catalog"
	"zproxy/catalog/large"
	"zproxy/types"
)

// LargeObjects are those of the database, as the transaction sees them.
type LargeObjects interface {
	All() iter.Seq2[*catalog.LargeObject, error]
	Find(id uint32) (*catalog.LargeObject, error)
	Pages(id uint32) iter.Seq2[large.Page, error]
}

// largeCatalogs are those that tell of large objects.
func largeCatalogs() []definition {
	return []definition{
		{name: "pg_largeobject_metadata", key: "oid", columns: "oid lomowner lomacl", rows: largeMetadata},
		{name: "pg_largeobject", key: "loid", columns: "loid pageno data", rows: largePages},
	}
}

// eachLarge visits the large objects that are wanted.
func eachLarge(r *rows, visit func(*catalog.LargeObject)) {
	if r.keys == nil {
		for x, err := range r.Large.All() {
			if r.err = err; err != nil || r.done {
				return
			}
			visit(x)
		}
		return
	}
	for id := range r.keys {
		x, err := r.Large.Find(id)
		if err != nil {
			r.err = err
		}
		if r.err != nil || r.done {
			return
		}
		if x != nil {
			visit(x)
		}
	}
}

func largeMetadata(r *rows) {
	eachLarge(r, func(x *catalog.LargeObject) { r.add(number(x.ID), number(x.OwnerID()), r.acl(x.ACL)) })
}

func largePages(r *rows) {
	eachLarge(r, func(x *catalog.LargeObject) {
		for p, err := range r.Large.Pages(x.ID) {
			if r.err = err; err != nil || r.done {
				return
			}
			r.add(number(x.ID), types.NewInt(p.Number), types.NewBytes(p.Data))
		}
	})
}

func largeComments(r *rows) {
	eachLarge(r, func(x *catalog.LargeObject) { r.comment(part{classLarge, x.ID, 0}, x.Comment) })
}
