package cost

import (
	"fmt"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/planner/plan"
)

// Work is what a node that writes does to the store for a row of some kind: at the most, since
// an update may leave values as they are.
type Work struct {
	Row   string // what kind
	Steps []Step
	// finds says that what is read is read by its key, and not by the scan below.
	finds bool
	fills bool // a table that no other transaction reads yet
}

// Step does one thing to Times items of a table or an index.
type Step struct {
	Do    Operation
	Of    string
	Times int
	Maybe bool // not for rows that a partial index does not hold
	// Separate says that a step is not part of the commit of the rows: a put comes before it, a Remove
	// after it.
	Separate bool
	// Follows says that the store of the table, or the server of a foreign one, takes the step with that of the row.
	Follows bool
	parent  *catalog.Table // of Hold
}

// Operation is what a step does.
type Operation uint8

// The operations.
const (
	Find    Operation = iota // by an entry, the row that is there
	Read                     // the row
	Look                     // whether a key is taken
	Hold                     // the row of a parent, so that it stays: a store may write it for that
	Remove                   // an item
	Put                      // an item
	Reserve                  // keep a key free, so that no other transaction takes it meanwhile
)

// WorkOf is what a node does for each row that it writes. A plan.Insert looks for the keys that rows must
// have alone, and a plan.Delete reads rows, or, if they may be written blindly, they leave that to the commit. The
// store may make writes that are Loose apart.
func WorkOf(n plan.Node, atCommit, loose bool) []Work {
	switch n := n.(type) {
	case plan.Insert:
		return insertWork(n, atCommit && n.Blind, loose)
	case plan.Update:
		w := steps{table: n.Table, parent: n.Parent, refers: n.To, loose: loose}
		w.read(1)
		w.update(n.Set)
		return []Work{w.work("row")}
	case plan.Delete:
		w := steps{table: n.Table, loose: loose}
		if !atCommit || !n.Blind {
			w.read(1)
		}
		w.delete()
		return []Work{w.work("row")}
	case plan.MergeInto:
		return mergeWork(n, loose)
	}
	return nil
}

// mergeWork is what each action does for a row.
func mergeWork(n plan.MergeInto, loose bool) (out []Work) {
	for _, w := range n.Whens {
		var of []Work
		switch w.Do {
		case plan.MergeInsert:
			of = WorkOf(n.Inserts(), false, loose)
		case plan.MergeUpdate:
			of = WorkOf(plan.Update{Table: n.Table, Set: w.Set}, false, loose)
		case plan.MergeDelete:
			of = WorkOf(plan.Delete{Table: n.Table}, false, loose)
		case plan.MergeNothing:
		}
		out = append(out, of...)
	}
	return out
}

func insertWork(n plan.Insert, blind, loose bool) []Work {
	fresh := steps{table: n.Table, parent: n.Parent, refers: n.To, loose: loose}
	there := steps{table: n.Table, refers: n.To, loose: loose}
	switch {
	case blind && n.Replaces():
		fresh.insert(false)
		return []Work{fresh.work("row")}
	case n.Conflict == plan.ConflictUpdate && n.Arbiter != nil:
		there.add(Step{Do: Find, Of: n.Arbiter.Name})
		there.read(1)
		there.update(n.Set)
	case n.Conflict == plan.ConflictUpdate:
		there.read(there.keysPerRow())
		there.update(n.Set)
	case n.Overwrite && n.Table.KeyName() != "":
		there.read(there.keysPerRow())
		there.replace()
	default:
		fresh.insert(!blind)
		row := fresh.work("row")
		row.fills = n.Anew
		return []Work{row}
	}
	fresh.insert(true)
	found := there.work("row that is there")
	found.finds = true
	return []Work{fresh.work("new row"), found}
}

// steps are collected by what they do, since that is the order in which they are done.
type steps struct {
	table  *catalog.Table
	parent *catalog.Table // behind whose rows those of the table lie; nil: there is none
	refers []plan.Reference
	loose  bool
	list   []Step
}

func (s *steps) add(step Step) {
	step.Times = max(step.Times, 1)
	x := s.table.Index(step.Of)
	step.Follows = step.Of != s.table.Name && (s.table.Foreign != nil || x != nil && x.Follows)
	for i := range s.list {
		if same := &s.list[i]; same.Do == step.Do && same.Of == step.Of {
			same.Times += step.Times
			return
		}
	}
	s.list = append(s.list, step)
}

// work is the steps in the order of their operations, those of the table behind those of its indexes.
func (s *steps) work(row string) Work {
	slices.SortStableFunc(s.list, func(a, b Step) int { return s.rank(a) - s.rank(b) })
	return Work{Row: row, Steps: s.list}
}

func (s *steps) rank(step Step) int {
	rank := 2 * int(step.Do)
	if step.Do == Remove && step.Separate {
		return 2*int(Reserve) + 2
	}
	if step.Do > Look && step.Of == s.table.Name {
		rank++
	}
	return rank
}

// keysPerRow is at how many keys a row may stand.
func (s *steps) keysPerRow() int {
	if random := s.table.Primary.Random(); random != nil {
		return random.Count
	}
	return 1
}

func (s *steps) read(keys int) { s.add(Step{Do: Read, Of: s.table.Name, Times: keys}) }

// putNew puts a row at a key that it did not have.
func (s *steps) putNew(looks bool) {
	s.add(Step{Do: Put, Of: s.table.Name})
	if s.parent != nil {
		s.add(Step{Do: Hold, Of: s.parent.Name, parent: s.parent})
	}
	if s.table.KeyName() == "" {
		return
	}
	if celltime.Has(s.table) { // what is left of a row that was deleted
		s.read(s.keysPerRow())
	} else if looks {
		s.add(Step{Do: Look, Of: s.table.Name, Times: s.keysPerRow()})
	}
	if s.keysPerRow() > 1 {
		s.add(Step{Do: Reserve, Of: s.table.Name, Times: s.keysPerRow() - 1})
	}
}

// hold keeps the rows that a row refers to by keys of which a column is written, or by all if it gets another primary
// key; nil stands for all of them.
func (s *steps) hold(touched func(ids []uint32) bool) {
	all := touched == nil || touched(s.table.Primary.Sources())
	for i := range s.refers {
		if r := &s.refers[i]; all || touched(r.Key.Columns) {
			if r.Index != nil {
				s.add(Step{Do: Find, Of: r.Index.Name})
			}
			s.add(Step{Do: Hold, Of: r.Parent.Name, parent: r.Parent})
		}
	}
}

func (s *steps) insert(looks bool) {
	s.hold(nil)
	s.putNew(looks)
	for i := range s.table.Indexes {
		s.enter(&s.table.Indexes[i], looks)
	}
}

// enter puts an entry at a key that the row did not have.
func (s *steps) enter(x *catalog.Index, looks bool) {
	if !x.State.Writes() {
		return
	}
	if x.Unique && looks {
		s.add(Step{Do: Look, Of: x.Name, Maybe: x.Partial()})
	}
	s.add(Step{Do: Put, Of: x.Name, Times: entriesPerRow(s.table, x), Maybe: x.Partial(),
		Separate: s.loose && s.table.PutsLoose(x)})
}

// leave takes an entry away.
func (s *steps) leave(x *catalog.Index) {
	if x.State.Deletes() {
		s.add(Step{Do: Remove, Of: x.Name, Times: entriesPerRow(s.table, x), Maybe: x.Partial(),
			Separate: s.loose && x.Loose})
	}
}

// owner looks whose an entry is: in a unique index that is not read yet it may be another row's.
func (s *steps) owner(x *catalog.Index) {
	if x.State.Deletes() && x.Unique && !x.State.Reads() {
		s.add(Step{Do: Look, Of: x.Name, Maybe: x.Partial()})
	}
}

func (s *steps) delete() {
	s.vacate()
	for i := range s.table.Indexes {
		s.owner(&s.table.Indexes[i])
		s.leave(&s.table.Indexes[i])
	}
}

// vacate takes a row from its key, where it may leave the timestamp of that.
func (s *steps) vacate() {
	if celltime.Has(s.table) {
		s.add(Step{Do: Put, Of: s.table.Name})
	} else {
		s.add(Step{Do: Remove, Of: s.table.Name})
	}
}

// replace writes all columns but those of the key.
func (s *steps) replace() {
	var set []plan.Assignment
	for i := range s.table.Columns {
		if !slices.Contains(s.table.Primary.Sources(), s.table.Columns[i].ID) {
			set = append(set, plan.Assignment{Column: i})
		}
	}
	s.update(set)
}

func (s *steps) update(set []plan.Assignment) {
	touched := func(ids []uint32) bool {
		return slices.ContainsFunc(set, func(a plan.Assignment) bool {
			return slices.Contains(ids,
				s.table.Columns[a.Column].ID)
		})
	}
	s.hold(touched)
	if touched(s.table.Primary.Sources()) {
		s.vacate()
		s.putNew(true)
	} else {
		s.add(Step{Do: Put, Of: s.table.Name})
	}
	for i := range s.table.Indexes {
		x := &s.table.Indexes[i]
		s.owner(x)
		stored := slices.ContainsFunc(s.table.StoredOrdinals(x),
			func(at int) bool { return touched([]uint32{s.table.Columns[at].ID}) })
		switch {
		case x.State == catalog.DeleteOnly || touched(s.movers(x)):
			s.leave(x)
			s.enter(x, true)
		case stored && x.State.Writes():
			s.add(Step{Do: Put, Of: x.Name, Times: entriesPerRow(s.table, x), Maybe: x.Partial()})
		}
	}
}

// movers are the columns on which it depends at what key a row has an entry, and whether it has
// one. What tells equal entries apart is part of the keys of a unique index only where a column is NULL.
func (s *steps) movers(x *catalog.Index) []uint32 {
	ids := slices.Clone(x.Layout.Sources())
	if !x.Unique || slices.ContainsFunc(ids,
		func(id uint32) bool { return !s.table.Columns[s.table.Ordinal(id)].NotNull }) {
		ids = append(ids, s.table.Primary.Sources()...)
	}
	if x.Where != nil {
		for _, c := range x.Where.Over.Columns {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// Together says whether a step is a write that the commit makes together with the others.
func (s Step) Together() bool { return s.Writes() && !s.Separate && !s.Follows }

// Writes says whether a step writes items, in a store that writes what it is to hold.
func (s Step) Writes() bool { return s.Do == Put || s.Do == Remove || s.Do == Reserve || s.Do == Hold }

// Count is how many items the steps are about.
func (w Work) Count() (n int) {
	for _, s := range w.Steps {
		n += s.Times
	}
	return n
}

// String is how EXPLAIN shows it.
func (w Work) String() string {
	texts := make([]string, len(w.Steps))
	for i, s := range w.Steps {
		texts[i] = s.String()
	}
	upTo, plural := "", "s"
	if slices.ContainsFunc(w.Steps, func(s Step) bool { return s.Maybe }) {
		upTo = "up to "
	}
	if w.Count() == 1 {
		plural = ""
	}
	return fmt.Sprintf("%s%d step%s per %s: %s", upTo, w.Count(), plural, w.Row, strings.Join(texts, ", "))
}

// String is how EXPLAIN shows it.
func (s Step) String() string {
	what := "the key"
	if s.Times > 1 {
		what = fmt.Sprintf("%d keys", s.Times)
	}
	switch s.Do {
	case Find:
		return "find in " + s.Of
	case Look:
		return "look for " + what + " in " + s.Of
	case Read:
		if s.Times > 1 {
			return "read " + what + " of " + s.Of
		}
		return "read " + s.Of
	case Hold:
		return "hold the row of " + s.Of
	case Remove:
		return "delete from " + s.Of
	case Reserve:
		return "keep " + what + " in " + s.Of + " free"
	case Put:
		if s.Times > 1 {
			return fmt.Sprintf("put %d items into %s", s.Times, s.Of)
		}
	}
	return "put into " + s.Of
}
