package syscat

import (
	"slices"
	"strings"

	"zproxy/types"
	"zproxy/types/collation"
)

// Known is the name of an object that is in every database, as the catalog of a name records
// it; empty when there is none.
func (r *Relations) Known(class string, oid uint32) string { return r.known[class][oid] }

// KnownOID is the number of such an object, 0 when there is none. Of types there are those
// that no value has, such as trigger.
func (r *Relations) KnownOID(class, name string) uint32 {
	for oid, known := range r.known[class] {
		if known == name {
			return oid
		}
	}
	return 0
}

// knownObjects are the names in recorded rows, by catalog and number. Of types they are those
// that no value has.
func (r *Relations) knownObjects() map[string]map[uint32]string {
	out := map[string]map[uint32]string{}
	for _, f := range r.sources {
		columns := f.names()
		name := slices.IndexFunc(columns, func(c string) bool { return strings.HasSuffix(c, "name") })
		if len(f.recorded) == 0 || name < 0 || columns[0] != "oid" {
			continue
		}
		out[f.name] = make(map[uint32]string, len(f.recorded))
		for _, row := range f.recorded {
			if f.name != "pg_type" || pseudo(f, row) {
				out[f.name][uint32(row[0].Int())] = row[name].Text()
			}
		}
	}
	for _, n := range collation.Builtin() {
		out["pg_collation"][n.OID] = n.Name
	}
	return out
}

// Trusted says whether a language may be used by who is no superuser.
func Trusted(language string) bool {
	f := all().sources[pgLanguageID]
	name, trusted := slices.Index(f.names(), "lanname"), slices.Index(f.names(), "lanpltrusted")
	return slices.ContainsFunc(f.recorded, func(row []types.Value) bool {
		return row[name].Text() == language && row[trusted].Bool()
	})
}

func pseudo(f *filled, row []types.Value) bool {
	return row[slices.Index(f.names(), "typtype")].Text() == "p"
}
