package catalog

import (
	"slices"

	"zproxy/types/collation"
)

// CollationName is the name of a collation as a search path finds it: with its schema where that is needed, both as
// SQL quotes them. It is empty where there is no such collation.
func CollationName(s *Snapshot, oid uint32, path []string, quote func(name string) string) string {
	if n, ok := collation.ByOID(oid); ok {
		return quote(n.Name)
	}
	p := s.PlainByID(oid)
	if p == nil || p.Collation == nil {
		return ""
	}
	if _, system := collation.ByName(p.Name); !system || slices.Contains(path, PgCatalogName) {
		for _, schema := range path {
			if found := s.PlainsNamed(CollationKind, schema, p.Name); found != nil {
				if found[0].ID == oid {
					return quote(p.Name)
				}
				break
			}
		}
	}
	return quote(p.Schema) + "." + quote(p.Name)
}
