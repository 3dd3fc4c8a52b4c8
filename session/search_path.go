package session

import (
	"slices"

	"zproxy/catalog"
	"zproxy/session/statement"
)

// schemasOf are the schemas that a search_path named in a catalog for a role. They are not
// changed.
type schemasOf struct {
	snap  *catalog.Snapshot
	role  uint32
	path  []string
	names []string
}

// schemas are those of search_path that there are.
func (s *Session) schemas(snap *catalog.Snapshot) []string {
	role, last := s.role(), &s.schemasOf
	if last.snap != snap || last.role != role || !slices.Equal(last.path, s.settings.Path) {
		*last = schemasOf{snap, role, slices.Clone(s.settings.Path), s.findSchemas(snap, role)}
	}
	return last.names
}

func (s *Session) findSchemas(snap *catalog.Snapshot, role uint32) []string {
	var out []string
	for _, name := range s.settings.Path {
		if name == "$user" {
			// The superuser is called zproxy unless the settings say otherwise, as is a schema of the
			// system's, in which nothing can be made.
			if name = s.identity().roleName(snap, s.role()); snap.IsSystem(name) {
				continue
			}
		}
		if schema := snap.Schema(name); schema != nil && !slices.Contains(out, name) && snap.MayUse(role, schema) {
			out = append(out, name)
		}
	}
	return out
}

// path is where names without a schema are looked for.
func (s *Session) path(snap *catalog.Snapshot) []string {
	return statement.Path(snap, s.schemas(snap), s.temporary)
}
