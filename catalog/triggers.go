package catalog

import (
	"cmp"
	"iter"
	"slices"

	"zproxy/catalog/trigger"
)

// Trigger is a trigger of a table or a view.
type Trigger struct {
	trigger.Definition
	// When is over the old row and the new one, which it calls by these names; nil: it always fires.
	When *Condition `json:",omitempty"`
}

// Triggers are those of a table or a view, by their names.
type Triggers struct {
	Triggers []Trigger `json:",omitempty"`
}

// CopiesOf are those that are copies of triggers of a table.
func (t *Triggers) CopiesOf(parent *Table) (out []Trigger) {
	for _, one := range t.Triggers {
		if one.Parent != 0 && parent.TriggerByID(one.Parent) != nil {
			out = append(out, one)
		}
	}
	return out
}

// Trigger finds a trigger by name, nil when there is none.
func (t *Triggers) Trigger(name string) *Trigger {
	for i := range t.Triggers {
		if t.Triggers[i].Name == name {
			return &t.Triggers[i]
		}
	}
	return nil
}

// TriggerByID finds a trigger by its number, nil when there is none.
func (t *Triggers) TriggerByID(id uint32) *Trigger {
	for i := range t.Triggers {
		if t.Triggers[i].ID == id {
			return &t.Triggers[i]
		}
	}
	return nil
}

// WithTrigger are the triggers with one more, or with one changed.
func (t Triggers) WithTrigger(one Trigger) Triggers {
	out := t.WithoutTrigger(one.ID).Triggers
	at, _ := slices.BinarySearchFunc(out, one.Name,
		func(x Trigger, name string) int { return cmp.Compare(x.Name, name) })
	return Triggers{slices.Insert(out, at, one)}
}

// WithoutTrigger are the triggers without one.
func (t Triggers) WithoutTrigger(id uint32) Triggers {
	return Triggers{slices.DeleteFunc(slices.Clone(t.Triggers), func(x Trigger) bool { return x.ID == id })}
}

// TriggersOf are the triggers of a relation: those of a table or a view.
func TriggersOf(r Relation) []Trigger {
	switch r := r.(type) {
	case *Table:
		return r.Triggers.Triggers
	case *View:
		return r.Triggers.Triggers
	}
	return nil
}

// AllTriggers are the triggers of all tables and views, with these.
func AllTriggers(s *Snapshot) iter.Seq2[Relation, *Trigger] {
	return func(yield func(Relation, *Trigger) bool) {
		for _, t := range s.Tables() {
			for i := range t.Triggers.Triggers {
				if !yield(t, &t.Triggers.Triggers[i]) {
					return
				}
			}
		}
		for _, v := range s.Views() {
			for i := range v.Triggers.Triggers {
				if !yield(v, &v.Triggers.Triggers[i]) {
					return
				}
			}
		}
	}
}

// WithTriggers is the next version of a table or a view, with other triggers.
func WithTriggers(r Relation, to Triggers) Object {
	switch r := r.(type) {
	case *Table:
		c := *r
		c.Version++
		c.Triggers = to
		return &c
	case *View:
		c := *r
		c.Version++
		c.Triggers = to
		return &c
	}
	return nil
}
