package explain

import (
	"fmt"
	"math"

	"zproxy/optimizer/price"
)

// mostPrinted bounds the numbers of prices, so that all of them have a form that readers take for a number.
const mostPrinted = 1e18

// printed is a number with so many digits behind the point.
func printed(n float64, digits int) numeral {
	if math.IsNaN(n) || n > mostPrinted {
		n = mostPrinted
	}
	return numeral(fmt.Sprintf("%.*f", digits, n))
}

// priceText stands behind the title of a node, as in PostgreSQL.
func priceText(p *price.Price) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("  (cost=%s..%s rows=%s width=%s)", printed(p.Startup, 2), printed(p.Total, 2),
		printed(p.Rows, 0), printed(p.Width, 0))
}

func priceGroup(p *price.Price) group {
	if p == nil {
		return nil
	}
	return group{unsaid("Startup Cost", printed(p.Startup, 2)), unsaid("Total Cost", printed(p.Total, 2)),
		unsaid("Plan Rows", printed(p.Rows, 0)), unsaid("Plan Width", printed(p.Width, 0))}
}

// kept is the price of rows that are there before the first of them is asked for.
func kept(p *price.Price) *price.Price {
	if p == nil {
		return nil
	}
	out := *p
	out.Startup = out.Total
	return &out
}
