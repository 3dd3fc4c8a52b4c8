package analyze

import (
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// Shape is what of a function decides whether a call may mean it.
type Shape struct {
	Signature          // of a variadic function the last argument may repeat
	Params    []string // the names of the arguments; nil when they have none
	Defaults  int      // how many of the last arguments may be left out
	Variadic  bool
	Any       bool // takes any types, where it is variadic for the last argument
}

// Given is what a call gives.
type Given struct {
	Types    []types.T
	Names    []string // parallel to Types, "" where the notation is positional; nil: all
	Variadic bool     // the last one is an array of the rest
	// Implicit says whether users made a cast that is not written; nil: they made none.
	Implicit func(from, to types.OID) bool
}

// Candidate is one function as a call would use it: with the types of as many arguments as the call gives.
type Candidate struct {
	Signature
	Of       int   // the index of its shape
	Ordinals []int // of each parameter: its ordinal in the call, -1 for its default; nil: as given
	expanded bool  // the last parameter stands for several arguments
	Spread   bool  // the last argument is an array of them
}

// Choose finds the function that suits a call best; nil for none.
func Choose(all []Shape, given Given) (best *Candidate, ambiguous bool) {
	var found []Candidate
	for i := range all {
		if c, ok := candidateOf(&all[i], given); ok {
			c.Of = i
			found = append(found, c)
		}
	}
	found = distinct(found)
	lists := make([][]types.OID, len(found))
	for i, c := range found {
		lists[i] = c.Args
	}
	i, ambiguous := choice{lists, given.Implicit}.overload(given.Types)
	if i < 0 {
		return nil, ambiguous
	}
	return &found[i], false
}

// distinct leaves one of the candidates that take the same types: the one that does not
// have to be expanded, or that needs fewer defaults.
func distinct(all []Candidate) []Candidate {
	rank := func(c Candidate) int {
		n := 0
		for _, ordinal := range c.Ordinals {
			if ordinal < 0 {
				n++
			}
		}
		if c.expanded {
			n += 1000
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return rank(a) - rank(b) })
	var out []Candidate
	for _, c := range all {
		if !slices.ContainsFunc(out, func(d Candidate) bool { return slices.Equal(c.Args, d.Args) }) {
			out = append(out, c)
		}
	}
	return out
}

// candidateOf fits a function to the number and the names of the arguments.
func candidateOf(f *Shape, args Given) (Candidate, bool) {
	c := Candidate{Signature: Signature{Result: f.Result}, Spread: args.Variadic}
	given := len(args.Types)
	switch {
	case args.Variadic && (!f.Variadic || given != len(f.Args)):
		return c, false
	case f.Variadic && !args.Variadic && given > len(f.Args):
		c.expanded = true
	case given > len(f.Args) || given < len(f.Args)-f.Defaults:
		return c, false
	}
	if !c.arrange(f, args) {
		return c, false
	}
	for i := range given {
		at := min(i, len(f.Args)-1)
		if c.Ordinals != nil {
			at = slices.Index(c.Ordinals, i)
		}
		c.Args = append(c.Args, c.declared(f, at, i == given-1))
	}
	return c, true
}

// declared is the type that an argument for a parameter must have.
func (c *Candidate) declared(f *Shape, at int, last bool) types.OID {
	repeats := f.Variadic && at == len(f.Args)-1
	oid := f.Args[at]
	if f.Any && (repeats || !f.Variadic) {
		oid = types.OIDAny
	}
	if !c.Spread || !last {
		return oid
	}
	switch oid {
	case types.OIDAny:
		return oid // call sees to it that it is an array
	case types.OIDAnyElement:
		return types.OIDAnyArray
	case types.OIDAnyCompatible:
		return types.OIDAnyCompatibleArray
	}
	return types.InfoOf(oid).Array
}

// arrange finds the argument of every parameter, if the call needs more than its own order.
func (c *Candidate) arrange(f *Shape, args Given) bool {
	if args.Names == nil && len(args.Types) >= len(f.Args) {
		return true
	}
	c.Ordinals = slices.Repeat([]int{-1}, len(f.Args))
	for i := range args.Types {
		at := i
		if args.Names != nil && args.Names[i] != "" {
			at = slices.Index(f.Params, args.Names[i])
		}
		if at < 0 || at >= len(f.Args) || c.Ordinals[at] >= 0 {
			return false
		}
		c.Ordinals[at] = i
	}
	for at, ordinal := range c.Ordinals {
		if ordinal < 0 && at < len(f.Args)-f.Defaults {
			return false
		}
	}
	return true
}

// Unspread is the function that suits values of some types best, of which those of a VARIADIC parameter are an array.
// nil: none does.
func Unspread(all []*expr.Function, given []types.T) *Chosen {
	var plain, variadic []*expr.Function
	for _, fn := range all {
		if fn.Variadic {
			variadic = append(variadic, fn)
		} else {
			plain = append(plain, fn)
		}
	}
	out, _ := ChooseFunction(plain, Given{Types: given})
	if out == nil {
		out, _ = ChooseFunction(variadic, Given{Types: given, Variadic: true})
	}
	return out
}
