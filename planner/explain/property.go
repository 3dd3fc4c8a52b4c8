package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"zproxy/expr"
	"zproxy/optimizer/price"
)

// property is one thing that EXPLAIN tells of a node: a label with a value, which is a string, a number,
// a bool, a list of strings, lists of them, a group or groups.
type property struct {
	label string
	value any
	// lines are how the text form says it. Without any it is the label with the value behind.
	lines []string
	// quiet says that the text form does not, or that other properties' lines have it.
	quiet bool
}

// numeral is a number as it is printed.
type numeral string

// group is properties that belong together, in their order.
type group []property

// groups are groups of one kind, with what one of them is called.
type groups struct {
	item string
	list []group
}

// lists are several lists of texts, with what one of them is called.
type lists struct {
	item string
	list [][]string
}

// textProperty is a property whose value is a text.
func textProperty(label, text string) property { return property{label: label, value: text} }

// counted is a property whose value is a whole number.
func counted(label string, n int64) property {
	return property{label: label, value: numeral(strconv.FormatInt(n, 10))}
}

// unsaid is a property that the text form leaves out.
func unsaid(label string, value any) property {
	return property{label: label, value: value, quiet: true}
}

// listed is a property of several texts, for which the text form has one line.
func listed(label string, texts []string) property { return property{label: label, value: texts} }

// repeated is a property of several texts, for each of which the text form has a line.
func repeated(label string, texts []string) property {
	p := property{label: label, value: texts, quiet: len(texts) == 0}
	for _, t := range texts {
		p.lines = append(p.lines, label+": "+t)
	}
	return p
}

// without are properties but for those of a label.
func without(list []property, label string) []property {
	return slices.DeleteFunc(slices.Clone(list), func(p property) bool { return p.label == label })
}

// text is the lines of a property.
func (p property) text() []string {
	switch {
	case p.quiet:
		return nil
	case p.lines != nil:
		return p.lines
	}
	switch v := p.value.(type) {
	case string:
		return []string{p.label + ": " + v}
	case numeral:
		return []string{p.label + ": " + string(v)}
	case []string:
		return []string{p.label + ": " + strings.Join(v, ", ")}
	}
	return nil
}

// title is what a node is, of which the text form makes its first line.
type title struct {
	node      string     // what PostgreSQL calls its type
	called    string     // what the text form calls it, where that is something else
	way       []property // what its type is told with
	direction string     // in which an index is read
	index     string
	on        property // what is read or written
	schema    string   // of that; empty: it is not told
	alias     string   // as the statement calls that
	kind      property // of a join or of a set operation
}

// text is the first line of a node.
func (t *title) text() string {
	s := t.called
	if s == "" {
		s = t.node
	}
	if t.direction == backward {
		s += " " + backward
	}
	relation, _ := t.on.value.(string)
	name := cmp.Or(relation, t.alias)
	if t.index != "" && name != "" {
		s += " using " + expr.QuoteIdent(t.index)
	}
	if name = cmp.Or(name, t.index); name == "" {
		return s
	}
	s += " on "
	if relation != "" && t.schema != "" {
		s += expr.QuoteIdent(t.schema) + "."
	}
	if s += expr.QuoteIdent(name); t.alias != "" && t.alias != name {
		s += " " + expr.QuoteIdent(t.alias)
	}
	return s
}

const (
	forward  = "Forward"
	backward = "Backward"
)

// direction is how an access reads what it reads in order.
func direction(reverse bool) string {
	if reverse {
		return backward
	}
	return forward
}

// of is what else is told of what a node is.
func (t *title) of() group {
	var g group
	for _, p := range []property{textProperty("Scan Direction", t.direction), textProperty("Index Name", t.index), t.on,
		textProperty("Schema", t.schema), textProperty("Alias", t.alias), t.kind} {
		if p.label != "" && p.value != "" {
			g = append(g, p)
		}
	}
	return g
}

// described is a node as EXPLAIN tells of it, in whichever form, and what is below it.
type described struct {
	title    title
	relation string // what it is to the node above
	output   []string
	subplan  string       // of a plan of its own: what it is for
	price    *price.Price // nil: it is not told
	actual   *actual
	details  []property
	plans    []described
}

// group is a node as the forms other than text have it.
func (d *described) group() group {
	g := slices.Concat(group{textProperty("Node Type", d.title.node)}, d.title.way)
	if d.relation != "" {
		g = append(g, textProperty("Parent Relationship", d.relation))
	}
	if d.subplan != "" {
		g = append(g, textProperty("Subplan Name", d.subplan))
	}
	g = append(g, unsaid("Parallel Aware", false), unsaid("Async Capable", false))
	g = append(g, d.title.of()...)
	g = slices.Concat(g, priceGroup(d.price), d.actual.group(), d.handedOn(), d.details)
	if len(d.plans) == 0 {
		return g
	}
	below := groups{item: "Plan"}
	for i := range d.plans {
		below.list = append(below.list, d.plans[i].group())
	}
	return append(g, unsaid("Plans", below))
}

// text adds the lines of a node, whose first one begins in a column, and of what is below it.
func (d *described) text(lines []string, column int, lead string) []string {
	add := func(column int, text string) { lines = append(lines, strings.Repeat(" ", column)+text) }
	add(column-len(lead), lead+d.title.text()+priceText(d.price)+d.actual.text())
	for _, p := range append(d.handedOn(), d.details...) {
		for _, line := range p.text() {
			add(column+2, line)
		}
	}
	for i := range d.plans {
		below, at := &d.plans[i], column+6
		if below.subplan != "" {
			add(column+2, below.subplan)
			at += 2
		}
		lines = below.text(lines, at, arrow)
	}
	return lines
}

// handedOn is the columns of the rows that come out, where they are told.
func (d *described) handedOn() group {
	if len(d.output) == 0 {
		return nil
	}
	return group{listed("Output", d.output)}
}

const arrow = "->  "
