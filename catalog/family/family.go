// Package family knows which tables lie behind the rows of which others. A child names its parent, and the space
// of the table at the root is the host of all that lie there. Each row of a child has a row of its parent: writes of
// either see to that.
package family

import (
	"maps"

	"zproxy/catalog"
	"zproxy/catalog/interleave"
)

// Children are the tables whose rows lie behind those of a table.
func Children(s *catalog.Snapshot, of *catalog.Table) []*catalog.Table {
	if of.Hosted == 0 && of.Space.In == nil {
		return nil
	}
	var out []*catalog.Table
	for _, t := range s.Tables() {
		if t.Space.In != nil && t.Space.In.Parent == of.ID {
			out = append(out, t)
		}
	}
	return out
}

// Parent is the table behind whose rows those of a table lie, nil where there is none.
func Parent(s *catalog.Snapshot, of *catalog.Table) *catalog.Table {
	if of.Space.In == nil {
		return nil
	}
	t, _ := s.ByID(of.Space.In.Parent).(*catalog.Table)
	return t
}

// With says whether the rows of a table lie with those of others.
func With(t *catalog.Table) bool { return t.Space.In != nil || t.Hosted > 0 }

// Options are the options of a table or an index as statements have them that make it: the parent has its present name.
func Options(s *catalog.Snapshot, in catalog.Space, options map[string]string) map[string]string {
	if in.In == nil {
		return options
	}
	parent, ok := s.ByID(in.In.Parent).(*catalog.Table)
	if !ok {
		return options
	}
	out := maps.Clone(options)
	out[interleave.Option] = parent.Schema + "." + parent.Name
	return out
}
