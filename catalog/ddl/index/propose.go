package index

import (
	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/catalog/define"
	"zproxy/parser"
	"zproxy/parser/ast"
)

// AdvisedAgainst says whether the last index of a table would have a fault.
func (d *Definer) AdvisedAgainst(t *catalog.Table) bool {
	known, err := d.Known(t, advice.Known{Stats: t.Stats})
	return err == nil && advice.Against(t, &t.Indexes[len(t.Indexes)-1], known)
}

// Proposed is a table with an index that does not exist; nil when it cannot be made.
func (d *Definer) Proposed(t *catalog.Table, statement string) *catalog.Table {
	parsed, err := parser.Parse(statement)
	if err != nil {
		return nil
	}
	unused := func() (uint64, error) { return 0, nil }
	b := define.Builder{Planner: d.Planner(d.Schema()), Limits: d.Limits, Next: unused}
	t, x, err := b.CreateIndex(parsed[0].Statement.(*ast.CreateIndex), t)
	if err != nil {
		return nil
	}
	return t.WithIndex(*x)
}
