package expr

import (
	_ "embed" // of what PostgreSQL says of operators, casts and aggregates
	"strings"

	"zproxy/types"
)

// OperatorRow is a row of pg_operator. Functions are rows of pg_proc, by OID; 0 is none.
type OperatorRow struct {
	OID                 uint32
	Name                string
	Left, Right, Result types.OID // Left of a prefix operator is 0
	Commutator, Negator uint32
	Code                uint32
	Restrict, Join      uint32
	Merges, Hashes      bool
	Comment             string
}

// CastRow is a row of pg_cast.
type CastRow struct {
	OID      uint32
	From, To types.OID
	Function uint32 // 0: none
	Context  byte   // i, a or e
	Method   byte   // f, b or i
}

// AggregateRow is a row of pg_aggregate. Functions are rows of pg_proc, by OID; 0 is none.
type AggregateRow struct {
	OID                                                uint32
	Kind                                               byte // n, o or h
	Direct                                             int
	Transition, Final, Combine, Serialize, Deserialize uint32
	MovingTransition, MovingInverse, MovingFinal       uint32
	FinalExtra, MovingFinalExtra                       bool
	FinalModify, MovingFinalModify                     byte
	SortOperator                                       uint32
	TransitionType                                     types.OID
	TransitionSpace                                    int
	MovingType                                         types.OID
	MovingSpace                                        int
	Initial, MovingInitial                             string
	NoInitial, NoMovingInitial                         bool // which are NULL then
}

var (
	//go:embed pgdata/operators.txt
	operatorsText string
	//go:embed pgdata/casts.txt
	castsText string
	//go:embed pgdata/aggregates.txt
	aggregatesText string

	operatorRows                   = recordedOperators()
	castRows                       = recordedCasts()
	aggregateRows                  = recordedAggregates()
	operatorsByOID, operatorByName = indexOperators(operatorRows)
)

// OperatorRows are the rows of pg_operator, by OID.
func OperatorRows() []OperatorRow { return operatorRows }

// CastRows are the rows of pg_cast, by OID.
func CastRows() []CastRow { return castRows }

// AggregateRows are the rows of pg_aggregate, by OID.
func AggregateRows() []AggregateRow { return aggregateRows }

// OperatorByOID finds a row of pg_operator, nil when there is none.
func OperatorByOID(oid uint32) *OperatorRow { return operatorsByOID[oid] }

// OperatorsNamed are the rows of pg_operator of a name, by OID.
func OperatorsNamed(name string) []*OperatorRow { return operatorByName[name] }

func indexOperators(all []OperatorRow) (map[uint32]*OperatorRow, map[string][]*OperatorRow) {
	numbers, names := map[uint32]*OperatorRow{}, map[string][]*OperatorRow{}
	for i := range all {
		o := &all[i]
		numbers[o.OID], names[o.Name] = o, append(names[o.Name], o)
	}
	return numbers, names
}

func recordedOperators() (all []OperatorRow) {
	for line := range strings.Lines(operatorsText) {
		c := recordedRow(line)
		all = append(all, OperatorRow{
			OID: c.number(0), Name: c[1], Left: types.OID(c.number(2)), Right: types.OID(c.number(3)), Result: types.OID(c.number(4)),
			Commutator: c.number(5), Negator: c.number(6), Code: c.number(7), Restrict: c.number(8), Join: c.number(9),
			Merges: c.bool(10), Hashes: c.bool(11), Comment: c[12],
		})
	}
	return all
}

func recordedCasts() (all []CastRow) {
	for line := range strings.Lines(castsText) {
		c := recordedRow(line)
		all = append(all, CastRow{
			OID: c.number(0), From: types.OID(c.number(1)), To: types.OID(c.number(2)),
			Function: c.number(3), Context: c[4][0], Method: c[5][0],
		})
	}
	return all
}

func recordedAggregates() (all []AggregateRow) {
	for line := range strings.Lines(aggregatesText) {
		c := recordedRow(line)
		all = append(all, AggregateRow{
			OID: c.number(0), Kind: c[1][0], Direct: int(c.number(2)),
			Transition: c.number(3), Final: c.number(4), Combine: c.number(5), Serialize: c.number(6), Deserialize: c.number(7),
			MovingTransition: c.number(8), MovingInverse: c.number(9), MovingFinal: c.number(10),
			FinalExtra: c.bool(11), MovingFinalExtra: c.bool(12), FinalModify: c[13][0], MovingFinalModify: c[14][0],
			SortOperator: c.number(15), TransitionType: types.OID(c.number(16)), TransitionSpace: int(c.number(17)),
			MovingType: types.OID(c.number(18)), MovingSpace: int(c.number(19)),
			Initial: c[20], MovingInitial: c[21], NoInitial: c.bool(22), NoMovingInitial: c.bool(23),
		})
	}
	return all
}
