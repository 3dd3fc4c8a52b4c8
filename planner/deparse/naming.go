package deparse

import (
	"cmp"
	"strconv"

	"zproxy/expr"
	"zproxy/planner/bound"
)

func itoa(n int) string { return strconv.Itoa(n) }

// naming is how a relation of a query and its columns are printed.
type naming struct {
	ref     string // empty: it has no name
	columns []string
	aliases bool // the columns have aliases
}

// of is how a relation is printed.
func (p *printer) of(r *bound.Relation) *naming {
	if p.named[r] == nil {
		p.named[r] = &naming{}
	}
	return p.named[r]
}

// nameRelations gives the relations of a query names that no other one has, in it or around
// it, and their columns the names that they are printed with.
func (p queryPrinter) nameRelations() {
	taken := map[string]bool{"old": true, "new": true} // which every rule of PostgreSQL's has, and so a view
	for at := p.outer; at != nil; at = at.outer {
		for _, r := range at.query.Relations {
			taken[p.of(r).ref] = true
		}
	}
	count := map[string]int{}
	for _, r := range p.query.Relations {
		name := cmp.Or(r.Alias, p.d.presentName(r))
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
	for _, r := range p.query.Relations {
		p.nameColumns(r)
	}
}

func (d *Deparser) presentName(r *bound.Relation) string {
	if r.ID != 0 {
		if now := d.Catalog.Numbered(r.ID); now != nil {
			return now.Ref().Name
		}
	}
	return r.Name
}

// nameColumns chooses the names of columns: those of a USING, those that were written, or
// those that they have now.
func (p *printer) nameColumns(r *bound.Relation) {
	own := p.of(r)
	own.columns = make([]string, len(r.Cols))
	changed, seen := false, map[string]bool{}
	for _, name := range r.Forced {
		seen[name] = true
	}
	for i, c := range r.Cols {
		real := cmp.Or(c.Real, c.Name)
		if v, ok := c.Expr.(*bound.Variable); ok && r.Kind == bound.JoinKind && v.Column >= 0 &&
			p.of(v.Rel).columns != nil {
			real = p.of(v.Rel).columns[v.Column]
		}
		name := real
		if i < len(r.Aliases) {
			name = r.Aliases[i]
		}
		if forced, ok := r.Forced[i]; ok {
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
	switch r.Kind {
	case bound.TableKind, bound.OnlyKind:
		own.aliases = changed
	case bound.FunctionKind:
		own.aliases = true
	case bound.JoinKind:
		own.aliases = r.Alias != "" && changed
	default:
		own.aliases = changed || len(r.Aliases) > 0
	}
}

// quote is a name as SQL reads it.
func quote(name string) string { return expr.QuoteIdent(name) }
