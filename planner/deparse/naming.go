package deparse

import (
	"cmp"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

// nameRelations gives the relations of a query names that no other one has, in it or around
// it, and their columns the names that they are printed with.
func (p *printer) nameRelations() {
	taken := map[string]bool{}
	for at := p.outer; at != nil; at = at.outer {
		for _, r := range at.query.relations {
			taken[r.refname] = true
		}
		if at.outer == nil {
			at.rule(taken)
		}
	}
	if p.outer == nil {
		p.rule(taken)
	}
	count := map[string]int{}
	for _, r := range p.query.relations {
		name := cmp.Or(r.alias, p.d.presentName(r))
		if name == "" {
			continue
		}
		free := name
		for n := count[name]; taken[free]; {
			n++
			count[name] = n
			free = name + "_" + itoa(n)
		}
		taken[free] = true
		r.refname = free
	}
	for _, r := range p.query.relations {
		r.nameColumns()
	}
}

// rule takes the names of what every rule of PostgreSQL's has, and so a view.
func (p *printer) rule(taken map[string]bool) { taken["old"], taken["new"] = true, true }

func (d *Deparser) presentName(r *relation) string {
	if r.kind == tableKind && r.id != 0 {
		if now := d.Catalog.Numbered(r.id); now != nil {
			return now.Ref().Name
		}
	}
	return r.name
}

// nameColumns chooses the names of columns: those of a USING, those that were written, or
// those that they have now.
func (r *relation) nameColumns() {
	r.names = make([]string, len(r.cols))
	changed, seen := false, map[string]bool{}
	for _, name := range r.forced {
		seen[name] = true
	}
	for i, c := range r.cols {
		real := cmp.Or(c.real, c.name)
		if v, ok := c.expr.(*variable); ok && r.kind == joinKind && v.column >= 0 && v.rel.names != nil {
			real = v.rel.names[v.column]
		}
		name := real
		if i < len(r.aliases) {
			name = r.aliases[i]
		}
		if forced, ok := r.forced[i]; ok {
			name = forced
		} else {
			free := name
			for n := 1; seen[free]; n++ {
				free = name + "_" + itoa(n)
			}
			name = free
		}
		seen[name] = true
		r.names[i] = name
		changed = changed || name != real
	}
	switch r.kind {
	case tableKind:
		r.printAliases = changed
	case functionKind:
		r.printAliases = true
	case joinKind:
		r.printAliases = r.alias != "" && changed
	default:
		r.printAliases = changed || len(r.aliases) > 0
	}
}
