package explain

import (
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/planner/firing"
)

// Ran adds what triggers took in a run of a statement that writes some tables.
func (e *Explanation) Ran(p *firing.Profile, written []*catalog.Table, x *Options) {
	out := groups{item: "Trigger"}
	var lines []string
	list := p.List(written)
	several := slices.ContainsFunc(list, func(s *firing.Spent) bool {
		return slices.ContainsFunc(written, func(t *catalog.Table) bool { return t.ID != s.Table.ID })
	})
	for _, s := range list {
		g := group{textProperty("Trigger Name", s.Name)}
		if s.Constraint != "" {
			g = append(g, textProperty("Constraint Name", s.Constraint))
		}
		g = append(g, textProperty("Relation", s.Table.Name))
		if !x.Untimed {
			g = append(g, property{label: "Time", value: milliseconds(s.Time, 1)})
		}
		out.list = append(out.list, append(g, counted("Calls", s.Calls)))
		lines = append(lines, triggerLine(s, several, x))
	}
	e.behind = append(e.behind, property{label: "Triggers", value: out, lines: lines, quiet: len(lines) == 0})
}

// triggerLine is what the text form says of a trigger.
func triggerLine(s *firing.Spent, several bool, x *Options) string {
	line := "Trigger"
	if s.Constraint == "" || x.Verbose {
		line += " " + s.Name
	}
	if s.Constraint != "" {
		line += " for constraint " + s.Constraint
	}
	if several {
		line += " on " + s.Table.Name
	}
	if line += ":"; !x.Untimed {
		line += " time=" + string(milliseconds(s.Time, 1))
	}
	return line + fmt.Sprintf(" calls=%d", s.Calls)
}
