package pgproc

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
	OID                             uint32
	Kind                            byte // n, o or h
	Direct                          int
	Plain, Moving                   AggregateState
	Combine, Serialize, Deserialize uint32
	SortOperator                    uint32
}

// AggregateState is what pg_aggregate says of the state of an aggregate, over all rows or over a moving frame.
type AggregateState struct {
	Type                       types.OID
	Space                      int
	Initial                    string
	NoInitial                  bool // it is NULL
	Transition, Inverse, Final uint32
	FinalExtra                 bool
	FinalModify                byte
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
		c := Row(line)
		all = append(all, OperatorRow{
			OID: c.Number(0), Name: c[1], Left: types.OID(c.Number(2)), Right: types.OID(c.Number(3)),
			Result:     types.OID(c.Number(4)),
			Commutator: c.Number(5), Negator: c.Number(6), Code: c.Number(7), Restrict: c.Number(8), Join: c.Number(9),
			Merges: c.bool(10), Hashes: c.bool(11), Comment: c[12],
		})
	}
	return all
}

func recordedCasts() (all []CastRow) {
	for line := range strings.Lines(castsText) {
		c := Row(line)
		all = append(all, CastRow{
			OID: c.Number(0), From: types.OID(c.Number(1)), To: types.OID(c.Number(2)),
			Function: c.Number(3), Context: c[4][0], Method: c[5][0],
		})
	}
	return all
}

func recordedAggregates() (all []AggregateRow) {
	for line := range strings.Lines(aggregatesText) {
		c := Row(line)
		all = append(all, AggregateRow{
			OID: c.Number(0), Kind: c[1][0], Direct: int(c.Number(2)),
			Combine: c.Number(5), Serialize: c.Number(6), Deserialize: c.Number(7), SortOperator: c.Number(15),
			Plain: AggregateState{
				Type: types.OID(c.Number(16)), Space: int(c.Number(17)), Initial: c[20], NoInitial: c.bool(22),
				Transition: c.Number(3), Final: c.Number(4), FinalExtra: c.bool(11), FinalModify: c[13][0],
			},
			Moving: AggregateState{
				Type: types.OID(c.Number(18)), Space: int(c.Number(19)), Initial: c[21], NoInitial: c.bool(23),
				Transition: c.Number(8), Inverse: c.Number(9), Final: c.Number(10), FinalExtra: c.bool(12),
				FinalModify: c[14][0],
			},
		})
	}
	return all
}
