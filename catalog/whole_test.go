package catalog

import "testing"

// TestWhole holds that a change of one database leaves the snapshots of the others, that all have the same roles, and
// that a database comes and goes with its descriptor.
func TestWhole(t *testing.T) {
	made := &Database{ID: 20000, Name: "made"}
	w := NewWhole([]Object{made}, map[uint32][]Object{
		DatabaseID: {orders()}, made.ID: {&Schema{ID: PublicID}}, 999: {&View{ID: 30000}}})
	first, second := w.In(DatabaseID), w.In(made.ID)
	if first.Schema(PublicName) == nil || second.Schema(PublicName) != nil || second.Database() != made {
		t.Errorf("schemas %v and %v", first.Schemas(), second.Schemas())
	}
	if w.Table(10) == nil || w.Holding(10) != first || w.Holding(30000) != nil || len(w.Tables()) != 1 {
		t.Error("what databases hold")
	}
	own := w.With(second.With(&View{ID: 30001, Schema: "s", Name: "v"}))
	if own.In(DatabaseID) != first || own.Holding(30001) != own.In(made.ID) {
		t.Error("a view of one database changes another")
	}
	all := own.With(own.In(made.ID).With(&Role{ID: 20001, Name: "r"}))
	if all.In(DatabaseID).Role("r") == nil || all.In(made.ID).Role("r") == nil || all.Table(10) != w.Table(10) {
		t.Error("a role is not that of all databases")
	}
	gone := all.With(all.In(DatabaseID).Without(made))
	if s := gone.In(made.ID); s.Schema(PublicName) == nil || s.Relation("s", "v") != nil || len(gone.Snapshots()) != 3 {
		t.Error("what is left of a database")
	}
	if one := gone.In(made.ID); one != gone.In(made.ID) {
		t.Error("the snapshot of a database that is gone is another one each time")
	}
	system := gone.Over(NewSystem([]*Schema{{ID: 99, Name: "own"}}, nil)).At(7)
	again := system.With(system.In(DatabaseID).With(made).At(8))
	if s := again.In(made.ID); s.Schema("own") == nil || again.Version() != 8 || s.Relation("s", "v") != nil {
		t.Errorf("a database that is new has %v in version %d", s.Schemas(), again.Version())
	}
}
