package session

import (
	"iter"

	"zproxy/catalog"
	"zproxy/catalog/large"
	"zproxy/cluster"
)

// largeObjects are those of the database as relations of the system tell of them. It implements syscat.LargeObjects.
type largeObjects struct{ *reach }

// All implements syscat.LargeObjects.
func (l largeObjects) All() iter.Seq2[*catalog.LargeObject, error] {
	return objectsOf(l, func(o large.Objects) iter.Seq2[*catalog.LargeObject, error] {
		return o.All(l.bounds.Context())
	})
}

// Pages implements syscat.LargeObjects.
func (l largeObjects) Pages(id uint32) iter.Seq2[large.Page, error] {
	return objectsOf(l, func(o large.Objects) iter.Seq2[large.Page, error] {
		return o.Pages(l.bounds.Context(), id, 0)
	})
}

// Find implements syscat.LargeObjects.
func (l largeObjects) Find(id uint32) (*catalog.LargeObject, error) {
	all, err := cluster.LargeObjects(l.bounds.Context(), &l.txn.Transaction, false)
	if err != nil {
		return nil, err
	}
	return all.Find(l.bounds.Context(), id, false)
}

// objectsOf is what a list of large objects has.
func objectsOf[T any](l largeObjects, list func(large.Objects) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		all, err := cluster.LargeObjects(l.bounds.Context(), &l.txn.Transaction, false)
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		list(all)(yield)
	}
}
