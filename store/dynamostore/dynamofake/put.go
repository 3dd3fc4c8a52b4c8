package dynamofake

import (
	"errors"

	"zproxy/store/dynamostore/dynamofake/attribute"
	"zproxy/store/dynamostore/dynamofake/expression"
)

// single has what writes of one item have in common.
type single struct {
	TableName              string
	ReturnConsumedCapacity string
	ReturnValues           string
	expressions
	w write
}

func (s *single) names() []string { return []string{nameOf(s.TableName)} }

// returns checks what the answer is to have.
func (s *single) returns(allowed ...string) error {
	for _, a := range append(allowed, "", "NONE") {
		if s.ReturnValues == a {
			return nil
		}
	}
	return invalid("Return values set to invalid value")
}

func (s *single) run(c *call) (fields, error) {
	s.w.table = nameOf(s.TableName)
	ch, err := c.write(&s.w)
	var failed *conditionError
	if errors.As(err, &failed) {
		return nil, failed.answer()
	}
	if err != nil {
		return nil, err
	}
	out := fields{{"ConsumedCapacity", c.used.consumed(s.ReturnConsumedCapacity, s.w.table, false)}}
	if v := s.returned(ch); v != nil {
		out = append(out, field{"Attributes", v})
	}
	return out, nil
}

// returned are the attributes that the answer is to have, nil for none.
func (s *single) returned(ch *change) attribute.Item {
	changed := func(i attribute.Item) attribute.Item {
		if s.w.update == nil || i == nil {
			return nil
		}
		return expression.Project(i, s.w.update.Targets())
	}
	switch s.ReturnValues {
	case "ALL_OLD":
		return ch.old
	case "ALL_NEW":
		return ch.new
	case "UPDATED_OLD":
		return changed(ch.old)
	case "UPDATED_NEW":
		return changed(ch.new)
	}
	return nil
}

// write carries out one write by itself.
func (c *call) write(w *write) (*change, error) {
	ch, err := c.prepare(w)
	if err != nil {
		return nil, err
	}
	if c.held[ch.id()] != nil || c.draw(c.faults.Conflict) {
		return nil, fail(conflict, "Transaction is ongoing for the item")
	}
	if err := c.mayWrite(ch); err != nil {
		return nil, err
	}
	if err := c.resolve(w, ch); err != nil {
		return nil, err
	}
	c.pay(ch, 1)
	c.make(ch)
	return ch, nil
}

// putItem is PutItem.
type putItem struct {
	single
	Item attribute.Item
}

func (p *putItem) check() error {
	p.w.item = p.Item
	if err := p.returns("ALL_OLD"); err != nil {
		return err
	}
	if err := checkValues(p.Item); err != nil {
		return err
	}
	return p.w.take(&p.expressions)
}

// checkValues says what is wrong with the values of an item, whatever the table.
func checkValues(i attribute.Item) error {
	for name, v := range i {
		if name == "" {
			return invalid("Empty attribute name")
		}
		if v.Depth() > maxDepth-1 {
			return invalid("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
		}
	}
	return nil
}

// deleteItem is DeleteItem.
type deleteItem struct {
	single
	Key attribute.Item
}

func (d *deleteItem) check() error {
	d.w.key = d.Key
	if err := d.returns("ALL_OLD"); err != nil {
		return err
	}
	return d.w.take(&d.expressions)
}

// updateItem is UpdateItem.
type updateItem struct {
	single
	Key attribute.Item
}

func (u *updateItem) check() error {
	u.w.key = u.Key
	if err := u.returns("ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"); err != nil {
		return err
	}
	err := u.w.take(&u.expressions)
	if u.w.update == nil {
		u.w.update = &expression.Update{} // it only makes the item
	}
	return err
}
