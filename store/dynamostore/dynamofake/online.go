package dynamofake

import (
	"slices"
	"time"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// indexUpdate is one of the changes that UpdateTable makes to global indexes.
type indexUpdate struct {
	Create *indexParameters
	Update *indexParameters
	Delete *struct{ IndexName string }
}

// parts says how many actions there are, and the name of the index of the last.
func (a *indexUpdate) parts() (n int, name string) {
	for _, p := range []*indexParameters{a.Create, a.Update} {
		if p != nil {
			n, name = n+1, p.IndexName
		}
	}
	if a.Delete != nil {
		n, name = n+1, a.Delete.IndexName
	}
	return n, name
}

// onlineLimit says that only one index of a table is made or removed at a time.
const onlineLimit = "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table"

// checkIndexUpdates refuses actions that do not go together, whatever the table is.
func checkIndexUpdates(actions []indexUpdate) error {
	seen := map[string]bool{}
	for i := range actions {
		switch n, name := actions[i].parts(); {
		case n == 0:
			return wrongParameter("One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null")
		case n > 1:
			return wrongParameter("Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object")
		case seen[name]:
			return wrongParameter("Only one global secondary index update per index is allowed simultaneously. Index: %s", name)
		default:
			seen[name] = true
		}
	}
	return nil
}

// indexState is what a global index is good for.
type indexState int

const (
	active     indexState = iota
	allocating            // it is written to; the table is UPDATING, and the index cannot be deleted
	filling               // the same, but the table is ACTIVE again, and the index can be deleted
	deleting              // it is written to until it is gone
)

// stateOf is the state of an index. One that was made with its table is active as the table is.
func (c *call) stateOf(x *index) indexState {
	switch {
	case !x.dropped.IsZero():
		return deleting
	case c.now.Before(x.allocated), x == c.made:
		return allocating
	case c.now.Before(x.ready):
		return filling
	}
	return active
}

// forgetIndexes drops the indexes that are gone by now.
func (t *table) forgetIndexes(now time.Time) {
	t.indexes = slices.DeleteFunc(t.indexes,
		func(x *index) bool { return !x.dropped.IsZero() && !now.Before(x.dropped) })
}

// alterIndexes makes, changes and removes global indexes: all as it is asked to, or nothing.
func (u *updateTable) alterIndexes(c *call, t *table) error {
	for i := range u.GlobalSecondaryIndexUpdates {
		a := &u.GlobalSecondaryIndexUpdates[i]
		if err := a.check(c, t); err != nil {
			return err
		}
		if a.Create != nil {
			x, err := u.create(t, a.Create)
			if err != nil {
				return err
			}
			c.made = x
		}
	}
	delay := c.options.TableDelay
	for _, a := range u.GlobalSecondaryIndexUpdates {
		switch {
		case a.Create != nil:
			c.made.allocated, c.made.ready = c.now.Add(delay/2), c.now.Add(delay)
			c.made.fill(t)
			t.indexes = append(t.indexes, c.made)
		case a.Update != nil:
			t.index(a.Update.IndexName).settings.set(&a.Update.capacity)
		case a.Delete != nil:
			t.index(a.Delete.IndexName).dropped = c.now.Add(delay)
		}
	}
	return nil
}

// check says why an index, as it is now, cannot be changed as it is asked to.
func (a *indexUpdate) check(c *call, t *table) error {
	_, name := a.parts()
	x := t.index(name)
	if x != nil && !x.local {
		if err := a.checkBusy(c, t, x); err != nil {
			return err
		}
	}
	switch {
	case x == nil && a.Create == nil:
		return fail(notFound, "Requested resource not found: Index %s for table %s", name, t.name)
	case x != nil && a.Create != nil:
		return invalid("Attempting to create an index which already exists")
	case x != nil && x.local && a.Delete != nil:
		return invalid("Cannot delete an index that is not a GlobalSecondaryIndex: %s", name)
	case x != nil && x.local:
		return invalid("Cannot update an index that is not a GlobalSecondaryIndex: %s", name)
	case a.Update != nil:
		return nil
	}
	for _, other := range t.indexes {
		if other != x && c.stateOf(other) != active {
			return fail(limitExceeded, onlineLimit)
		}
	}
	return nil
}

// checkBusy refuses to change an index that is being made or removed.
func (a *indexUpdate) checkBusy(c *call, t *table, x *index) error {
	switch state := c.stateOf(x); {
	case state == deleting:
		return inUseBy("Index is being deleted.  Table: %s Index: %s", t.name, x.name)
	case state != active && a.Create != nil:
		return inUseBy("Index is being created.  Table: %s Index: %s", t.name, x.name)
	case state == allocating && a.Delete != nil:
		return inUseBy("Index creation is in resource allocation phase. Retry deletion during backfilling phase or when the index is active. Table: %s Index: %s", t.name, x.name)
	case state == allocating:
		return inUseBy("Index is being created but is not backfilling yet. Table: %s Index: %s", t.name, x.name)
	}
	return nil
}

// create makes an index that is not yet in the table.
func (u *updateTable) create(t *table, p *indexParameters) (*index, error) {
	defined, err := u.defined(t)
	if err != nil {
		return nil, err
	}
	global := 0
	for _, x := range t.indexes {
		if !x.local {
			global++
		}
	}
	switch {
	case global >= maxGlobal:
		return nil, fail(limitExceeded,
			"Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of %d", maxGlobal)
	case u.mode(t) == provisionedMode && p.ProvisionedThroughput == nil:
		return nil, invalid("No provisioned throughput specified for the global secondary index")
	}
	return t.newIndex(p, defined, false)
}

// defined are the types of attributes for a new index: those that the request defines, which needs to be
// some, and those that the table has in keys. What no key uses of them is forgotten.
func (u *updateTable) defined(t *table) (map[string]attribute.Kind, error) {
	defined, err := kinds(u.AttributeDefinitions)
	if err != nil || len(defined) == 0 {
		return nil, err
	}
	for _, part := range t.keyParts() {
		if k, again := defined[part.name]; again && k != part.kind {
			return nil, invalid("invalid attribute, SchemaElement redefined should be of same type as previously defined")
		}
		defined[part.name] = part.kind
	}
	return defined, nil
}

// fill puts the items of the table into a new index, but for those that it does not admit. They
// cost nothing, and no reader that lags sees what was before.
func (x *index) fill(t *table) {
	for _, part := range t.base.partitions {
		for _, e := range part.entries {
			if at, item, ok := x.entry(t, e.last()); ok {
				x.entries.set(at, version{item: item})
			}
		}
	}
}

// fault says what is wrong with an attribute of an item for an index that has it in its key.
func (x *index) fault(p keyPart, v attribute.Value) error {
	switch {
	case v.Kind != p.kind:
		return wrongParameter("Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", p.name, p.kind,
			v.Kind, x.name)
	case v.Kind != attribute.N && len(v.Text) > x.schema.most(p):
		return wrongParameter("Size limit exceeded")
	case v.Text == "":
		kind := "string"
		if v.Kind == attribute.B {
			kind = "binary"
		}
		return invalid("One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s", kind, x.name, p.name)
	}
	return nil
}
