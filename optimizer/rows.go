package optimizer

import (
	"zproxy/expr"
	"zproxy/optimizer/cardinality"
	"zproxy/planner/plan"
)

// Rows is how many rows a plan is thought to deliver.
func (o *Options) Rows(n plan.Node) float64 { return o.rows(n) }

// rows is how many rows a plan is thought to deliver. It only decides between ways to
// the same answer.
func (o *Options) rows(n plan.Node) float64 {
	return o.estimator().Rows(n)
}

func (o *Options) estimator() cardinality.Estimator {
	return cardinality.Estimator{Values: expr.Beforehand(o.Env)}
}

// scanned is what a scan is thought to read and keep.
func (o *Options) scanned(s plan.Scan) plan.Estimate { return o.chosen(s).Access.Estimate }
