package syscat

import (
	"zproxy/catalog"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// policyCatalogs are those that tell of row security.
func policyCatalogs() []definition {
	return []definition{{
		name: "pg_policy", key: "polrelid", rows: policies,
		columns: "oid polname polrelid polcmd polpermissive polroles polqual polwithcheck",
	}}
}

func policies(r *rows) {
	for _, t := range r.Catalog.Tables() {
		if len(t.Policies) == 0 || !r.wants(t.ID) {
			continue
		}
		for i := range t.Policies {
			p := &t.Policies[i]
			using, check := types.Null, types.Null
			if o := r.object("pg_policy", p.ID); o != nil && o.Expressions != nil {
				says := o.Expressions(system.Layout{})
				using, check = textOrNull(says[0]), textOrNull(says[1])
			}
			r.add(number(p.ID), text(p.Name), number(t.ID), letter(commandLetter(p)), boolean(!p.Restrictive),
				numbers(types.OIDOID, p.Roles), using, check)
		}
	}
}

// commandLetter is the command that a policy is for, as pg_policy has it.
func commandLetter(p *catalog.Policy) byte {
	switch p.Command {
	case "":
		return '*'
	case "select":
		return 'r'
	case "insert":
		return 'a'
	case "update":
		return 'w'
	}
	return 'd'
}
