package define

import (
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/aggregate"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Aggregate makes the aggregate that a CREATE AGGREGATE describes, in a schema, without a number. The names of options
// that there are not are unknown.
func (b Routines) Aggregate(tree *ast.CreateAggregate, schema string) (
	f *catalog.Function, unknown []string, err error,
) {
	f = &catalog.Function{Version: 1, Schema: schema, Name: tree.Name.Name, Aggregate: &aggregate.Definition{},
		FunctionTraits: catalog.FunctionTraits{Volatility: "i", Parallel: "u", Cost: 1}}
	f.Language, f.Body = routine.InternalLanguage, "aggregate_dummy"
	a := aggregateBuilder{Builder: b.Builder, tree: tree, f: f, options: map[string]*ast.AggregateOption{}}
	for i := range tree.Options {
		o := &tree.Options[i]
		name := o.Name
		if old, found := oldOptions[name]; found {
			name = old
		}
		if !aggregateOptions[name] {
			unknown = append(unknown, o.Name)
			continue
		}
		a.options[name] = o
	}
	for _, step := range []func() error{a.required, a.params, a.states, a.functions} {
		if err := step(); err != nil {
			return nil, unknown, err
		}
	}
	return f, unknown, nil
}

// oldOptions are other names of options.
var oldOptions = map[string]string{"sfunc1": "sfunc", "stype1": "stype", "initcond1": "initcond"}

var aggregateOptions = map[string]bool{
	"sfunc": true, "stype": true, "sspace": true, "initcond": true, "finalfunc": true, "finalfunc_extra": true,
	"finalfunc_modify": true, "combinefunc": true, "serialfunc": true, "deserialfunc": true, "msfunc": true,
	"minvfunc": true, "mstype": true, "msspace": true, "minitcond": true, "mfinalfunc": true, "mfinalfunc_extra": true,
	"mfinalfunc_modify": true, "sortop": true, "parallel": true, "hypothetical": true, "basetype": true,
}

type aggregateBuilder struct {
	Builder
	tree    *ast.CreateAggregate
	f       *catalog.Function
	options map[string]*ast.AggregateOption
}

// has says whether an option stands there.
func (a aggregateBuilder) has(name string) bool { return a.options[name] != nil }

func (a aggregateBuilder) required() error {
	for _, name := range []string{"stype", "sfunc"} {
		if !a.has(name) {
			return invalid("aggregate %s must be specified", name)
		}
	}
	for _, name := range []string{"msfunc", "minvfunc"} {
		if a.has("mstype") && !a.has(name) {
			return invalid("aggregate %s must be specified when mstype is specified", name)
		}
	}
	for _, name := range []string{"msfunc", "minvfunc", "mfinalfunc", "msspace", "minitcond"} {
		if !a.has("mstype") && a.has(name) {
			return invalid("aggregate %s must not be specified without mstype", name)
		}
	}
	if a.tree.Direct >= 0 || a.has("hypothetical") {
		return sqlerr.Unsupported("an ordered-set aggregate of users")
	}
	return nil
}

// params finds the arguments.
func (a aggregateBuilder) params() error {
	base := a.options["basetype"]
	switch {
	case !a.tree.OfBase && base != nil:
		return invalid("basetype is redundant with aggregate input type specification")
	case !a.tree.OfBase:
		return routineBuilder{a.Builder, &ast.CreateRoutine{Params: a.tree.Params}, a.f}.params()
	case base == nil:
		return invalid("aggregate input type must be specified")
	case strings.EqualFold(*base.Value, "any"):
		return nil
	}
	t, err := a.typeOf("basetype")
	a.f.Params = []catalog.Param{{Mode: "i", Type: t}}
	return err
}

// typeOf is the type that an option names.
func (a aggregateBuilder) typeOf(name string) (types.T, error) {
	o := a.options[name]
	tree := o.Type
	if tree == nil {
		tree = &ast.TypeName{Name: *o.Value, Pos: -1}
	}
	t, err := a.TypeNamed(*tree)
	if err != nil {
		e := *sqlerr.From(err)
		e.Position = 0
		return t, &e
	}
	return stored(t), nil
}

// states finds the types of the states, and what they are before the first row.
func (a aggregateBuilder) states() error {
	d := a.f.Aggregate
	if err := a.state("", &d.State); err != nil || !a.has("mstype") {
		return err
	}
	d.Moving = &aggregate.State{}
	return a.state("m", d.Moving)
}

func (a aggregateBuilder) state(prefix string, s *aggregate.State) (err error) {
	if s.Type, err = a.typeOf(prefix + "stype"); err != nil {
		return err
	}
	pseudo := types.InfoOf(s.Type.OID).Category == types.CategoryPseudo
	switch {
	case types.InfoOf(s.Type.OID).Name == "internal":
		return sqlerr.Unsupported("an aggregate with a state of type internal")
	case a.has("serialfunc") != a.has("deserialfunc"):
		return invalid("must specify both or neither of serialization and deserialization functions")
	case a.has("serialfunc"):
		return invalid("serialization functions may be specified only when the aggregate transition data type is internal")
	case pseudo && !analyze.IsPolymorphic(s.Type.OID):
		return invalid("aggregate transition data type cannot be %s", s.Type)
	case analyze.IsPolymorphic(s.Type.OID) && !routine.Polymorphic(a.f):
		return invalid("cannot determine transition data type").WithDetail("A result of type %s requires at least one "+
			"input of type anyelement, anyarray, anynonarray, anyenum, anyrange, or anymultirange.", s.Type)
	}
	s.FinalModify = "r"
	if o := a.options[prefix+"finalfunc_modify"]; o != nil {
		word := strings.ToLower(*o.Value)
		if !slices.Contains([]string{"read_only", "shareable", "read_write"}, word) {
			return sqlerr.New(sqlerr.SyntaxError, "parameter %q must be READ_ONLY, SHAREABLE, or READ_WRITE", o.Name)
		}
		if s.FinalModify = word[:1]; word == "read_write" {
			s.FinalModify = "w"
		}
	}
	if o := a.options[prefix+"finalfunc_extra"]; o != nil {
		s.FinalExtra = o.Value == nil || *o.Value == "true" || *o.Value == "on" || *o.Value == "1"
	}
	if o := a.options[prefix+"sspace"]; o != nil {
		s.Space, _ = strconv.Atoi(*o.Value)
	}
	if o := a.options[prefix+"initcond"]; o != nil {
		if s.Initial = o.Value; !pseudo {
			_, err = types.ParseText(*o.Value, a.Typed(s.Type.Number()).Bare(), a.Env)
		}
	}
	return err
}

// functions finds the functions, which must fit to each other.
func (a aggregateBuilder) functions() error {
	d := a.f.Aggregate
	if o := a.options["parallel"]; o != nil {
		word := strings.ToLower(*o.Value)
		if !slices.Contains([]string{"safe", "restricted", "unsafe"}, word) {
			return sqlerr.New(sqlerr.SyntaxError, "parameter \"parallel\" must be SAFE, RESTRICTED, or UNSAFE")
		}
		a.f.Parallel = word[:1]
	}
	_, err := a.transition("", &d.State)
	if err == nil && d.Moving != nil {
		err = a.moving(d.Moving)
	}
	if err != nil {
		return err
	}
	result, err := a.final("", &d.State)
	if err != nil {
		return err
	}
	a.f.Result = stored(a.Typed(result))
	if err := a.combine(d); err != nil {
		return err
	}
	if d.Moving != nil {
		other, err := a.final("m", d.Moving)
		if err == nil && other != result {
			err = invalid("moving-aggregate implementation returns type %s, but plain implementation returns type %s",
				a.Typed(other).Bare(), a.Typed(result).Bare())
		}
		if err != nil {
			return err
		}
	}
	return a.sort(d)
}

// argTypes are the types of the arguments.
func (a aggregateBuilder) argTypes() []types.OID { return a.f.ArgTypes() }

// transition finds the function that changes a state, and says whether it is strict.
func (a aggregateBuilder) transition(prefix string, s *aggregate.State) (strict bool, err error) {
	args := append([]types.OID{s.Type.Number()}, a.argTypes()...)
	fn, result, err := a.function(prefix+"sfunc", args)
	if err != nil {
		return false, err
	}
	if result != sample(s.Type.Number()) {
		return false, sqlerr.New(sqlerr.DatatypeMismatch, "return type of transition function %s is not %s",
			bind.Dotted(a.options[prefix+"sfunc"].Func), s.Type.Bare())
	}
	if s.Transition = fn.OID; !fn.NotStrict && s.Initial == nil &&
		(len(args) < 2 || !Coercible(args[1], s.Type.Number())) {
		return false, invalid("must not omit initial value when transition function is strict and " +
			"transition type is not compatible with input type")
	}
	return !fn.NotStrict, nil
}

func (a aggregateBuilder) moving(s *aggregate.State) error {
	strict, err := a.transition("m", s)
	if err != nil {
		return err
	}
	fn, result, err := a.function("minvfunc", append([]types.OID{s.Type.Number()}, a.argTypes()...))
	switch {
	case err != nil:
		return err
	case result != sample(s.Type.Number()):
		return sqlerr.New(sqlerr.DatatypeMismatch, "return type of inverse transition function %s is not %s",
			bind.Dotted(a.options["minvfunc"].Func), s.Type.Bare())
	case strict == fn.NotStrict:
		return invalid("strictness of aggregate's forward and inverse transition functions must match")
	}
	s.Inverse = fn.OID
	return nil
}

// final finds the function that makes the result of a state, and its type.
func (a aggregateBuilder) final(prefix string, s *aggregate.State) (types.OID, error) {
	if !a.has(prefix + "finalfunc") {
		return s.Type.Number(), nil
	}
	args := []types.OID{s.Type.Number()}
	if s.FinalExtra {
		args = append(args, a.argTypes()...)
	}
	fn, result, err := a.function(prefix+"finalfunc", args)
	if err != nil {
		return 0, err
	}
	if s.FinalExtra && !fn.NotStrict {
		return 0, invalid("final function with extra arguments must not be declared STRICT")
	}
	s.Final = fn.OID
	if analyze.IsPolymorphic(fn.Result) && slices.ContainsFunc(args, analyze.IsPolymorphic) {
		if !routine.Polymorphic(a.f) {
			return 0, invalid("cannot determine result data type")
		}
		return generic(fn.Result), nil
	}
	return result, nil
}

// generic is a polymorphic type of the family of anyelement.
func generic(oid types.OID) types.OID {
	switch oid {
	case types.OIDAnyCompatible:
		return types.OIDAnyElement
	case types.OIDAnyCompatibleArray:
		return types.OIDAnyArray
	case types.OIDAnyCompatibleRange:
		return types.OIDAnyRange
	case types.OIDAnyCompatibleMultirange:
		return types.OIDAnyMultirange
	}
	return oid
}

func (a aggregateBuilder) combine(d *aggregate.Definition) error {
	if !a.has("combinefunc") {
		return nil
	}
	fn, result, err := a.function("combinefunc", []types.OID{d.Type.Number(), d.Type.Number()})
	if err != nil {
		return err
	}
	if result != sample(d.Type.Number()) {
		return sqlerr.New(sqlerr.DatatypeMismatch, "return type of combine function %s is not %s",
			bind.Dotted(a.options["combinefunc"].Func), d.Type.Bare())
	}
	d.Combine = fn.OID
	return nil
}

// sort finds the operator by which the result is the first or the last value.
func (a aggregateBuilder) sort(d *aggregate.Definition) error {
	o := a.options["sortop"]
	if o == nil {
		return nil
	}
	args := a.argTypes()
	if len(args) != 1 {
		return invalid("sort operator can only be specified for single-argument aggregates")
	}
	for _, op := range pgproc.OperatorsNamed(o.Func.Name) {
		if op.Left == args[0] && op.Right == args[0] {
			d.Sort = op.OID
			return nil
		}
	}
	t := a.Typed(args[0]).Bare()
	return sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s %s %s", t, o.Func.Name, t)
}

// function finds the function that an option names for arguments of some types, and the type of its result.
func (a aggregateBuilder) function(option string, args []types.OID) (*expr.Function, types.OID, error) {
	name := a.options[option].Func
	given, shown := make([]types.T, len(args)), make([]types.T, len(args))
	for i, oid := range args {
		given[i], shown[i] = a.Typed(sample(oid)), a.Typed(oid)
	}
	called := analyze.Called{Schema: name.Schema, Name: name.Name, Types: shown}
	chosen := analyze.Unspread(a.Functions(name.Schema, name.Name), given)
	if chosen == nil {
		chosen = analyze.Unspread(builtin.Listed(name.Schema, name.Name), given)
	}
	if chosen == nil || !sameFamily(args, chosen.Args) {
		return nil, 0, sqlerr.New(sqlerr.UndefinedFunction, "function %s does not exist", called)
	}
	if chosen.Fn.Rows != nil {
		return nil, 0, sqlerr.New(sqlerr.DatatypeMismatch, "function %s returns a set", called)
	}
	s, err := chosen.Resolve(given)
	if err != nil {
		return nil, 0, err
	}
	for i, oid := range s.Args {
		if !Coercible(given[i].OID, oid) {
			for j, of := range s.Args {
				called.Types[j] = a.Typed(of)
			}
			return nil, 0, sqlerr.New(sqlerr.DatatypeMismatch, "function %s requires run-time type coercion", called)
		}
	}
	return chosen.Fn, s.Result, nil
}

// sameFamily says whether polymorphic types are given where a function has the same ones.
func sameFamily(given, declared []types.OID) bool {
	for i, oid := range given {
		if !analyze.IsPolymorphic(oid) || declared[i] == types.OIDAny || declared[i] == oid {
			continue
		}
		if oid != types.OIDAnyNonArray || declared[i] != types.OIDAnyElement {
			return false
		}
	}
	return true
}

// sample is a type that a polymorphic one may stand for; other types stay.
func sample(oid types.OID) types.OID {
	ranges := types.RangeTypes()[0] // over integers
	switch oid {
	case types.OIDAnyElement, types.OIDAnyNonArray, types.OIDAnyCompatible, types.OIDAnyCompatibleNonArray:
		return types.OIDInt4
	case types.OIDAnyRange, types.OIDAnyCompatibleRange:
		return ranges.OID
	case types.OIDAnyMultirange, types.OIDAnyCompatibleMultirange:
		return ranges.Multirange
	case types.OIDAnyArray, types.OIDAnyCompatibleArray:
		return types.InfoOf(types.OIDInt4).Array
	}
	return oid
}

// Coercible says whether values of a type are values of another one as they are.
func Coercible(from, to types.OID) bool {
	return from == to || to == types.OIDAny || analyze.IsPolymorphic(to) ||
		slices.ContainsFunc(pgproc.CastRows(), func(c pgproc.CastRow) bool {
			return c.From == from && c.To == to && c.Method == 'b' && c.Context == 'i'
		})
}
