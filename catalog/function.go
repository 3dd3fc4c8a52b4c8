package catalog

import (
	"cmp"
	"slices"

	"zproxy/catalog/aggregate"
	"zproxy/types"
)

// Function is a function or a procedure of CREATE FUNCTION or PROCEDURE.
type Function struct {
	ID        uint32
	Version   uint32
	Schema    string
	Name      string
	Procedure bool `json:",omitempty"`
	// Aggregate is what an aggregate is besides, nil for functions and procedures.
	Aggregate *aggregate.Definition `json:",omitempty"`
	Params    []Param
	Result    types.T // record where several parameters are given out
	Set       bool    `json:",omitempty"` // it returns any number of results
	FunctionBody
	FunctionTraits
	Comment string `json:",omitempty"`
	Rights
}

// FunctionBody is what a function does.
type FunctionBody struct {
	Language string // sql, plpgsql; internal for aggregates
	Body     string
	// Statements says that the body is in SQL's own syntax, whose names mean what they meant when it was made.
	Statements bool      `json:",omitempty"`
	Path       []string  `json:",omitempty"` // the search path that Statements were read with
	Uses       []Use     `json:",omitempty"` // the relations that Statements name, and functions
	Read       *Literals `json:",omitempty"`
}

// FunctionTraits is what the planner may think of a function.
type FunctionTraits struct {
	Volatility string // i, s, v
	Strict     bool   `json:",omitempty"`
	Definer    bool   `json:",omitempty"` // it runs with the rights of its owner
	Leakproof  bool   `json:",omitempty"`
	Parallel   string // u, r, s
	Cost       float64
	Rows       float64  `json:",omitempty"`
	Settings   []string `json:",omitempty"` // name=value, while it runs
}

// Param is a parameter of a function, or a column of RETURNS TABLE.
type Param struct {
	Name    string `json:",omitempty"`
	Mode    string // of pg_proc: i, o, b, v, t
	Type    types.T
	Default string `json:",omitempty"` // the text of an expression
}

// Given says whether a call gives a value for the parameter.
func (p *Param) Given() bool { return p.Mode != "o" && p.Mode != "t" }

// Returned says whether the function gives a value of the parameter back.
func (p *Param) Returned() bool { return p.Mode == "o" || p.Mode == "b" || p.Mode == "t" }

func (*Function) object() {}

// Kind is the word of statements for the function.
func (f *Function) Kind() Kind {
	switch {
	case f.Procedure:
		return "procedure"
	case f.Aggregate != nil:
		return "aggregate"
	}
	return "function"
}

// Ref names a function as a relation is named. Its name is free for relations, too.
func (f *Function) Ref() Ref { return Ref{f.Kind(), f.ID, f.Schema, f.Name} }

// Inputs are the parameters that a call gives values for.
func (f *Function) Inputs() (out []Param) {
	for _, p := range f.Params {
		if p.Given() {
			out = append(out, p)
		}
	}
	return out
}

// Outputs are the parameters that the function gives back.
func (f *Function) Outputs() (out []Param) {
	for _, p := range f.Params {
		if p.Returned() {
			out = append(out, p)
		}
	}
	return out
}

// ArgTypes are the types by which functions of one name are told apart.
func (f *Function) ArgTypes() []types.OID {
	out := []types.OID{}
	for _, p := range f.Inputs() {
		out = append(out, p.Type.Number())
	}
	return out
}

// functions are the functions of a snapshot, and how they are found.
type functions struct {
	functions map[uint32]*Function
	named     map[name][]*Function
}

// FunctionByID finds a function, nil when there is none.
func (s *functions) FunctionByID(id uint32) *Function { return s.functions[id] }

// HasFunctions says whether there is any.
func (s *functions) HasFunctions() bool { return len(s.functions) > 0 }

// FunctionsNamed are the functions of a name in a schema, by their IDs.
func (s *functions) FunctionsNamed(schema, function string) []*Function {
	return s.named[name{schema, function}]
}

// Function finds the function of a name and types of arguments, nil when there is none.
func (s *functions) Function(schema, function string, args []types.OID) *Function {
	for _, f := range s.FunctionsNamed(schema, function) {
		if slices.Equal(f.ArgTypes(), args) {
			return f
		}
	}
	return nil
}

// Functions are all functions, by their IDs.
func (s *functions) Functions() []*Function {
	out := make([]*Function, 0, len(s.functions))
	for _, f := range s.functions {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *Function) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// as is how a stored query finds the functions that it calls.
func (s *functions) as(uses []Use) map[name][]*Function {
	out := map[name][]*Function{}
	for _, u := range uses {
		if f := s.functions[u.ID]; u.Function && f != nil {
			out[name{u.Schema, u.Name}] = append(out[name{u.Schema, u.Name}], f)
		}
	}
	return out
}

// index makes the names anew.
func (s *functions) index() {
	s.named = map[name][]*Function{}
	for _, f := range s.Functions() {
		key := name{f.Schema, f.Name}
		s.named[key] = append(s.named[key], f)
	}
}
