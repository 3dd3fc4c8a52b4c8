// Package rollover says for which partitions of a table it is time: to be made ahead of the rows that they are for, to
// be moved to a storage class for rows that are seldom read, to be written to a file, and to be dropped. It does none
// of it: the statements are in catalog/ddl/table, and session runs them in the background. Read Schedule first, then
// Work.
package rollover

import (
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
	"zproxy/types/interval"
)

// The WITH options of a partitioned table that say what becomes of its partitions.
const (
	IntervalOption    = "partition_interval"
	AheadOption       = "partition_ahead"
	ColdAfterOption   = "cold_after"
	ExportAfterOption = "export_after"
	DropAfterOption   = "drop_after"
	// ColdPrefix begins the names of options that a partition gets when it is cold.
	ColdPrefix = "cold_"
)

// coldOptions are the options that a partition has when it is cold, behind ColdPrefix.
var coldOptions = []string{catalog.BillingOption, catalog.ReadUnitsOption, catalog.WriteUnitsOption}

// Options are all of them.
func Options() []string {
	out := []string{IntervalOption, AheadOption, ColdAfterOption, ExportAfterOption, DropAfterOption}
	for _, name := range coldOptions {
		out = append(out, ColdPrefix+name)
	}
	return out
}

// IsOption says whether an option is one of those above.
func IsOption(name string) bool { return slices.Contains(Options(), name) }

// The number of partitions that are made ahead.
const (
	UsuallyAhead = 1
	MostAhead    = 100
)

// Schedule is what is to become of the partitions of a table.
type Schedule struct {
	Every  *Interval          // nil: none are made
	Ahead  int                // how many besides that of the present
	Cold   *interval.Interval // how long ago the range of a partition has ended that is cold; nil: none ever is
	Export *interval.Interval // likewise, of one that is written to a file
	Drop   *interval.Interval // likewise, of one that is dropped, but only once it has been exported, if it is to be
	Class  map[string]string  // the options of a cold partition that say how it is paid
}

// Of reads the schedule of a table from its options, which are known to be right. It is nil where there is none.
func Of(t *catalog.Table) *Schedule {
	s := &Schedule{Ahead: UsuallyAhead, Class: map[string]string{}}
	if every, ok := ParseInterval(t.Options[IntervalOption]); ok {
		s.Every = &every
	}
	if n, err := strconv.Atoi(t.Options[AheadOption]); err == nil {
		s.Ahead = n
	}
	s.Cold, _ = ParseAge(t.Options[ColdAfterOption])
	s.Export, _ = ParseAge(t.Options[ExportAfterOption])
	s.Drop, _ = ParseAge(t.Options[DropAfterOption])
	if !ByTime(t) || s.Every == nil && s.Cold == nil && s.Export == nil && s.Drop == nil {
		return nil
	}
	for _, name := range coldOptions {
		if value, there := t.Options[ColdPrefix+name]; there {
			s.Class[name] = value
		}
	}
	return s
}

// ParseAge reads how old something is, such as '3 months'.
func ParseAge(text string) (*interval.Interval, bool) {
	v, err := types.ParseText(text, types.Interval, nil)
	if err != nil {
		return nil, false
	}
	age := v.Interval()
	return &age, age.Length() >= 0 && age.Months >= 0 && age.Days >= 0 && age.Micros >= 0
}

// Work is what is to be done with the partitions of a table.
type Work struct {
	Make               []New
	Cold, Export, Drop []*catalog.Table
}

// New is a partition to be made.
type New struct {
	Name string
	Of   partition.Of
	// Taken says that there is something else of its name.
	Taken bool
}

// Left is how much there is to be done by changes of the catalog alone.
func (w *Work) Left() int { return len(w.Make) + len(w.Cold) + len(w.Drop) }

// Work is what a schedule wants of the partitions of a table at a time.
func (s *Schedule) Work(snap *catalog.Snapshot, t *catalog.Table, now time.Time) Work {
	var out Work
	at := datetime.At(now)
	for _, p := range snap.Partitions(t.ID) {
		of := p.PartitionOf
		if of.Default || of.To[0].Infinity != 0 {
			continue
		}
		end := of.To[0]
		if past(end.Value, s.Export, at) && !of.Exported() {
			out.Export = append(out.Export, p)
		}
		switch {
		case past(end.Value, s.Drop, at) && (s.Export == nil || of.Exported()):
			out.Drop = append(out.Drop, p)
		case past(end.Value, s.Cold, at) && s.changes(p):
			out.Cold = append(out.Cold, p)
		}
	}
	if s.Every != nil {
		out.Make = s.missing(snap, t, at)
	}
	return out
}

// past says whether a time is so long ago.
func past(v types.Value, age *interval.Interval, now int64) bool {
	if age == nil {
		return false
	}
	cut, err := interval.After(now, age.Turned(), time.UTC)
	return err == nil && microsOf(v) <= cut
}

// changes says whether a partition has other options than a cold one.
func (s *Schedule) changes(p *catalog.Table) bool {
	for name, value := range s.ColdOptions() {
		if p.Options[name] != value {
			return true
		}
	}
	return false
}

// ColdOptions are the options that a cold partition has.
func (s *Schedule) ColdOptions() map[string]string {
	out := map[string]string{catalog.ClassOption: catalog.InfrequentAccess}
	for name, value := range s.Class {
		out[name] = value
	}
	return out
}

// missing are the partitions of the present and of the time ahead that are not there. A range that another partition
// has rows of is left to that one.
func (s *Schedule) missing(snap *catalog.Snapshot, t *catalog.Table, now int64) []New {
	var out []New
	column := t.Partitioning.Keys[0].Type
	first := s.Every.number(now)
	for n := first; n <= first+int64(s.Ahead); n++ {
		from, to := s.Every.start(n), s.Every.start(n+1)
		of := partition.Of{Parent: t.ID, By: *t.Partitioning, Ahead: true,
			From: []partition.Edge{{Value: valueOf(from, column)}}, To: []partition.Edge{{Value: valueOf(to, column)}}}
		if slices.ContainsFunc(snap.Partitions(t.ID),
			func(p *catalog.Table) bool { return p.PartitionOf.Overlaps(&of) }) {
			continue
		}
		suffix := s.Every.suffix(from)
		name := nameOf(t.Name, suffix)
		out = append(out, New{name, of, snap.Relation(t.Schema, name) != nil})
	}
	return out
}

// mostName is how many bytes a name has in PostgreSQL.
const mostName = 63

// nameOf is the name of a table, cut until a suffix fits behind it.
func nameOf(table, suffix string) string {
	n := min(len(table), mostName-len(suffix))
	for n < len(table) && !utf8.RuneStart(table[n]) {
		n--
	}
	return table[:n] + suffix
}

// valueOf is a time as a value of the column that partitions are made by.
func valueOf(micros int64, t types.T) types.Value {
	if t.OID == types.OIDDate {
		return types.NewDate(datetime.DateOf(micros))
	}
	return types.NewTimestamp(micros)
}

func microsOf(v types.Value) int64 {
	if v.Kind() == types.KindDate {
		if !calendar.IsFiniteDate(v.Days()) {
			return calendar.Infinity
		}
		return int64(v.Days()) * calendar.MicrosPerDay
	}
	return v.Micros()
}

// ByTime says whether the partitions of a table are by ranges of one column, so that they can be made by time.
func ByTime(t *catalog.Table) bool {
	by := t.Partitioning
	return by != nil && by.Strategy == partition.Range && len(by.Keys) == 1 && by.Keys[0].Column != 0
}
