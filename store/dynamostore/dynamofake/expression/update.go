package expression

import (
	"maps"
	"slices"

	"zproxy/store/dynamostore/dynamofake/attribute"
)

// updateKind is the parameter with an update.
const updateKind = "UpdateExpression"

// Update is what an update makes of an item.
type Update struct{ changes []assignment }

// assignment is a change of what is at one path.
type assignment struct {
	clause string // SET, REMOVE, ADD or DELETE
	target Path
	left   updateOperand
	sign   string // of the second operand; empty: there is none
	right  updateOperand
}

// updateOperand is a value, a path or a function of two operands.
type updateOperand struct {
	operand
	function string // if_not_exists or list_append
	args     []updateOperand
}

// ParseUpdate reads an update.
func ParseUpdate(text string, s *Substitutes) (*Update, error) {
	p := newParser(updateKind, text, s)
	u, clauses := &Update{}, map[string]bool{}
	for p.err == nil && p.now().shape != end {
		clause := p.clause()
		if clause == "" {
			break
		}
		if clauses[clause] {
			p.fail("The \"%s\" section can only be used once in an update expression;", clause)
		}
		clauses[clause] = true
		for p.err == nil {
			u.changes = append(u.changes, p.assignment(clause))
			if !p.take(",") {
				break
			}
		}
	}
	if err := p.finish(); err != nil {
		return nil, err
	}
	if err := check(u.Targets()); err != nil {
		return nil, invalid("Invalid %s: %v", updateKind, err)
	}
	return u, nil
}

func (p *parser) clause() string {
	for _, c := range []string{"SET", "REMOVE", "ADD", "DELETE"} {
		if p.take(c) {
			return c
		}
	}
	p.syntax()
	return ""
}

func (p *parser) assignment(clause string) (a assignment) {
	a.clause, a.target = clause, p.path()
	switch clause {
	case "SET":
		p.want("=")
		p.sum(&a)
	case "ADD", "DELETE":
		a.left.value = p.value()
		if k := a.left.value.Kind; p.err == nil && !k.Set() && (clause == "DELETE" || k != attribute.N) {
			p.fail("Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND", clause, longName(k), clause)
		}
	}
	return a
}

// sum reads what is assigned: an operand, or two with a sign between them.
func (p *parser) sum(a *assignment) {
	if p.err == nil && p.aroundSum() {
		p.want("(")
		p.sum(a)
		p.want(")")
		return
	}
	a.left = p.updateOperand()
	for _, sign := range []string{"+", "-"} {
		if p.take(sign) {
			p.operators++
			a.sign, a.right = sign, p.updateOperand()
			p.typed(sign, attribute.N, a.left, a.right)
			return
		}
	}
}

// longName is how some errors call a kind.
func longName(k attribute.Kind) string {
	switch k {
	case attribute.S:
		return "STRING"
	case attribute.N:
		return "NUMBER"
	case attribute.B:
		return "BINARY"
	case attribute.BOOL:
		return "BOOLEAN"
	case attribute.M:
		return "MAP"
	case attribute.L:
		return "LIST"
	}
	return k.String()
}

func (p *parser) updateOperand() (o updateOperand) {
	t := p.now()
	if p.take("(") {
		o = p.updateOperand()
		p.want(")")
		return o
	}
	if t.shape != word || !p.behind().is("(") {
		if t.shape == value {
			o.value = p.value()
		} else {
			o.path = p.path()
		}
		return o
	}
	_, known := functions[t.text]
	switch {
	case !known:
		p.fail("Invalid function name; function: %s", t.text)
		return o
	case t.text != "if_not_exists" && t.text != "list_append":
		p.fail("The function is not allowed in an update expression; function: %s", t.text)
		return o
	}
	o.function = t.text
	p.at += 2
	p.operators++
	for p.err == nil {
		o.args = append(o.args, p.updateOperand())
		if !p.take(",") {
			break
		}
	}
	p.want(")")
	if p.err == nil && len(o.args) != 2 {
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", o.function, len(o.args))
	}
	if o.function == "list_append" {
		p.typed(o.function, attribute.L, o.args...)
	}
	if p.err == nil && o.function == "if_not_exists" && o.args[0].path == nil {
		p.fail("Operator or function requires a document path; operator or function: if_not_exists")
	}
	return o
}

// typed refuses values that an operator or a function cannot have.
func (p *parser) typed(operator string, want attribute.Kind, operands ...updateOperand) {
	for i := range operands {
		o := &operands[i]
		if p.err == nil && o.path == nil && o.function == "" && o.value.Kind != want {
			p.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
				operator, o.value.Kind)
		}
	}
}

// Targets are the paths that an update changes.
func (u *Update) Targets() (out []Path) {
	for i := range u.changes {
		out = append(out, u.changes[i].target)
	}
	return out
}

// Apply makes the item anew. All values are those of the item as it was.
func (u *Update) Apply(old attribute.Item) (attribute.Item, error) {
	out := maps.Clone(old)
	removed := []Path{}
	for i := range u.changes {
		a := &u.changes[i]
		v, there, err := a.result(old)
		if err != nil {
			return nil, err
		}
		if !there {
			removed = append(removed, a.target)
			continue
		}
		if out, err = putMember(out, a.target, v); err != nil {
			return nil, err
		}
	}
	// Later elements first, so that those before them stay where they are.
	slices.SortFunc(removed, func(a, b Path) int { return b[len(b)-1].Index - a[len(a)-1].Index })
	for _, p := range removed {
		out = removeMember(out, p)
	}
	return out, nil
}

// result is what is to be at the target, if anything.
func (a *assignment) result(old attribute.Item) (v attribute.Value, there bool, err error) {
	present, is := a.target.Find(old)
	switch a.clause {
	case "REMOVE":
		return v, false, nil
	case "ADD":
		v, err = added(present, is, a.left.value)
		return v, true, err
	case "DELETE":
		v, err = subtracted(present, is, a.left.value)
		return v, len(v.List) > 0, err
	}
	if v, err = a.left.of(old); err != nil || a.sign == "" {
		return v, true, err
	}
	w, err := a.right.of(old)
	if err != nil {
		return v, true, err
	}
	if v.Kind != attribute.N || w.Kind != attribute.N {
		return v, true, invalid("An operand in the update expression has an incorrect data type")
	}
	v, err = attribute.Add(v, w, a.sign == "-")
	return v, true, err
}

// of is the value of an operand.
func (o *updateOperand) of(old attribute.Item) (attribute.Value, error) {
	switch o.function {
	case "if_not_exists":
		if v, ok := o.args[0].path.Find(old); ok {
			return v, nil
		}
		return o.args[1].of(old)
	case "list_append":
		a, errA := o.args[0].of(old)
		b, errB := o.args[1].of(old)
		switch {
		case errA != nil:
			return a, errA
		case errB != nil:
			return b, errB
		case a.Kind != attribute.L || b.Kind != attribute.L:
			return a, invalid("An operand in the update expression has an incorrect data type")
		}
		return attribute.Value{Kind: attribute.L, List: slices.Concat(a.List, b.List)}, nil
	}
	if o.path == nil {
		return o.value, nil
	}
	v, ok := o.path.Find(old)
	if !ok {
		return v, invalid("The provided expression refers to an attribute that does not exist in the item")
	}
	return v, nil
}

func added(present attribute.Value, is bool, more attribute.Value) (attribute.Value, error) {
	switch {
	case !is:
		return more, nil
	case present.Kind != more.Kind:
		return present, invalid("An operand in the update expression has an incorrect data type")
	case more.Kind == attribute.N:
		return attribute.Add(present, more, false)
	}
	out := attribute.Value{Kind: more.Kind, List: slices.Clone(present.List)}
	for _, m := range more.List {
		if !attribute.Contains(present, m) {
			out.List = append(out.List, m)
		}
	}
	return out, nil
}

func subtracted(present attribute.Value, is bool, less attribute.Value) (attribute.Value, error) {
	if is && present.Kind != less.Kind {
		return present, invalid("An operand in the update expression has an incorrect data type")
	}
	out := attribute.Value{Kind: less.Kind}
	for _, m := range present.List {
		if !attribute.Contains(less, m) {
			out.List = append(out.List, m)
		}
	}
	return out, nil
}

// errPath says that an update goes into what is not there.
func errPath() error {
	return invalid("The document path provided in the update expression is invalid for update")
}

// putMember puts a value at a path, in copies of all that is around it.
func putMember(i attribute.Item, p Path, v attribute.Value) (attribute.Item, error) {
	out := maps.Clone(i)
	if out == nil {
		out = attribute.Item{}
	}
	if len(p) == 1 {
		out[p[0].Name] = v
		return out, nil
	}
	inner, ok := i[p[0].Name]
	if !ok {
		return nil, errPath()
	}
	changed, err := putInto(inner, p[1:], v)
	out[p[0].Name] = changed
	return out, err
}

func putInto(around attribute.Value, p Path, v attribute.Value) (attribute.Value, error) {
	switch {
	case !p[0].Element && around.Kind == attribute.M:
		m, err := putMember(around.Map, p, v)
		return attribute.Value{Kind: attribute.M, Map: m}, err
	case p[0].Element && around.Kind == attribute.L:
		list := slices.Clone(around.List)
		switch n := p[0].Index; {
		case len(p) == 1 && n >= len(list):
			list = append(list, v)
		case len(p) == 1:
			list[n] = v
		case n >= len(list):
			return around, errPath()
		default:
			changed, err := putInto(list[n], p[1:], v)
			if err != nil {
				return around, err
			}
			list[n] = changed
		}
		return attribute.Value{Kind: attribute.L, List: list}, nil
	}
	return around, errPath()
}

// removeMember removes what is at a path, if it is there.
func removeMember(i attribute.Item, p Path) attribute.Item {
	inner, ok := i[p[0].Name]
	if !ok {
		return i
	}
	out := maps.Clone(i)
	if len(p) == 1 {
		delete(out, p[0].Name)
		return out
	}
	out[p[0].Name] = removeFrom(inner, p[1:])
	return out
}

func removeFrom(around attribute.Value, p Path) attribute.Value {
	switch {
	case !p[0].Element && around.Kind == attribute.M:
		return attribute.Value{Kind: attribute.M, Map: removeMember(around.Map, p)}
	case p[0].Element && around.Kind == attribute.L && p[0].Index < len(around.List):
		list := slices.Clone(around.List)
		if n := p[0].Index; len(p) == 1 {
			list = slices.Delete(list, n, n+1)
		} else {
			list[n] = removeFrom(list[n], p[1:])
		}
		return attribute.Value{Kind: attribute.L, List: list}
	}
	return around
}
