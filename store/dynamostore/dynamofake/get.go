package dynamofake

import (
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
	"zproxy/store/dynamostore/dynamofake/expression"
)

// projected are the parameters that say which attributes a read is to have.
type projected struct {
	ProjectionExpression     *string
	ExpressionAttributeNames map[string]string
	paths                    []expression.Path
}

// take reads the parameters of a read that has no other expression.
func (p *projected) take() (err error) {
	subs := expression.Substitutes{Names: p.ExpressionAttributeNames}
	if err := subs.Check(p.ProjectionExpression != nil, ""); err != nil {
		return err
	}
	if err := p.parse(&subs); err != nil {
		return err
	}
	return subs.Unused()
}

func (p *projected) parse(subs *expression.Substitutes) (err error) {
	if p.ProjectionExpression != nil {
		p.paths, err = expression.ParseProjection(*p.ProjectionExpression, subs)
	}
	return err
}

// of is what the read has of an item.
func (p *projected) of(i attribute.Item) attribute.Item {
	if p.paths == nil {
		return i
	}
	return expression.Project(i, p.paths)
}

// getItem is GetItem.
type getItem struct {
	TableName              string
	Key                    attribute.Item
	ConsistentRead         bool
	ReturnConsumedCapacity string
	projected
}

func (g *getItem) names() []string { return []string{nameOf(g.TableName)} }

func (g *getItem) check() error { return g.take() }

func (g *getItem) run(c *call) (fields, error) {
	t, err := c.table(nameOf(g.TableName))
	if err != nil {
		return nil, err
	}
	if err := t.schema.checkKey(g.Key); err != nil {
		return nil, err
	}
	p, _ := t.schema.itemKey(g.Key)
	if err := c.mayRead(t, nil, p.partition); err != nil {
		return nil, err
	}
	var out fields
	if item := c.get(t, p, g.ConsistentRead, 1); item != nil {
		out = append(out, field{"Item", c.spoil([]attribute.Item{g.of(item)})[0]})
	}
	return append(out, field{"ConsumedCapacity", c.used.consumed(g.ReturnConsumedCapacity, t.name, false)}), nil
}

// get reads an item, and pays so many times for it.
func (c *call) get(t *table, p itemKey, strong bool, times float64) attribute.Item {
	item := attribute.Item(nil)
	if e := t.base.find(p); e != nil {
		item = e.at(c.sees(strong, p.partition, p.sort))
	}
	c.charge(t, nil, p.partition, cost{reads: times * readCost(attribute.Size(item), strong)})
	return item
}

// readCost is what reading some bytes at once costs.
func readCost(bytes int, strong bool) float64 {
	if strong {
		return units(bytes, readUnit)
	}
	return units(bytes, readUnit) / 2
}

// sees is the last write that a read of an item sees. An eventual read may lag, by as much for
// a table as for its indexes.
func (c *call) sees(strong bool, partition string, sort []string) uint64 {
	if strong || c.faults.Lag == 0 {
		return c.writes
	}
	draw := mix(c.lagSeed() + partition + "\x00" + strings.Join(sort, "\x00"))
	if float64(draw>>11)/(1<<53) >= c.faults.Lag {
		return c.writes
	}
	lag := 1 + draw%memory
	return c.writes - min(lag, c.writes)
}
