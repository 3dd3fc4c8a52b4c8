package deparse

import (
	"cmp"
	"strconv"
)

func itoa(n int) string { return strconv.Itoa(n) }

// naming is how a relation of a query and its columns are printed.
type naming struct {
	ref     string // empty: it has no name
	columns []string
	aliases bool // the columns have aliases
}

// of is how a relation is printed.
func (p *printer) of(r *relation) *naming {
	if p.named[r] == nil {
		p.named[r] = &naming{}
	}
	return p.named[r]
}

// nameRelations gives the relations of a query names that no other one has, in it or around
// it, and their columns the names that they are printed with.
func (p *printer) nameRelations() {
	taken := map[string]bool{}
	for at := p.outer; at != nil; at = at.outer {
		for _, r := range at.query.relations {
			taken[p.of(r).ref] = true
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
		p.of(r).ref = free
	}
	for _, r := range p.query.relations {
		p.nameColumns(r)
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
func (p *printer) nameColumns(r *relation) {
	own := p.of(r)
	own.columns = make([]string, len(r.cols))
	changed, seen := false, map[string]bool{}
	for _, name := range r.forced {
		seen[name] = true
	}
	for i, c := range r.cols {
		real := cmp.Or(c.real, c.name)
		if v, ok := c.expr.(*variable); ok && r.kind == joinKind && v.column >= 0 && p.of(v.rel).columns != nil {
			real = p.of(v.rel).columns[v.column]
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
		own.columns[i] = name
		changed = changed || name != real
	}
	switch r.kind {
	case tableKind:
		own.aliases = changed
	case functionKind:
		own.aliases = true
	case joinKind:
		own.aliases = r.alias != "" && changed
	default:
		own.aliases = changed || len(r.aliases) > 0
	}
}
