package plan

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/trigger"
	"zproxy/expr"
)

// Trigger is a trigger as writes see it.
type Trigger struct {
	*catalog.Trigger
	Table *catalog.Table // whose trigger it is
	// When is over the old row of the table and the new one behind it; nil: it always fires.
	When expr.Expr
	Set  []int // the columns of UPDATE OF
}

// FiresOn says whether the trigger fires at a time on an event, which for an update sets some columns.
func (t *Trigger) FiresOn(at trigger.Timing, e trigger.Events, row bool, set []int) bool {
	return t.Of(at, e, row) && (e != trigger.Update || t.Set == nil ||
		slices.ContainsFunc(t.Set, func(i int) bool { return slices.Contains(set, i) }))
}

// FiredBy are the triggers of the table that a node writes, of several of the one that the statement names.
func FiredBy(n Node) []Trigger {
	if each, ok := n.(WriteEach); ok {
		n = each.In[0]
	}
	if i, ok := n.(Instead); ok {
		return i.Fires
	}
	if w := writtenBy(n); w != nil {
		return w.Fires
	}
	return nil
}

// FiresAny says whether the table of a node that inserts, or a partition of it, has triggers.
func (n Insert) FiresAny() bool {
	return len(n.Fires) > 0 || n.Partitions != nil &&
		slices.ContainsFunc(n.Partitions.Of, func(p Indexed) bool { return len(p.Fires) > 0 })
}
