package planner

import (
	"zproxy/catalog"
	"zproxy/catalog/family"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
)

// written is what rows of a table must meet that a statement writes, with all that hangs on them.
func (p *Planner) written(t *catalog.Table) (out plan.Written, err error) {
	if out.Partitions, err = p.Stored().Partitions(t); err != nil {
		return out, err
	}
	kept, err := p.Stored().Written(t)
	if err != nil {
		return out, err
	}
	out.Keep(kept)
	if out.Fires, err = p.Stored().Triggers(t); err != nil {
		return out, err
	}
	if out.Parent, out.Children, err = p.family(t); err != nil {
		return out, err
	}
	out.References, err = referential.Of(p.Stored(), t)
	return out, err
}

// family is the parent of a table that is written, and its children with all that is below them.
func (p *Planner) family(t *catalog.Table) (parent *catalog.Table, children []plan.Indexed, err error) {
	for _, c := range family.Children(p.Catalog, t) {
		child, err := p.Stored().Indexed(c)
		if err == nil {
			_, child.Children, err = p.family(c)
		}
		if err == nil {
			child.Fires, err = p.Stored().Triggers(c)
		}
		if err == nil {
			child.References, err = referential.Of(p.Stored(), c)
		}
		if err != nil {
			return nil, nil, err
		}
		children = append(children, child)
	}
	return family.Parent(p.Catalog, t), children, nil
}
