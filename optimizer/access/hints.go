package access

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/planner/plan"
)

// hints are those of a scan.
type hints struct {
	table   *catalog.Table
	list    []plan.Hint
	notices []string // of those that are ignored
}

func (c *conditions) hints() *hints { return &hints{table: c.scan.Table, list: c.scan.Hints} }

// ignore notes that a hint is ignored, and why.
func (h *hints) ignore(format string, args ...any) {
	h.notices = append(h.notices, "hint ignored: "+fmt.Sprintf(format, args...))
}

// merge says whether a hint asks for a merge, or against any.
func (h *hints) merge() (forced, forbidden bool) {
	for _, one := range h.list {
		forced, forbidden = forced || one.Merge && !one.Forbid, forbidden || one.Merge && one.Forbid
	}
	return forced, forbidden
}

// mayRead says whether hints leave an index to a merge.
func (h *hints) mayRead(x *catalog.Index) bool {
	for _, one := range h.list {
		if (one.Forbid || one.Merge && len(one.Indexes) > 0) && names(one, x) == one.Forbid {
			return false
		}
	}
	return true
}

// names says whether a hint names an index, or with nil the primary key.
func names(h plan.Hint, x *catalog.Index) bool {
	name := "primary"
	if x != nil {
		name = x.Name
	}
	return slices.ContainsFunc(h.Indexes, func(s string) bool {
		return s == name || x == nil && strings.EqualFold(s, name)
	})
}

// preferMerges prefers the merges that there are, which read what the hint names, to all else.
func (h *hints) preferMerges(one plan.Hint, paths []path, out map[string]int) {
	for _, name := range one.Indexes {
		if h.table.Index(name) == nil && !strings.EqualFold(name, "primary") {
			h.ignore("table %q has no index %q", h.table.Name, name)
			return
		}
	}
	found := one.Forbid
	for i := range paths {
		if paths[i].access.Keys != nil {
			out[paths[i].name()], found = 1, true
		}
	}
	if !found {
		h.ignore("no merge of indexes can serve this query")
	}
}

// asksFor says whether a hint names an index.
func (h *hints) asksFor(index string) bool {
	for _, one := range h.list {
		for _, name := range one.Indexes {
			if name == index && !one.Forbid {
				return true
			}
		}
	}
	return false
}

// preferences say by name which paths a hint asks for (1), or against (-1).
func (h *hints) preferences(paths []path) map[string]int {
	out := map[string]int{}
	for _, one := range h.list {
		if one.Merge {
			h.preferMerges(one, paths, out)
			continue
		}
		for _, name := range one.Indexes {
			i := slices.IndexFunc(paths, func(p path) bool { return p.name() == name })
			switch {
			case strings.EqualFold(name, "primary"):
				i = 0
			case i < 0 && h.table.Index(name) == nil:
				h.ignore("table %q has no index %q", h.table.Name, name)
				continue
			case i < 0 && one.Forbid:
				continue // it is no candidate anyway
			case i < 0:
				h.ignore("index %q cannot serve this query", name)
				continue
			}
			if one.Forbid {
				out[paths[i].name()] = -1
			} else {
				out[paths[i].name()] = 1
			}
		}
	}
	return out
}
