package ddl

import (
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// columnPrivileges are the lists of the columns of an object on which a GRANT or REVOKE changes privileges. Who takes
// privileges on a relation takes those on all its columns, too.
func (d owners) columnPrivileges(g granting) ([]list, error) {
	r, ok := g.object.(catalog.Relation)
	if !ok {
		return nil, nil
	}
	if p, ok := r.(*catalog.Plain); ok && p.Amendment != nil {
		if r = g.snap.Numbered(p.Amendment.OID); r == nil {
			return nil, nil
		}
	}
	names := grantColumns(r)
	wanted := map[int16]catalog.Privileges{}
	on := catalog.AllPrivileges('c')
	if g.tree.Revoke && g.wanted&on != 0 {
		for number := range names {
			wanted[number] = g.wanted & on
		}
	}
	for _, p := range g.tree.Privileges {
		if p.Columns == nil {
			continue
		}
		one := on
		if p.Word != "" {
			var err error
			if one, err = onePrivilege(p.Word, "column", on); err != nil {
				return nil, err
			}
		}
		if r.Ref().Kind == catalog.SequenceKind && one&^catalog.MaySelect != 0 {
			one &= catalog.MaySelect
			if err := d.Notice(sqlerr.Warn(sqlerr.InvalidGrantOperation,
				"sequence \"%s\" only supports SELECT column privileges", r.Ref().Name)); err != nil {
				return nil, err
			}
		}
		for _, name := range p.Columns {
			number, ok := numbered(names, name)
			if !ok {
				return nil, sqlerr.New(sqlerr.UndefinedColumn, "column \"%s\" of relation \"%s\" does not exist", name,
					r.Ref().Name)
			}
			wanted[number] |= one
		}
	}
	var out []list
	rights := catalog.RightsOf(g.object)
	for _, number := range slices.Sorted(maps.Keys(wanted)) {
		if p := wanted[number]; p != 0 {
			out = append(out, list{number: number, column: names[number], kind: 'c', acl: rights.Columns[number],
				above: catalog.Grants(g.object), wanted: p, all: p == on})
		}
	}
	return out, nil
}

// grantColumns are the names of the columns of a relation on which privileges can be, by their numbers.
func grantColumns(r catalog.Relation) map[int16]string {
	out := map[int16]string{}
	if r.Ref().Kind != catalog.ViewKind {
		for i, name := range []string{"ctid", "xmin", "cmin", "xmax", "cmax", "tableoid"} {
			out[int16(-1-i)] = name
		}
	}
	for c := range bind.ColumnsOf(r) {
		out[int16(c.ID)] = c.Name
	}
	return out
}

func numbered(names map[int16]string, name string) (int16, bool) {
	for number, n := range names {
		if n == name {
			return number, true
		}
	}
	return 0, false
}
