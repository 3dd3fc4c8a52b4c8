package inverted

import "zproxy/expr"

// Ask is what a condition asks of a column of an inverted index.
type Ask struct {
	Key      int    // the number of the column in the key of the index
	Operator string // as if the column were on its left
	Value    expr.Expr
}

// Query is what is asked for, by a class that has the operator.
func (a *Ask) Query(c *expr.Context, k *Class) (Query, error) {
	v, err := a.Value.Eval(c, nil)
	if err != nil {
		return Query{}, err
	}
	return k.Query(c, a.Key, a.Operator, v)
}

// commutators are the operators that ask for elements of what is on their right side, each with the one that asks the
// same with it on the left.
var commutators = map[string]string{
	"<@": "@>", "@>": "<@", "&&": "&&", "=": "=", "%": "%", "<%": "%>", "<<%": "%>>", "@@": "@@", "@@@": "@@@",
}

// AskOf reads a condition that compares a column with something fixed by an operator, or value = ANY (column). What the
// operator asks for is for an operator class to say.
func AskOf(cond expr.Expr) (column int, a Ask, ok bool) {
	switch e := cond.(type) {
	case expr.Compare:
		if e.Op == expr.EQ {
			return askOf("=", e.Left, e.Right)
		}
	case expr.Quantified:
		test, is := e.Test.(expr.Compare)
		c, isColumn := columnOf(e.Array)
		if is && !e.All && test.Op == expr.EQ && isColumn && expr.Fixed(e.Arg) {
			return c.Index, Ask{Operator: anyElement, Value: e.Arg}, true
		}
	case expr.Call:
		if len(e.Args) == 2 && e.Fn.Operator != "" {
			return askOf(e.Fn.Operator, e.Args[0], e.Args[1])
		}
	}
	return 0, a, false
}

// anyElement is the operator of value = ANY (column).
const anyElement = "= ANY"

func askOf(operator string, left, right expr.Expr) (column int, a Ask, ok bool) {
	if c, is := columnOf(left); is && expr.Fixed(right) {
		return c.Index, Ask{Operator: operator, Value: right}, true
	}
	c, is := columnOf(right)
	flipped, has := commutators[operator]
	return c.Index, Ask{Operator: flipped, Value: left}, is && has && expr.Fixed(left)
}

func columnOf(e expr.Expr) (expr.Column, bool) {
	c, ok := expr.Uncast(e).(expr.Column)
	return c, ok
}
