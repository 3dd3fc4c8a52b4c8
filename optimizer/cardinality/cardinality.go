// Package cardinality estimates how many rows the nodes of a plan deliver, from what the statistics of tables say of
// columns: one function for each kind of node. It does not say what reading costs, which depends on access paths: that
// is package cost. Read Estimator first, then conditions.go and joins.go.
package cardinality

import (
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// What is assumed where nothing is known.
const (
	// functionRows is how many rows a function returns, as in PostgreSQL.
	functionRows = 1000
	// givenRows is how many rows the session gives to a statement of its own.
	givenRows = 10
	// expandedRows is how many rows a function in a list of columns makes of one, as of an array.
	expandedRows = 10
	// recursions is how many times as many rows a recursive query has as its first part, as in PostgreSQL.
	recursions = 10
	// objectRows is how many rows a system relation has of one object.
	objectRows = 10
)

// Estimator estimates by values that are known: constants, and parameters where Values has them.
type Estimator struct {
	Values *expr.Context
	// ByStatistics leaves out what was learned from runs.
	ByStatistics bool
}

// Rows is how many rows a node is thought to deliver in one run.
func (e Estimator) Rows(n plan.Node) float64 { return e.begin().of(n).rows }

// Statement estimates the nodes of one plan, from the top down: it remembers the common tables of those above.
type Statement struct{ *estimate }

// Statement begins with a plan.
func (e Estimator) Statement() *Statement { return &Statement{e.begin()} }

// Rows is how many rows a node is thought to deliver in one run.
func (s *Statement) Rows(n plan.Node) float64 { return s.of(n).rows }

// LookedUp is how many rows one run of the right side of a Lookup join is thought to deliver, which reads the partners
// of a batch of left rows.
func (s *Statement) LookedUp(n plan.Join) float64 {
	l, r := s.of(n.Left), s.of(n.Right)
	found := l.rows * r.rows * s.pair(n.Method.Keys, l, r).share
	return math.Max(1, found/math.Ceil(l.rows/plan.LookupBatch))
}

// Profile is what is thought of rows, of which joins are estimated step by step.
type Profile struct{ profile }

// Of is the rows of a node.
func (e Estimator) Of(n plan.Node) Profile { return Profile{e.begin().of(n)} }

// Rows is how many there are.
func (p Profile) Rows() float64 { return p.rows }

// Picked is the rows with some of their columns.
func (p Profile) Picked(columns []int) Profile {
	picked := make([]column, len(columns))
	for i, at := range columns {
		picked[i] = p.columns[at]
	}
	p.columns = picked
	return p
}

// Joined is a join of rows by equalities, and by other conditions over the columns of both sides.
func (e Estimator) Joined(kind plan.JoinKind, l, r Profile, keys []plan.JoinKey, rest []expr.Expr) Profile {
	return Profile{e.begin().joinOf(kind, l.profile, r.profile, keys, rest)}
}

// estimate is one use of an Estimator.
type estimate struct {
	Estimator
	queries map[int]profile // of WITH, by number
}

func (e Estimator) begin() *estimate { return &estimate{e, map[int]profile{}} }

// of is what is thought of the rows of a node.
func (e *estimate) of(n plan.Node) profile {
	switch n := n.(type) {
	case plan.Values:
		return e.values(n)
	case plan.Scan:
		return e.scan(n)
	case plan.Virtual:
		return virtual(n)
	case plan.Filter:
		in := e.of(n.Input)
		if in.guessed {
			return in.kept(guessedShare(n, in))
		}
		return in.kept(e.share(expr.Conjuncts(n.Cond), in))
	case plan.Project:
		return e.project(n)
	case plan.Distinct:
		return e.distinct(n)
	case plan.Aggregate:
		return e.aggregate(n)
	case plan.GroupingSets:
		return e.groupingSets(n)
	case plan.Join:
		return e.join(n)
	case plan.Window:
		return e.window(n)
	case plan.Sort:
		return e.sort(n)
	case plan.Append:
		return e.appended(n)
	case plan.WriteEach:
		return e.appended(plan.Append{In: n.In})
	case plan.SetOp:
		return e.setOp(n)
	case plan.Keys:
		return e.keys(n)
	case plan.Limit:
		return e.limit(n.Count, n.Offset, e.of(n.Input))
	case plan.Nearest:
		return e.limit(n.Most.Count, n.Most.Offset, e.of(n.All))
	case plan.With:
		e.queries[n.Number] = e.of(n.Query)
		return e.of(n.Input)
	case plan.Ref:
		if known, ok := e.queries[n.Number]; ok {
			return known
		}
		return unknown(functionRows, len(n.Cols))
	case plan.Recursion:
		all := unknown(recursions*e.of(n.Base).rows, len(n.Cols))
		e.queries[n.Number] = all
		return all
	case plan.FunctionScan:
		return unknown(math.Max(1, e.returned(n.Calls, functionRows)), len(n.Cols))
	case plan.Stream:
		if n.Few {
			return unknown(givenRows, len(n.Cols))
		}
		return unknown(functionRows, len(n.Cols))
	case plan.ProjectSet:
		in := e.of(n.Input)
		return in.times(math.Max(1, e.returned(n.Calls, expandedRows))).extended(len(n.Calls))
	}
	if in := n.Inputs(); len(in) == 1 { // the same rows, perhaps with more columns
		below := e.of(in[0])
		return below.extended(plan.Width(n) - len(below.columns))
	}
	return unknown(1, plan.Width(n))
}

// returned is how many rows functions return, of which the one that returns most decides; otherwise where arguments are
// not known.
func (e *estimate) returned(calls []expr.Call, otherwise float64) float64 {
	most := 0.0
	for _, c := range calls {
		n := otherwise
		if args, ok := e.arguments(c); ok && c.Fn.Count != nil {
			n = c.Fn.Count(args)
		}
		most = math.Max(most, n)
	}
	return most
}

// arguments are those of a call, if they are known and not NULL.
func (e *estimate) arguments(c expr.Call) ([]types.Value, bool) {
	out := make([]types.Value, len(c.Args))
	for i, x := range c.Args {
		if !expr.Fixed(x) || expr.Any(x, cannotBeTried) {
			return nil, false
		}
		v, err := x.Eval(e.Values, nil)
		if err != nil || v.IsNull() {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// limit is the first rows of some.
func (e *estimate) limit(count, offset expr.Expr, in profile) profile {
	left := in.rows - e.number(offset, 0)
	return in.atMost(math.Max(math.Min(1, in.rows), math.Min(left, e.number(count, left))))
}

// number is the value of an expression, or something else where that is nil, NULL or not known.
func (e *estimate) number(x expr.Expr, otherwise float64) float64 {
	if x == nil {
		return otherwise
	}
	v, err := x.Eval(e.Values, nil)
	if err != nil || v.IsNull() {
		return otherwise
	}
	return float64(v.Int())
}

// project passes columns on, and says of what is made of them how many values that has.
func (e *estimate) project(n plan.Project) profile {
	in := e.of(n.Input)
	in.columns = e.columns(n.Exprs, in)
	return in
}

// setOp is the rows of one side that are, or are not, on the other one.
func (e *estimate) setOp(n plan.SetOp) profile {
	l, r := e.of(n.Left), e.of(n.Right)
	out := l
	if !n.All {
		out = l.atMost(l.combinations(nil))
	}
	if !n.Except {
		out = out.atMost(r.combinations(nil))
	}
	return out
}

// keys are those that any of some scans has, or that all have.
func (e *estimate) keys(n plan.Keys) profile {
	rows := 0.0
	for i, in := range n.Of {
		of := e.of(in).rows
		if n.Any || i == 0 {
			rows += of
		} else {
			rows = math.Min(rows, of)
		}
	}
	return unknown(rows, len(n.Columns()))
}
