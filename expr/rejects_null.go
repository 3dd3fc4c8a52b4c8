package expr

// RejectsNull says whether a condition cannot be true when some columns are all NULL.
func RejectsNull(e Expr, null func(int) bool) bool {
	switch e := e.(type) {
	case Logic:
		for _, arg := range e.Args {
			if RejectsNull(arg, null) != e.Or {
				return !e.Or
			}
		}
		return e.Or
	case IsNull:
		return e.Not && becomesNull(e.Arg, null)
	case IsBool:
		return !e.Not && becomesNull(e.Arg, null)
	case Quantified: // with ALL an empty array makes it true
		return !e.All && becomesNull(e.Arg, null) && RejectsNull(e.Test, func(i int) bool { return i == 0 })
	}
	return becomesNull(e, null)
}

// becomesNull says whether an expression is NULL when some columns are all NULL.
func becomesNull(e Expr, null func(int) bool) bool {
	switch e := e.(type) {
	case Column:
		return null(e.Index)
	case Cast:
		return becomesNull(e.Arg, null)
	case Constrained:
		return becomesNull(e.Arg, null)
	case Not:
		return becomesNull(e.Arg, null)
	case Compare:
		return becomesNull(e.Left, null) || becomesNull(e.Right, null)
	case RowCompare: // the fields behind the first may not count
		return becomesNull(e.Left[0], null) || becomesNull(e.Right[0], null)
	case In:
		return becomesNull(e.Arg, null)
	case Call:
		if e.Fn.NotStrict {
			return false
		}
		for _, arg := range e.Args {
			if becomesNull(arg, null) {
				return true
			}
		}
	}
	return false
}
