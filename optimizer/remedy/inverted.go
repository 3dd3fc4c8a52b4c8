package remedy

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/advice"
	"zproxy/expr"
	"zproxy/expr/inverted"
	"zproxy/planner/plan"
)

// invertedProposals are indexes over the elements that conditions ask for.
func invertedProposals(scan plan.Scan) (out []string) {
	t := scan.Table
	for _, cond := range scan.Filter {
		column, ask, ok := inverted.AskOf(cond)
		if !ok {
			continue
		}
		c := &t.Columns[scan.Reads[column]]
		class := inverted.Serving(string(catalog.GIN), c.Type, ask.Operator)
		if class == nil || c.Hidden {
			continue
		}
		key := expr.QuoteIdent(c.Name)
		if !class.Default {
			key += " " + class.Name
		}
		if ddl := advice.ProposeKey(t, catalog.GIN, []string{key}, nil); !slices.Contains(out, ddl) {
			out = append(out, ddl)
		}
	}
	return out
}
