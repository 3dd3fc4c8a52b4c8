package names

import (
	"strings"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/types"
)

// searchClasses are the catalogs of what the types regconfig and regdictionary name.
var searchClasses = map[types.OID]struct{ class, what string }{
	types.OIDRegconfig: {"pg_ts_config", "text search configuration"},
	types.OIDRegdict:   {"pg_ts_dict", "text search dictionary"},
}

// searchObject finds a configuration or a dictionary of text search, all of which are in pg_catalog.
func searchObject(v *View, kind types.OID, parts []string) (uint32, error) {
	of := searchClasses[kind]
	name := parts[len(parts)-1]
	if len(parts) > 1 && parts[len(parts)-2] != catalog.PgCatalogName {
		if _, err := v.schema(parts[len(parts)-2 : len(parts)-1]); err != nil {
			return 0, err
		}
	} else if id := v.System.KnownOID(of.class, name); id != 0 {
		return id, nil
	}
	return 0, sqlerr.New(sqlerr.UndefinedObject, "%s \"%s\" does not exist", of.what, strings.Join(parts, "."))
}
