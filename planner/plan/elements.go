package plan

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/inverted"
	"zproxy/types"
)

// Elements reads the entries of an inverted index under the elements that conditions ask for, and delivers the keys of
// the rows that have enough of them, each once, in the order in which the table keeps its rows: of a Scan that is an
// input of Keys, whose Access has the conditions. What is asked for is known when the statement runs.
type Elements struct {
	Entries
	Asks []inverted.Ask
	// One reads the entries under one element, of which the columns of the table's key come first. Its only bound, on
	// the column of elements, stands for the one that is asked for.
	One *Scan
}

func (Elements) path() {}

// Query is what all conditions ask for together, if the values that they ask with are known.
func (p Elements) Query(c *expr.Context) (inverted.Query, error) {
	var all []inverted.Query
	for _, a := range p.Asks {
		q, err := a.Query(c, inverted.Of(p.Index, a.Key))
		if err != nil {
			return q, err
		}
		all = append(all, q)
	}
	return inverted.Both(all), nil
}

// Under is the scan of the entries under one element, or with prefix under those that begin with it.
func (p Elements) Under(element string, prefix bool) Scan {
	constant := func(s string) []expr.Expr {
		return []expr.Expr{expr.Const{Value: types.NewBytes([]byte(s)), T: types.Bytea}}
	}
	terms := []Term{{Op: TermEQ, Args: constant(element)}}
	if prefix {
		terms = []Term{{Op: TermGE, Args: constant(element)}, {Op: TermLT, Args: constant(element + lastByte)}}
	}
	s := *p.One
	a := *s.Access
	spans := a.Path.(Spans)
	side := spans.Sides[0]
	side.Bounds = []Bound{{Column: catalog.Element, Terms: terms}}
	spans.Sides = []Side{side}
	a.Path, a.Ordered = spans, a.Ordered && !prefix
	s.Access = &a
	return s
}

// lastByte is above whatever text may follow the beginning of one.
const lastByte = "\xff"
