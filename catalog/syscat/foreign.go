package syscat

import (
	"zproxy/catalog"
	"zproxy/types"
)

// foreignCatalogs are those that tell of tables that other programs own, and of where these are.
func foreignCatalogs() []definition {
	return []definition{
		{name: "pg_foreign_data_wrapper", key: "oid", columns: "oid fdwname fdwowner", rows: wrappers},
		{name: "pg_foreign_server", key: "oid", columns: "oid srvname srvowner srvfdw", rows: servers},
		{name: "pg_foreign_table", key: "ftrelid", columns: "ftrelid ftserver ftoptions", rows: foreignTables},
	}
}

// The OIDs of the one server that there may be, and of its wrapper, which bears the same name.
const (
	WrapperID = 9_998
	ServerID  = 9_999
)

func wrappers(r *rows) {
	if r.Server != "" && r.wants(WrapperID) {
		r.add(number(WrapperID), text(r.Server), number(superuser))
	}
}

func servers(r *rows) {
	if r.Server != "" && r.wants(ServerID) {
		r.add(number(ServerID), text(r.Server), number(superuser), number(WrapperID))
	}
}

func foreignTables(r *rows) {
	for _, t := range r.Catalog.Tables() {
		if t.Foreign != nil && r.wants(t.ID) {
			r.add(number(t.ID), number(ServerID), given(t.Foreign.Options))
		}
	}
}

// given are OPTIONS as name=value, NULL for none.
func given(options []catalog.Option) types.Value {
	if len(options) == 0 {
		return types.Null
	}
	var list []string
	for _, o := range options {
		list = append(list, o.Name+"="+o.Value)
	}
	return texts(types.OIDText, list)
}
