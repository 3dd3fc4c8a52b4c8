package explain

import (
	"fmt"
	"strings"
	"time"

	"zproxy/optimizer/cost"
	"zproxy/store"
	"zproxy/types"
)

// Explanation is what EXPLAIN tells of a plan, to be given in any form.
type Explanation struct {
	plan   described
	behind group // what is told of all of it
}

// Attach tells of another plan that runs behind the plan, and what for.
func (e *Explanation) Attach(title string, other *Explanation) {
	other.plan.relation, other.plan.subplan = "SubPlan", title
	e.plan.plans = append(e.plan.plans, other.plan)
}

// Format is a form that EXPLAIN has.
type Format uint8

// The forms.
const (
	TextFormat Format = iota
	JSONFormat
	XMLFormat
	YAMLFormat
)

var formatNames = map[string]Format{"text": TextFormat, "json": JSONFormat, "xml": XMLFormat, "yaml": YAMLFormat}

// FormatNamed is the form that an option of EXPLAIN names.
func FormatNamed(name string) (Format, bool) {
	f, ok := formatNames[name]
	return f, ok
}

// Type is that of the column in which a form is handed out.
func (f Format) Type() types.T {
	switch f {
	case JSONFormat:
		return types.Of(types.OIDJSON)
	case XMLFormat:
		return types.Of(types.OIDXML)
	case TextFormat, YAMLFormat:
	}
	return types.Text
}

// Planned adds how long making the plan took.
func (e *Explanation) Planned(d time.Duration) { e.lasted("Planning Time", d) }

// Took adds how long the plan ran.
func (e *Explanation) Took(d time.Duration) { e.lasted("Execution Time", d) }

func (e *Explanation) lasted(label string, d time.Duration) {
	n := milliseconds(d, 1)
	e.behind = append(e.behind, property{label: label, value: n, lines: []string{label + ": " + string(n) + " ms"}})
}

// Setting is a setting with its value.
type Setting struct{ Name, Value string }

// Set adds the settings that plans depend on and that have other values than at first.
func (e *Explanation) Set(list []Setting) {
	var values group
	var texts []string
	for _, s := range list {
		values = append(values, textProperty(s.Name, s.Value))
		texts = append(texts, fmt.Sprintf("%s = '%s'", s.Name, s.Value))
	}
	if len(list) > 0 {
		e.behind = append(e.behind, property{label: "Settings", value: values,
			lines: []string{"Settings: " + strings.Join(texts, ", ")}})
	}
}

// Identified adds the number under which runs of the statement are counted.
func (e *Explanation) Identified(id uint64) {
	e.behind = append(e.behind, counted("Query Identifier", int64(id)))
}

// Resumable adds whether a cursor of the query is resumable, or what of its plan prevents that.
func (e *Explanation) Resumable(prevents string) {
	text := "yes"
	if prevents != "" {
		text = "no, the plan has " + prevents
	}
	e.behind = append(e.behind, textProperty("Resumable", text))
}

// Expected adds what the statement is thought to be charged in total, if it is, with all runs of what runs for each row
// of something else.
func (e *Explanation) Expected(c cost.Charge) {
	if c.Requests == 0 {
		return
	}
	line := textProperty("Estimated Charge", totalText(c))
	e.behind = append(append(e.behind, line), charges("Estimated", c)...)
}

// Charged adds what the statement was charged, and what is to be said to that.
func (e *Explanation) Charged(s *store.Stats, note string) {
	e.behind = append(e.behind, textProperty("Charged", charged(s)+note))
	c := cost.Charge{Requests: float64(s.Requests), ReadUnits: s.ReadUnits, WriteUnits: s.WriteUnits}
	e.behind = append(e.behind, charges("Charged", c)...)
}

// milliseconds is how long each of several runs took.
func milliseconds(d time.Duration, runs int64) numeral {
	return numeral(fmt.Sprintf("%.3f", float64(d.Nanoseconds())/1e6/float64(runs)))
}

// In is the rows that a form has: one for each line of the text, else a single one.
func (e *Explanation) In(f Format) []string {
	if f == TextFormat {
		lines := e.plan.text(nil, 0, "")
		for _, p := range e.behind {
			lines = append(lines, p.text()...)
		}
		return lines
	}
	query := append(group{unsaid("Plan", e.plan.group())}, e.behind...)
	switch f {
	case JSONFormat:
		return []string{string(appendJSON(nil, groups{list: []group{query}}, 0))}
	case XMLFormat:
		return []string{xmlDocument(appendXML(nil, unsaid("Query", query), 2))}
	}
	return []string{string(appendYAML([]byte("- "), query, 2, true))}
}

// NoPlan is what is told of a statement that has no plan.
func NoPlan(f Format) []string {
	if f == TextFormat {
		return []string{"Utility statements have no plan structure"}
	}
	return OnlyName(f, "Utility Statement")
}

// OnlyName is what is told of a statement of which nothing but its name is to be told, and that not as text.
func OnlyName(f Format, what string) []string {
	switch f {
	case JSONFormat:
		return []string{"[\n  " + string(quoteJSON(nil, what)) + "\n]"}
	case XMLFormat:
		return []string{xmlDocument([]byte("  <" + xmlName(what) + " />\n"))}
	case YAMLFormat:
		return []string{"- " + string(quoteJSON(nil, what))}
	}
	return nil
}

func newline(dst []byte, indent int) []byte {
	return append(append(dst, '\n'), strings.Repeat(" ", indent)...)
}

// appendJSON writes a value whose last line begins in a column.
func appendJSON(dst []byte, value any, indent int) []byte {
	between := func(dst []byte, i int) []byte {
		if i > 0 {
			dst = append(dst, ',')
		}
		return newline(dst, indent+2)
	}
	switch v := value.(type) {
	case []string:
		dst = append(dst, '[')
		for i, s := range v {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = quoteJSON(dst, s)
		}
		return append(dst, ']')
	case lists:
		dst = append(dst, '[')
		for i, texts := range v.list {
			dst = appendJSON(between(dst, i), texts, indent+2)
		}
		return append(newline(dst, indent), ']')
	case group:
		dst = append(dst, '{')
		for i, p := range v {
			dst = append(quoteJSON(between(dst, i), p.label), ": "...)
			dst = appendJSON(dst, p.value, indent+2)
		}
		return append(newline(dst, indent), '}')
	case groups:
		dst = append(dst, '[')
		for i, g := range v.list {
			dst = appendJSON(between(dst, i), g, indent+2)
		}
		return append(newline(dst, indent), ']')
	}
	return appendScalar(dst, value)
}

// appendScalar writes a value that is one, as JSON and YAML have it.
func appendScalar(dst []byte, value any) []byte {
	if s, ok := value.(string); ok {
		return quoteJSON(dst, s)
	}
	return fmt.Append(dst, value)
}

var jsonEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// quoteJSON writes a string as PostgreSQL does: what need not be escaped is not.
func quoteJSON(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s { // what is no UTF-8 comes as U+FFFD
		if escape, ok := jsonEscapes[r]; ok {
			dst = append(dst, escape...)
		} else if r < ' ' {
			dst = fmt.Appendf(dst, `\u%04x`, r)
		} else {
			dst = append(dst, string(r)...)
		}
	}
	return append(dst, '"')
}

// appendYAML writes properties that begin in a column, the first one where dst ends if that is
// behind a dash. Strings are quoted as in JSON, which YAML understands.
func appendYAML(dst []byte, g group, indent int, dash bool) []byte {
	for i, p := range g {
		if i > 0 || !dash {
			dst = newline(dst, indent)
		}
		dst = append(append(dst, p.label...), ": "...)
		switch v := p.value.(type) {
		case []string:
			for _, s := range v {
				dst = quoteJSON(append(newline(dst, indent+2), "- "...), s)
			}
		case lists:
			for _, texts := range v.list {
				dst = appendJSON(append(newline(dst, indent+2), "- "...), texts, indent)
			}
		case group:
			dst = appendYAML(dst, v, indent+2, false)
		case groups:
			for _, g := range v.list {
				dst = appendYAML(append(newline(dst, indent+2), "- "...), g, indent+4, true)
			}
		default:
			dst = appendScalar(dst, v)
		}
	}
	return dst
}

func xmlDocument(inner []byte) string {
	return `<explain xmlns="http://www.postgresql.org/2009/explain">` + "\n" + string(inner) + "</explain>"
}

// appendXML writes an element that begins in a column.
func appendXML(dst []byte, p property, indent int) []byte {
	name, margin := xmlName(p.label), strings.Repeat(" ", indent)
	var inner []property
	switch v := p.value.(type) {
	case []string:
		for _, s := range v {
			inner = append(inner, unsaid("Item", s))
		}
	case lists:
		for _, texts := range v.list {
			inner = append(inner, unsaid(v.item, texts))
		}
	case group:
		inner = v
	case groups:
		for _, g := range v.list {
			inner = append(inner, unsaid(v.item, g))
		}
	default:
		return fmt.Appendf(dst, "%s<%s>%s</%s>\n", margin, name, xmlText(fmt.Sprint(v)), name)
	}
	dst = fmt.Appendf(dst, "%s<%s>\n", margin, name)
	for _, p := range inner {
		dst = appendXML(dst, p, indent+2)
	}
	return fmt.Appendf(dst, "%s</%s>\n", margin, name)
}

// xmlName is a label as the name of an element.
func xmlName(label string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r) {
			return r
		}
		return '-'
	}, label)
}

var xmlEscapes = map[rune]string{'<': "&lt;", '>': "&gt;", '&': "&amp;", '\r': "&#x0d;"}

// xmlText is a text between tags. What XML has no form for at all becomes U+FFFD.
func xmlText(s string) string {
	var b strings.Builder
	for _, r := range s {
		escape, ok := xmlEscapes[r]
		switch {
		case ok:
			b.WriteString(escape)
		case r < ' ' && r != '\n' && r != '\t', r == 0xFFFE, r == 0xFFFF:
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
