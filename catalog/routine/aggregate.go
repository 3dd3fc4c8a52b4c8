package routine

import (
	"zproxy/catalog"
	"zproxy/catalog/aggregate"
	"zproxy/expr/builtin/pgproc"
)

// AggregateRow is the row of pg_aggregate of an aggregate.
func AggregateRow(f *catalog.Function) *pgproc.AggregateRow {
	d := f.Aggregate
	out := &pgproc.AggregateRow{OID: f.ID, Kind: 'n', Plain: aggregateState(&d.State), Combine: d.Combine,
		Serialize: d.Serialize, Deserialize: d.Deserialize, SortOperator: d.Sort,
		Moving: pgproc.AggregateState{NoInitial: true, FinalModify: 'r'}}
	if d.Moving != nil {
		out.Moving = aggregateState(d.Moving)
	}
	return out
}

func aggregateState(s *aggregate.State) pgproc.AggregateState {
	out := pgproc.AggregateState{Type: s.Type.Number(), Space: s.Space, NoInitial: s.Initial == nil,
		Transition: s.Transition, Inverse: s.Inverse, Final: s.Final, FinalExtra: s.FinalExtra,
		FinalModify: s.FinalModify[0]}
	if s.Initial != nil {
		out.Initial = *s.Initial
	}
	return out
}
