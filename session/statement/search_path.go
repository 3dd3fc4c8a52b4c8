package statement

import (
	"slices"

	"zproxy/catalog"
)

// Schemas are those that a search_path named in a catalog for a role, the last time that it was asked. The zero value
// was not asked.
type Schemas struct {
	snap  *catalog.Snapshot
	role  uint32
	path  []string
	names []string // not changed
}

// Named are the schemas of a search_path that there are, and that the present role may use.
func (s *Schemas) Named(snap *catalog.Snapshot, i Identity, path []string) []string {
	if s.snap != snap || s.role != i.Role || !slices.Equal(s.path, path) {
		*s = Schemas{snap, i.Role, slices.Clone(path), findSchemas(snap, i, path)}
	}
	return s.names
}

func findSchemas(snap *catalog.Snapshot, i Identity, path []string) []string {
	var out []string
	for _, name := range path {
		if name == "$user" {
			// The superuser is called zproxy unless the settings say otherwise, as is a schema of the
			// system's, in which nothing can be made.
			if name = i.RoleName(snap, i.Role); snap.IsSystem(name) {
				continue
			}
		}
		if schema := snap.Schema(name); schema != nil && !slices.Contains(out, name) && snap.MayUse(i.Role, schema) {
			out = append(out, name)
		}
	}
	return out
}
