package dynamofake

import (
	"math"
	"slices"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
	"zproxy/store/dynamostore/dynamofake/expression"
)

// expressions are what the parameters of a write have in common.
type expressions struct {
	ConditionExpression                 *string
	UpdateExpression                    *string
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           attribute.Item
	ReturnValuesOnConditionCheckFailure string
}

// write is one write of an item, as every operation that has writes makes them.
type write struct {
	table     string
	item      attribute.Item // to put; nil: the write is another
	key       attribute.Item // of what is deleted, updated or only checked
	check     bool           // nothing is written
	condition *expression.Condition
	update    *expression.Update
	sayOld    bool // an error of the condition shows the item
}

// take reads the expressions of a write.
func (w *write) take(e *expressions) (err error) {
	subs := expression.Substitutes{Names: e.ExpressionAttributeNames, Values: e.ExpressionAttributeValues}
	if err := subs.Check(e.ConditionExpression != nil || e.UpdateExpression != nil,
		"ConditionExpression is null"); err != nil {
		return err
	}
	if e.UpdateExpression != nil {
		if w.update, err = expression.ParseUpdate(*e.UpdateExpression, &subs); err != nil {
			return err
		}
	}
	if e.ConditionExpression != nil {
		if w.condition, err = expression.ParseCondition("ConditionExpression", *e.ConditionExpression,
			&subs); err != nil {
			return err
		}
	}
	w.sayOld = e.ReturnValuesOnConditionCheckFailure == "ALL_OLD"
	return subs.Unused()
}

// change is a write that can be made: the item before and after.
type change struct {
	table    *table
	key      itemKey
	old, new attribute.Item
	check    bool
}

// id is the item's identity among all of the account.
func (ch *change) id() string {
	return ch.table.name + "\x00" + ch.key.partition + "\x00" + strings.Join(ch.key.sort, "\x00")
}

// prepare works a write out without its condition: whether the table has such items.
func (c *call) prepare(w *write) (*change, error) {
	t, err := c.table(w.table)
	if err != nil {
		return nil, err
	}
	ch := &change{table: t, check: w.check, new: w.item}
	key := w.key
	if w.item != nil {
		key = w.item
		err = t.schema.checkItem(w.item)
	} else {
		err = t.schema.checkKey(w.key)
	}
	if err != nil {
		return nil, err
	}
	if err := t.checkIndexes(w.item); err != nil {
		return nil, err
	}
	if attribute.Size(w.item) > maxItem {
		return nil, invalid("Item size has exceeded the maximum allowed size")
	}
	if w.update != nil {
		for _, p := range w.update.Targets() {
			if t.schema.has(p[0].Name) {
				return nil, wrongParameter("Cannot update attribute %s. This attribute is part of the key", p[0].Name)
			}
		}
	}
	ch.key, _ = t.schema.itemKey(key)
	ch.old = t.item(ch.key)
	return ch, nil
}

// resolve finds what a write makes of the item, if its condition holds.
func (c *call) resolve(w *write, ch *change) (err error) {
	if !w.condition.Holds(ch.old) {
		c.pay(&change{table: ch.table, key: ch.key, old: ch.old, check: true}, 1)
		return &conditionError{item: ch.old, show: w.sayOld && ch.old != nil}
	}
	switch {
	case w.check:
		ch.new = ch.old
	case w.update != nil:
		old := ch.old
		if old == nil {
			old = w.key
		}
		if ch.new, err = w.update.Apply(old); err != nil {
			return err
		}
		if attribute.Size(ch.new) > maxItem {
			return invalid("Item size to update has exceeded the maximum allowed size")
		}
		return ch.table.checkIndexes(ch.new)
	}
	return nil
}

// conditionError says that the condition of a write does not hold.
type conditionError struct {
	item attribute.Item
	show bool
}

// Error implements error.
func (e *conditionError) Error() string { return "The conditional request failed" }

// answer is the error of an operation on one item.
func (e *conditionError) answer() error {
	f := failureOf(fail(conditionFailed, "%v", e))
	if e.show {
		f.more = fields{{"Item", e.item}}
	}
	return f
}

// make makes a change.
func (c *call) make(ch *change) {
	if ch.check {
		return
	}
	c.writes++
	t := ch.table
	changes := t.changes(ch.old, ch.new)
	c.set(t.base, ch.key, ch.new)
	for i := range changes {
		x := &changes[i]
		if x.old != nil {
			c.set(x.index.entries, x.from, nil)
		}
		if x.new != nil {
			c.set(x.index.entries, x.to, x.new)
		}
	}
	t.bytes += attribute.Size(ch.new) - attribute.Size(ch.old)
	if ch.old == nil {
		t.items++
	}
	if ch.new == nil {
		t.items--
	}
	c.forget()
}

// outdated is a version that only readers that lag can see.
type outdated struct {
	tree  *tree
	key   itemKey
	since uint64
}

// memory is for how many writes old versions are kept.
const memory = 256

func (c *call) set(t *tree, p itemKey, item attribute.Item) {
	e := t.set(p, version{item: item, at: c.writes})
	if len(e.versions) > 1 || item == nil {
		c.old = append(c.old, outdated{tree: t, key: p, since: c.writes})
	}
}

// forget drops the versions that no reader can see any more.
func (c *call) forget() {
	for len(c.old) > 0 && c.old[0].since+memory < c.writes {
		o := &c.old[0]
		o.tree.prune(o.key, c.writes-memory)
		c.old = c.old[1:]
	}
}

// The bytes that a unit reads or writes.
const (
	readUnit  = 4 << 10
	writeUnit = 1 << 10
)

// units rounds bytes up.
func units(bytes, unit int) float64 { return math.Max(1, math.Ceil(float64(bytes)/float64(unit))) }

// pay charges a change, so many times: the table the larger of the items, an index as much for
// every entry that comes or goes, and once for one that stays at its key.
func (c *call) pay(ch *change, times float64) {
	own := units(max(attribute.Size(ch.old), attribute.Size(ch.new)), writeUnit)
	c.charge(ch.table, nil, ch.key.partition, cost{writes: times * own})
	if ch.check {
		return
	}
	for _, x := range ch.table.changes(ch.old, ch.new) {
		sizeOld, sizeNew := attribute.Size(x.old), attribute.Size(x.new)
		if x.old != nil && x.new != nil && x.from.partition == x.to.partition && slices.Equal(x.from.sort, x.to.sort) {
			c.charge(ch.table, x.index, x.to.partition, cost{writes: times * units(max(sizeOld, sizeNew), writeUnit)})
			continue
		}
		if x.old != nil {
			c.charge(ch.table, x.index, x.from.partition, cost{writes: times * units(sizeOld, writeUnit)})
		}
		if x.new != nil {
			c.charge(ch.table, x.index, x.to.partition, cost{writes: times * units(sizeNew, writeUnit)})
		}
	}
}
