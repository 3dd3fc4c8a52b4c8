package syscat

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// acl is a list of grants as PostgreSQL shows it, NULL where nothing was granted.
func (s *Source) acl(list catalog.ACL) types.Value {
	if list == nil {
		return types.Null
	}
	items := make([]types.Value, len(list))
	for i, g := range list {
		items[i] = text(s.grantee(g.Grantee) + "=" + privilegeLetters(g) + "/" + s.grantee(g.Grantor))
	}
	return types.NewItems(types.OIDText, items)
}

// grantee is the name of a role in a list of grants. The public has none.
func (s *Source) grantee(id uint32) string {
	if id == catalog.Public {
		return ""
	}
	if role := s.Catalog.RoleByID(id); role != nil {
		return system.QuoteGrantee(s.roleName(role))
	}
	return strconv.FormatUint(uint64(id), 10)
}

// privilegeLetters are the privileges of a grant, with a star behind those that may be granted.
func privilegeLetters(g catalog.Grant) string {
	var b strings.Builder
	for i := range len(catalog.PrivilegeLetters) {
		if bit := catalog.Privileges(1) << i; g.Privileges&bit != 0 {
			b.WriteByte(catalog.PrivilegeLetters[i])
			if g.Options&bit != 0 {
				b.WriteByte('*')
			}
		}
	}
	return b.String()
}

// secret are the system's relations that not everybody may read.
var secret = []string{
	"pg_authid", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_file_settings", "pg_config", "pg_backend_memory_contexts", "pg_shmem_allocations",
	"pg_largeobject", "pg_shadow", "pg_statistic", "pg_statistic_ext_data", "pg_subscription", "pg_user_mapping", "pg_replication_origin_status",
}

// ACL is the grants on a relation of the system.
func ACL(snap *catalog.Snapshot, v *catalog.Virtual) catalog.ACL {
	if a := snap.Amended("pg_class", v.ID); a != nil && a.ACL != nil {
		return a.ACL
	}
	return InitialACL(v)
}

// InitialACL is the grants that a relation of the system begins with.
func InitialACL(v *catalog.Virtual) catalog.ACL {
	list := catalog.DefaultACL('r', superuser)
	if !slices.Contains(secret, v.Name) {
		list = append(list, catalog.Grant{Grantee: catalog.Public, Grantor: superuser, Privileges: catalog.MaySelect})
	}
	return list
}
