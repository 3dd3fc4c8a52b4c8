package dynamofake

import (
	"maps"
	"slices"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
	"zproxy/store/dynamostore/dynamofake/expression"
)

// maxPage is how many bytes a page evaluates.
const maxPage = 1 << 20

// pages are what a Query and a Scan have in common.
type pages struct {
	TableName                 string
	IndexName                 string
	ConsistentRead            bool
	FilterExpression          *string
	ExpressionAttributeValues attribute.Item
	ExclusiveStartKey         attribute.Item
	Limit                     *int
	Select                    string
	ReturnConsumedCapacity    string
	projected

	filter *expression.Condition
}

func (p *pages) names() []string { return []string{nameOf(p.TableName)} }

// take reads the parameters; key is the condition of a query.
func (p *pages) take(key *string) (tests []expression.KeyTest, err error) {
	if p.Limit != nil && *p.Limit < 1 {
		return nil, invalid("Limit must be greater than or equal to 1")
	}
	subs := expression.Substitutes{Names: p.ExpressionAttributeNames, Values: p.ExpressionAttributeValues}
	if err := subs.Check(key != nil || p.FilterExpression != nil || p.ProjectionExpression != nil,
		"FilterExpression is null"); err != nil {
		return nil, err
	}
	if err := p.checkSelect(); err != nil {
		return nil, err
	}
	if err := p.parse(&subs); err != nil {
		return nil, err
	}
	if p.FilterExpression != nil {
		if p.filter, err = expression.ParseCondition("FilterExpression", *p.FilterExpression, &subs); err != nil {
			return nil, err
		}
	}
	if key != nil {
		if tests, err = expression.ParseKey(*key, &subs); err != nil {
			return nil, err
		}
	}
	return tests, subs.Unused()
}

func (p *pages) checkSelect() error {
	switch p.Select {
	case "", "SPECIFIC_ATTRIBUTES":
		if p.Select != "" && p.ProjectionExpression == nil {
			return invalid("Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
		}
		return nil
	case "COUNT", "ALL_ATTRIBUTES":
	case "ALL_PROJECTED_ATTRIBUTES":
		if p.IndexName == "" {
			return invalid("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
		}
	default:
		return invalid("Select must be ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES, COUNT, or SPECIFIC_ATTRIBUTES")
	}
	switch {
	case p.ProjectionExpression != nil && p.Select == "COUNT":
		return invalid("Cannot specify the ProjectionExpression when choosing to get only the Count")
	case p.ProjectionExpression != nil:
		return invalid("Cannot specify the ProjectionExpression when choosing to get %s", p.Select)
	}
	return nil
}

// source is what a page is read from: a table or one of its indexes.
type source struct {
	table  *table
	index  *index
	tree   *tree
	schema *schema
}

// source finds what is to be read.
func (p *pages) source(c *call) (*source, error) {
	t, err := c.table(nameOf(p.TableName))
	if err != nil {
		return nil, err
	}
	if p.IndexName == "" {
		return &source{table: t, tree: t.base, schema: &t.schema}, nil
	}
	x := t.index(p.IndexName)
	switch {
	case x == nil, c.stateOf(x) == deleting:
		return nil, invalid("The table does not have the specified index: %s", p.IndexName)
	case c.stateOf(x) != active:
		return nil, invalid("Cannot read from backfilling global secondary index: %s", p.IndexName)
	case p.ConsistentRead && !x.local:
		return nil, invalid("Consistent reads are not supported on global secondary indexes")
	}
	return &source{table: t, index: x, tree: x.entries, schema: &x.schema}, p.checkProjected(t, x)
}

// checkProjected refuses attributes that a global index lacks; a local one finds them in the table.
func (p *pages) checkProjected(t *table, x *index) error {
	if x.local || x.projection.kind == "ALL" {
		return nil
	}
	if p.Select == "ALL_ATTRIBUTES" {
		return wrongParameter("Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL", x.name)
	}
	var lacking []string
	for _, path := range p.paths {
		if !x.covers(t, path[0].Name) {
			lacking = append(lacking, path[0].Name)
		}
	}
	if lacking != nil {
		slices.Sort(lacking)
		return wrongParameter("Global secondary index %s does not project [%s]", x.name, strings.Join(lacking, ", "))
	}
	return nil
}

// start checks the key behind which a page begins, and gives it.
func (s *source) start(key attribute.Item) (*itemKey, error) {
	if key == nil {
		return nil, nil
	}
	wanted := map[string]keyPart{}
	for _, part := range append(s.schema.parts(), s.table.schema.parts()...) {
		wanted[part.name] = part
	}
	if len(key) != len(wanted) && s.index != nil {
		return nil, invalid("The provided starting key is invalid")
	}
	if len(key) != len(wanted) {
		return nil, invalid("Exclusive Start Key must have same size as table's key schema")
	}
	for n, part := range wanted {
		switch v, ok := key[n]; {
		case !ok:
			return nil, invalid("The provided starting key is invalid")
		case v.Kind != part.kind:
			return nil, invalid("Type mismatch for attribute to update")
		}
	}
	p, _ := s.schema.itemKey(key)
	if s.index != nil {
		p.sort = append(p.sort, s.table.tie(key)...)
	}
	return &p, nil
}

// page is a page being read.
type page struct {
	*pages
	c         *call
	source    *source
	most      int // items to evaluate, 0: any number
	bytes     int // evaluated
	fetched   float64
	evaluated int
	matched   int
	items     []attribute.Item
	last      attribute.Item // the item evaluated last
	full      bool
}

// newPage begins a page. Its end may be drawn.
func (p *pages) newPage(c *call, s *source) *page {
	out := &page{pages: p, c: c, source: s, items: []attribute.Item{}, most: c.options.PageItems}
	atMost := func(n int) {
		if out.most == 0 || n < out.most {
			out.most = n
		}
	}
	if p.Limit != nil {
		atMost(*p.Limit)
	}
	if c.draw(c.faults.Pages) {
		atMost(1 + c.random.IntN(shortPage))
	}
	return out
}

// shortPage is how many items a page has at most whose end is drawn.
const shortPage = 12

// take evaluates an entry. It says false when the page is full.
func (g *page) take(partition string, e *entry) bool {
	item := e.at(g.c.sees(g.identity(partition, e)))
	if item == nil {
		return true
	}
	g.evaluated++
	g.bytes += attribute.Size(item)
	g.last = item
	whole := g.whole(item)
	if g.filter.Holds(whole) {
		g.matched++
		if g.Select != "COUNT" {
			g.items = append(g.items, g.of(whole))
		}
	}
	g.full = g.evaluated == g.most || g.bytes >= maxPage
	return !g.full
}

// identity is the key in the table of an entry, and how it is to be read.
func (g *page) identity(partition string, e *entry) (strong bool, own string, sort []string) {
	if g.source.index == nil {
		return g.ConsistentRead, partition, e.sort
	}
	n := len(g.source.schema.sort)
	return g.ConsistentRead, e.sort[n], e.sort[n+1:]
}

// whole is an item of an index with what the index lacks and the read wants: only a local one
// looks into the table, at the price of a read.
func (g *page) whole(item attribute.Item) attribute.Item {
	x := g.source.index
	if x == nil || !x.local || x.projection.kind == "ALL" || g.Select == "COUNT" {
		return item
	}
	wants := g.Select == "ALL_ATTRIBUTES"
	for _, path := range g.paths {
		wants = wants || !x.covers(g.source.table, path[0].Name)
	}
	if !wants {
		return item
	}
	p, _ := g.source.table.schema.itemKey(item)
	whole := g.source.table.item(p)
	g.fetched += readCost(attribute.Size(whole), g.ConsistentRead)
	return whole
}

// answer is the page, which is paid for as a whole.
func (g *page) answer(partition string) fields {
	g.c.charge(g.source.table, g.source.index, partition, cost{reads: readCost(g.bytes, g.ConsistentRead)})
	if g.fetched > 0 {
		g.c.charge(g.source.table, nil, partition, cost{reads: g.fetched})
	}
	out := fields{{"Count", g.matched}, {"ScannedCount", g.evaluated}}
	if g.Select != "COUNT" {
		out = append(out, field{"Items", g.c.spoil(g.items)})
	}
	if g.full {
		key := g.source.schema.keyOf(g.last)
		maps.Copy(key, g.source.table.schema.keyOf(g.last))
		out = append(out, field{"LastEvaluatedKey", key})
	}
	return append(out, field{"ConsumedCapacity",
		g.c.used.consumed(g.ReturnConsumedCapacity, g.source.table.name, false)})
}

// behind is the number of the first entry of a partition that comes after a key, or, going
// back, the number behind the last one that comes before it.
func (p *partition) behind(sort []string, back bool) int {
	i, there := slices.BinarySearchFunc(p.entries, sort, func(e *entry, sort []string) int {
		return slices.Compare(e.sort, sort)
	})
	if there && !back {
		i++
	}
	return i
}
