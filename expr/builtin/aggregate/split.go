package aggregate

import (
	"slices"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// split says of aggregates what is known of results for groups: which do not change by a value that comes again, and
// which make the result for all rows. Sums of floats do not, to the last digit.
func split(all []*expr.Aggregate) []*expr.Aggregate {
	idempotent := []string{"min", "max", "bool_and", "bool_or", "every", "bit_and", "bit_or"}
	for _, a := range all {
		a.Idempotent = slices.Contains(idempotent, a.Name)
		switch {
		case a.Idempotent, a.Name == "bit_xor":
			a.Parts, a.Whole = []*expr.Aggregate{a}, a
		case a.Name == "count" && len(a.Args) < 2:
			a.Parts, a.Whole = []*expr.Aggregate{a}, countOfAll
		case a.Name == "sum" && exact[a.Args[0]]:
			a.Parts, a.Whole = []*expr.Aggregate{a}, sumOfSums[a.Result]
		case a.Name == "avg" && exact[a.Args[0]]:
			a.Parts, a.Whole = partsOfAverage(a.Args[0]), averageOfParts
		case a.Name == "sum" && a.Args[0] == pg.Interval:
			a.Parts, a.Whole = []*expr.Aggregate{a}, a
		case a.Name == "avg" && a.Args[0] == pg.Interval:
			a.Parts, a.Whole = partsOfIntervals(), averageOfIntervals
		}
	}
	return all
}

// exact are the types whose sums do not depend on the order of the values.
var exact = map[types.OID]bool{pg.Int2: true, pg.Int4: true, pg.Int8: true, pg.Numeric: true}

// countOfAll adds counts. It is 0 of none.
var countOfAll = &expr.Aggregate{Name: "sum", Args: pg.Sig{pg.Int8}, Result: pg.Int8,
	New: func([]types.T) expr.Accumulator { return new(countSum) }}

// sumOfSums adds sums, by their type.
var sumOfSums = map[types.OID]*expr.Aggregate{
	pg.Int8:    {Name: "sum", Args: pg.Sig{pg.Int8}, Result: pg.Int8, New: newIntSum(int8Sum)},
	pg.Numeric: {Name: "sum", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric, New: newNumericSum(numericTotal)},
}

// averageOfParts is the average by sums and counts.
var averageOfParts = &expr.Aggregate{Name: "avg", Args: pg.Sig{pg.Numeric, pg.Int8}, Result: pg.Numeric,
	New: func([]types.T) expr.Accumulator { return &averageOfAll{numericSum{result: numericAverage}} }}

// averageOfIntervals is averageOfParts for intervals.
var averageOfIntervals = &expr.Aggregate{Name: "avg", Args: pg.Sig{pg.Interval, pg.Int8}, Result: pg.Interval,
	New: func([]types.T) expr.Accumulator { return &intervalsOfAll{intervalSum{average: true}} }}

// partsOfAverage are the sum and the count of values.
func partsOfAverage(of types.OID) []*expr.Aggregate {
	sum := &expr.Aggregate{Name: "sum", Args: pg.Sig{of}, Result: pg.Numeric, Whole: sumOfSums[pg.Numeric],
		New: newIntSum(exactSum)}
	if of == pg.Numeric {
		sum.New = newNumericSum(numericTotal)
	}
	return partsOf(sum)
}

// partsOfSpread are the sum and the count of values, and the sum of their squares.
func partsOfSpread(of types.OID) []*expr.Aggregate {
	squares := &expr.Aggregate{Name: "sum_of_squares", Args: pg.Sig{of}, Result: pg.Numeric, Whole: sumOfSquareSums,
		New: func([]types.T) expr.Accumulator { return &numericSpread{result: squaresOnly} }}
	squares.Parts = []*expr.Aggregate{squares}
	parts := partsOfAverage(of)
	return []*expr.Aggregate{parts[0], squares, parts[1]}
}

// sumOfSquareSums adds sums of squares, which may have more digits than numerics.
var sumOfSquareSums = &expr.Aggregate{Name: "sum", Args: pg.Sig{pg.Numeric}, Result: pg.Numeric,
	New: newNumericSum(func(sum *apd.Decimal, _ *numericSum) (types.Value, error) { return types.NewNumeric(sum), nil })}

// squaresOnly is a sum of squares.
func squaresOnly(s *numericSpread) (types.Value, error) {
	sum, err := inAll(&s.squares.sum, s.squares.small)
	return types.NewNumeric(sum), err
}

// partsOfIntervals is partsOfAverage for intervals.
func partsOfIntervals() []*expr.Aggregate {
	sum := &expr.Aggregate{Name: "sum", Args: pg.Sig{pg.Interval}, Result: pg.Interval,
		New: func([]types.T) expr.Accumulator { return &intervalSum{} }}
	sum.Whole = sum
	return partsOf(sum)
}

// partsOf are a sum and the count of the same values.
func partsOf(sum *expr.Aggregate) []*expr.Aggregate {
	count := &expr.Aggregate{Name: "count", Args: sum.Args, Result: pg.Int8, Whole: countOfAll, New: newCount}
	sum.Parts, count.Parts = []*expr.Aggregate{sum}, []*expr.Aggregate{count}
	return []*expr.Aggregate{sum, count}
}

type countSum struct{ countRows }

// Add implements Accumulator.
func (n *countSum) Add(_ *expr.Context, args []types.Value) error {
	if !args[0].IsNull() {
		n.countRows += countRows(args[0].Int())
	}
	return nil
}

// Many implements expr.Small.
func (n *countSum) Many() expr.Accumulators { return &together[countSum, *countSum]{first: *n} }

// averageOfAll is the average by sums of numbers and by how many they were.
type averageOfAll struct{ numericSum }

// Add implements Accumulator.
func (s *averageOfAll) Add(_ *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	count := s.count
	err := s.add(args[0].Numeric())
	s.count = count + args[1].Int()
	return err
}

// spreadOfAll is a variance or a standard deviation by sums of numbers and of their squares, and by how many they were.
type spreadOfAll struct{ of numericSpread }

// Add implements Accumulator.
func (s *spreadOfAll) Add(_ *expr.Context, args []types.Value) error {
	if args[0].IsNull() {
		return nil
	}
	count := s.of.count
	err := s.of.numericSum.add(args[0].Numeric())
	if err == nil {
		err = addNumeric(&s.of.squares.sum, args[1].Numeric())
	}
	s.of.count = count + args[2].Int()
	return err
}

// Result implements Accumulator.
func (s *spreadOfAll) Result(c *expr.Context) (types.Value, error) { return s.of.Result(c) }

// intervalsOfAll is averageOfAll for intervals.
type intervalsOfAll struct{ intervalSum }

// Add implements Accumulator.
func (s *intervalsOfAll) Add(c *expr.Context, args []types.Value) error {
	count := s.count
	err := s.intervalSum.Add(c, args[:1])
	s.count = count + args[1].Int()
	return err
}
