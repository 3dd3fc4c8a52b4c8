package executor

import (
	"errors"

	"zproxy/planner/plan"
)

var errLater = errors.New("not written yet")

func sort(frame, plan.Sort) Rows           { return failed(errLater) }
func aggregate(frame, plan.Aggregate) Rows { return failed(errLater) }
func distinct(frame, plan.Distinct) Rows   { return failed(errLater) }
