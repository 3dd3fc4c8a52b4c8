// Package inheritance is what a table keeps of the tables that it inherits from: which they are, and what it declares
// itself though they have it, too. That a column or a check is inherited is not kept: a parent has one of its name.
// Package catalog finds the tables that inherit from one.
package inheritance

import "slices"

// From says which tables one inherits from.
type From struct {
	Parents []uint32 // in the order in which they were named
	// Columns and Checks are the numbers of those that the table declares itself, though a parent has them.
	Columns []uint32 `json:",omitempty"`
	Checks  []uint32 `json:",omitempty"`
}

// Has says whether a table inherits from another one.
func (f *From) Has(parent uint32) bool { return f != nil && slices.Contains(f.Parents, parent) }

// Of are the parents, none where there is no inheritance.
func (f *From) Of() []uint32 {
	if f == nil {
		return nil
	}
	return f.Parents
}

// Declares says whether the table declares a column itself that a parent has.
func (f *From) Declares(column uint32) bool { return f != nil && slices.Contains(f.Columns, column) }

// DeclaresCheck is as Declares for a check.
func (f *From) DeclaresCheck(check uint32) bool { return f != nil && slices.Contains(f.Checks, check) }

// With is the inheritance with another parent, behind the others.
func (f *From) With(parent uint32) *From {
	out := f.copied()
	out.Parents = append(slices.Clip(out.Parents), parent)
	return &out
}

// WithColumn is the inheritance of a table that declares a column itself.
func (f *From) WithColumn(column uint32) *From {
	out := f.copied()
	out.Columns = append(slices.Clip(out.Columns), column)
	return &out
}

// WithCheck is as WithColumn for a check.
func (f *From) WithCheck(check uint32) *From {
	out := f.copied()
	out.Checks = append(slices.Clip(out.Checks), check)
	return &out
}

func (f *From) copied() From {
	if f == nil {
		return From{}
	}
	return *f
}

// Without is the inheritance without a parent, nil if none is left.
func (f *From) Without(parent uint32) *From {
	out := *f
	out.Parents = slices.DeleteFunc(slices.Clone(f.Parents), func(id uint32) bool { return id == parent })
	if len(out.Parents) == 0 {
		return nil
	}
	return &out
}
