package expression

import (
	"strings"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// Condition is a condition that an item meets or not.
type Condition struct {
	root  test
	paths []Path
}

// Holds says whether an item meets the condition; nil is an item that is not there.
func (c *Condition) Holds(i attribute.Item) bool { return c == nil || c.root.holds(i) }

// Paths are the places that the condition looks at.
func (c *Condition) Paths() []Path {
	if c == nil {
		return nil
	}
	return c.paths
}

// test is a node of a condition.
type test interface{ holds(attribute.Item) bool }

type (
	both       struct{ left, right test }
	either     struct{ left, right test }
	not        struct{ inner test }
	comparison struct {
		operator    string
		left, right operand
	}
	between struct{ what, low, high operand }
	in      struct {
		what operand
		list []operand
	}
	call struct {
		function string
		args     []operand
	}
)

func (t *both) holds(i attribute.Item) bool   { return t.left.holds(i) && t.right.holds(i) }
func (t *either) holds(i attribute.Item) bool { return t.left.holds(i) || t.right.holds(i) }
func (t *not) holds(i attribute.Item) bool    { return !t.inner.holds(i) }

func (t *comparison) holds(i attribute.Item) bool {
	a, okA := t.left.of(i)
	b, okB := t.right.of(i)
	if !okA || !okB {
		return t.operator == "<>" // what is not there is not the same as anything
	}
	switch t.operator {
	case "=":
		return attribute.Equal(a, b)
	case "<>":
		return !attribute.Equal(a, b)
	}
	order, ok := attribute.Compare(a, b)
	if !ok {
		return false
	}
	switch t.operator {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func (t *between) holds(i attribute.Item) bool {
	low := comparison{operator: ">=", left: t.what, right: t.low}
	high := comparison{operator: "<=", left: t.what, right: t.high}
	return low.holds(i) && high.holds(i)
}

func (t *in) holds(i attribute.Item) bool {
	for _, o := range t.list {
		if same := (comparison{operator: "=", left: t.what, right: o}); same.holds(i) {
			return true
		}
	}
	return false
}

func (t *call) holds(i attribute.Item) bool {
	v, ok := t.args[0].of(i)
	switch t.function {
	case "attribute_exists":
		return ok
	case "attribute_not_exists":
		return !ok
	}
	arg, given := t.args[1].of(i)
	if !ok || !given {
		return false
	}
	switch t.function {
	case "attribute_type":
		return v.Kind.String() == arg.Text
	case "begins_with":
		return v.Kind == arg.Kind && (v.Kind == attribute.S || v.Kind == attribute.B) &&
			strings.HasPrefix(v.Text, arg.Text)
	}
	return attribute.Contains(v, arg)
}

// functions are those that are conditions, with the number of their arguments. size is an operand.
var functions = map[string]int{
	"attribute_exists": 1, "attribute_not_exists": 1, "attribute_type": 2, "begins_with": 2, "contains": 2,
	"size": 1, "if_not_exists": 2, "list_append": 2,
}

// ParseCondition reads a condition; kind is the parameter that has it.
func ParseCondition(kind, text string, s *Substitutes) (*Condition, error) {
	p := newParser(kind, text, s)
	root := p.or()
	if err := p.finish(); err != nil {
		return nil, err
	}
	c := &Condition{root: root}
	c.collect(root)
	return c, nil
}

func (p *parser) or() test {
	left := p.and()
	for p.take("OR") {
		p.operators++
		left = &either{left, p.and()}
	}
	return left
}

func (p *parser) and() test {
	left := p.term()
	for p.take("AND") {
		p.operators++
		left = &both{left, p.term()}
	}
	return left
}

func (p *parser) term() test {
	switch {
	case p.err != nil:
		return nil
	case p.take("NOT"):
		p.operators++
		return &not{p.term()}
	case !p.aroundOperand() && p.take("("):
		t := p.or()
		p.want(")")
		return t
	case p.now().shape == word && p.behind().is("(") && p.now().text != "size":
		return p.call()
	}
	left := p.operand()
	switch {
	case p.take("BETWEEN"):
		return p.between(left)
	case p.take("IN"):
		return p.in(left)
	}
	for _, operator := range []string{"=", "<>", "<=", "<", ">=", ">"} {
		if p.take(operator) {
			p.operators++
			t := &comparison{operator: operator, left: left, right: p.operand()}
			p.comparable(t)
			return t
		}
	}
	if left.size {
		p.fail("The function is not allowed to be used this way in an expression; function: size")
	}
	if p.err == nil {
		p.syntax()
	}
	return nil
}

// comparable refuses values that have no order.
func (p *parser) comparable(t *comparison) {
	p.distinct(t.operator, t.left, t.right)
	if t.operator == "=" || t.operator == "<>" {
		return
	}
	p.ordered(t.operator, t.left, t.right)
}

// distinct refuses a path that is compared with itself.
func (p *parser) distinct(operator string, first operand, others ...operand) {
	for i := range others {
		o := &others[i]
		if p.err == nil && first.path != nil && o.path != nil && !first.size && !o.size &&
			first.path.String() == o.path.String() {
			p.fail("The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s", operator, first.path)
		}
	}
}

// ordered refuses operands of which it is known that they have no order.
func (p *parser) ordered(operator string, operands ...operand) {
	for i := range operands {
		if k := operands[i].kind(); p.err == nil && k != attribute.None && !k.Scalar() {
			p.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
				operator, k)
		}
	}
}

func (p *parser) between(what operand) test {
	p.operators++
	t := &between{what: what, low: p.operand()}
	p.want("AND")
	t.high = p.operand()
	p.distinct("BETWEEN", t.what, t.low, t.high)
	p.ordered("BETWEEN", t.what, t.low, t.high)
	if p.err != nil || t.low.path != nil || t.high.path != nil {
		return t
	}
	order, ok := attribute.Compare(t.low.value, t.high.value)
	switch {
	case !ok:
		p.fail("The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: %s, upper bound operand: %s",
			shown(t.low.value), shown(t.high.value))
	case order > 0:
		p.fail("The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: %s, upper bound operand: %s",
			shown(t.low.value), shown(t.high.value))
	}
	return t
}

// shown is a value as DynamoDB's errors have it.
func shown(v attribute.Value) string {
	return "AttributeValue: {" + v.Kind.String() + ":" + v.Text + "}"
}

func (p *parser) in(what operand) test {
	p.operators++
	p.want("(")
	t := &in{what: what}
	for {
		t.list = append(t.list, p.operand())
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	p.distinct("IN", t.what, t.list...)
	if len(t.list) > maxOperands {
		p.fail("The IN operator is provided with too many operands; number of operands: %d", len(t.list))
	}
	return t
}

func (p *parser) call() test {
	t := &call{function: p.now().text}
	most, known := functions[t.function]
	switch {
	case !known:
		p.fail("Invalid function name; function: %s", t.function)
	case t.function == "if_not_exists" || t.function == "list_append":
		p.fail("The function is not allowed in a condition expression; function: %s", t.function)
	}
	p.at += 2
	p.operators++
	for p.err == nil {
		t.args = append(t.args, p.operand())
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	if p.err == nil && len(t.args) != most {
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", t.function, len(t.args))
	}
	p.arguments(t)
	return t
}

// arguments refuses those that a function cannot have.
func (p *parser) arguments(t *call) {
	if p.err != nil {
		return
	}
	wrong := func(k attribute.Kind) {
		p.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
			t.function, k)
	}
	switch t.function {
	case "attribute_exists", "attribute_not_exists":
		if t.args[0].path == nil || t.args[0].size {
			p.fail("Operator or function requires a document path; operator or function: %s", t.function)
		}
	case "contains":
		p.distinct(t.function, t.args[0], t.args[1])
	case "begins_with":
		p.distinct(t.function, t.args[0], t.args[1])
		for i := range t.args {
			if k := t.args[i].kind(); k != attribute.None && k != attribute.S && k != attribute.B {
				wrong(k)
			}
		}
	case "attribute_type":
		switch k := t.args[1].kind(); {
		case k == attribute.None:
			p.fail("Operator or function requires a document path; operator or function: %s", t.function)
		case k != attribute.S:
			wrong(k)
		case attribute.KindOf(t.args[1].value.Text) == attribute.None:
			p.fail("Invalid attribute type name found; type: %s, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}",
				t.args[1].value.Text)
		}
	}
}

// collect finds the paths of a condition.
func (c *Condition) collect(t test) {
	add := func(operands ...operand) {
		for i := range operands {
			if operands[i].path != nil {
				c.paths = append(c.paths, operands[i].path)
			}
		}
	}
	switch t := t.(type) {
	case *both:
		c.collect(t.left)
		c.collect(t.right)
	case *either:
		c.collect(t.left)
		c.collect(t.right)
	case *not:
		c.collect(t.inner)
	case *comparison:
		add(t.left, t.right)
	case *between:
		add(t.what, t.low, t.high)
	case *in:
		add(t.what)
		add(t.list...)
	case *call:
		add(t.args...)
	}
}
