package dynamofake

import (
	"slices"
	"sort"
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
	"zproxy/store/dynamostore/dynamofake/expression"
)

// query is Query.
type query struct {
	pages
	KeyConditionExpression *string
	ScanIndexForward       *bool

	tests []expression.KeyTest
}

func (q *query) check() (err error) {
	if q.KeyConditionExpression == nil {
		return invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	q.tests, err = q.take(q.KeyConditionExpression)
	return err
}

func (q *query) run(c *call) (fields, error) {
	s, err := q.source(c)
	if err != nil {
		return nil, err
	}
	r, err := newKeyRange(s.schema, q.tests)
	if err != nil {
		return nil, err
	}
	if err := q.checkFilter(s.schema); err != nil {
		return nil, err
	}
	start, err := s.start(q.ExclusiveStartKey)
	if err == nil && start != nil {
		err = r.admits(start)
	}
	if err != nil {
		return nil, err
	}
	if err := c.mayRead(s.table, s.index, r.partition); err != nil {
		return nil, err
	}
	g := q.newPage(c, s)
	if part := s.tree.byKey[r.partition]; part != nil {
		back := q.ScanIndexForward != nil && !*q.ScanIndexForward
		g.walk(part, r, start, back)
	}
	return g.answer(r.partition), nil
}

// checkFilter refuses key attributes in a filter, which would better be conditions.
func (p *pages) checkFilter(s *schema) error {
	for _, path := range p.filter.Paths() {
		if s.has(path[0].Name) && len(path) > 1 {
			return invalid("Key attributes must be scalars; list random access '[]' and map lookup '.' are not allowed: Key: %s", path[0].Name)
		}
		if s.has(path[0].Name) {
			return invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s",
				path[0].Name)
		}
	}
	return nil
}

// walk evaluates the entries of a partition in a range, behind a start.
func (g *page) walk(part *partition, r *keyRange, start *itemKey, back bool) {
	from := sort.Search(len(part.entries), func(i int) bool { return r.position(part.entries[i].sort) >= 0 })
	to := sort.Search(len(part.entries), func(i int) bool { return r.position(part.entries[i].sort) > 0 })
	if start != nil && back {
		to = min(to, part.behind(start.sort, true))
	} else if start != nil {
		from = max(from, part.behind(start.sort, false))
	}
	if back {
		for i := to - 1; i >= from; i-- {
			if !g.take(part.key, part.entries[i]) {
				return
			}
		}
		return
	}
	for i := from; i < to; i++ {
		if !g.take(part.key, part.entries[i]) {
			return
		}
	}
}

// keyRange is what the conditions on a key leave of a partition: sort keys that begin with some
// values, and have one within bounds behind them.
type keyRange struct {
	partition string
	equal     []string
	operator  string   // on the attribute behind the equal ones; empty: none
	bounds    []string // one, or two for BETWEEN
}

// position says where a sort key is: below the range, in it, or above.
func (r *keyRange) position(sort []string) int {
	for i, v := range r.equal {
		if order := strings.Compare(sort[i], v); order != 0 {
			return order
		}
	}
	if r.operator == "" {
		return 0
	}
	v := sort[len(r.equal)]
	low := strings.Compare(v, r.bounds[0])
	switch {
	case r.operator == "begins_with" && strings.HasPrefix(v, r.bounds[0]):
		return 0
	case r.operator == "begins_with":
		return low
	case r.operator == "<" && low >= 0, r.operator == "<=" && low > 0:
		return 1
	case r.operator == ">" && low <= 0, r.operator == ">=" && low < 0:
		return -1
	case r.operator == "BETWEEN" && low < 0:
		return -1
	case r.operator == "BETWEEN" && strings.Compare(v, r.bounds[1]) > 0:
		return 1
	}
	return 0
}

// admits checks a key behind which a page is to begin.
func (r *keyRange) admits(p *itemKey) error {
	if p.partition != r.partition || r.position(p.sort) != 0 {
		return invalid("The provided starting key does not match the range key predicate")
	}
	return nil
}

// newKeyRange makes a range of the conditions on a key: equality on all of the partition key,
// then on sort attributes from the left, and any condition on the last of them.
func newKeyRange(s *schema, tests []expression.KeyTest) (*keyRange, error) {
	byName := map[string]expression.KeyTest{}
	for _, t := range tests {
		if _, again := byName[t.Name]; again {
			return nil, invalid("KeyConditionExpressions must only contain one condition per key")
		}
		byName[t.Name] = t
	}
	if most := max(2, len(s.parts())); len(tests) > most {
		return nil, invalid("Conditions can be of length 1 or 2 only")
	}
	r := &keyRange{}
	hash, err := equals(s, byName)
	if err != nil {
		return nil, err
	}
	r.partition = hashKey(hash)
	used := len(s.hash)
	for i, p := range s.sort {
		t, ok := byName[p.name]
		if !ok {
			continue
		}
		if used++; r.operator != "" || len(r.equal) < i {
			return nil, gap(s, i)
		}
		if err := typed(t, p); err != nil {
			return nil, err
		}
		if t.Operator == "=" {
			r.equal = append(r.equal, t.Values[0].Order())
			continue
		}
		r.operator = t.Operator
		for _, v := range t.Values {
			r.bounds = append(r.bounds, v.Order())
		}
	}
	if used < len(byName) {
		return nil, missed(s, byName)
	}
	return r, nil
}

// equals are the values of the partition key.
func equals(s *schema, byName map[string]expression.KeyTest) (hash []string, err error) {
	for _, p := range s.hash {
		t, ok := byName[p.name]
		switch {
		case len(s.hash) > 1 && (!ok || t.Operator != "="):
			return nil, invalid("HASH key attributes %s must have equality conditions specified in the query", p.name)
		case !ok:
			return nil, invalid("Query condition missed key schema element: %s", p.name)
		case t.Operator != "=":
			return nil, invalid("Query key condition not supported")
		}
		if err := typed(t, p); err != nil {
			return nil, err
		}
		hash = append(hash, t.Values[0].Order())
	}
	return hash, nil
}

// gap says that a condition on a sort attribute has not equality on those before it.
func gap(s *schema, i int) error {
	return invalid("RANGE key attributes %s must have equality conditions specified in the query because a condition is present on key attribute %s", s.sort[i-1].name, s.sort[i].name)
}

// missed names the attribute of the key without which another condition is of no use.
func missed(s *schema, byName map[string]expression.KeyTest) error {
	for _, p := range s.sort {
		if _, ok := byName[p.name]; !ok {
			return invalid("Query condition missed key schema element: %s", p.name)
		}
	}
	return invalid("Query key condition not supported")
}

// typed checks the values of a condition on a key attribute.
func typed(t expression.KeyTest, p keyPart) error {
	for _, v := range t.Values {
		if v.Kind != p.kind {
			return wrongParameter("Condition parameter type does not match schema type")
		}
		if v.Text == "" {
			kind := "string"
			if v.Kind == attribute.B {
				kind = "binary"
			}
			return invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", kind, p.name)
		}
	}
	if slices.Contains([]string{"begins_with"}, t.Operator) && p.kind == attribute.N {
		return wrongParameter("BEGINS_WITH is not supported for type N")
	}
	return nil
}
