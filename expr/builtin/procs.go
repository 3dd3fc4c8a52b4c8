package builtin

import (
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/expr/builtin/extension"
	"zproxy/expr/builtin/json"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/types"
)

// procTable is all procedures, and how they are found.
type procTable struct {
	all    []pgproc.Proc // by OID
	byOID  map[uint32]int
	byName map[functionName][]int
	// bySource are those in language internal, by their column prosrc.
	bySource map[string][]int
}

var procs = indexProcs()

// Procs are all rows of pg_proc, by OID.
func Procs() []pgproc.Proc { return procs.all }

// ProcByOID finds a row of pg_proc, nil when there is none.
func ProcByOID(oid uint32) *pgproc.Proc {
	if i, ok := procs.byOID[oid]; ok {
		return &procs.all[i]
	}
	return nil
}

// WithSource are the functions in language internal that do what a name in the column prosrc of pg_proc stands for.
func WithSource(source string) (out []*expr.Function) {
	for _, i := range procs.bySource[source] {
		f := FunctionByOID(procs.all[i].OID)
		if f == nil {
			f = ListedByOID(procs.all[i].OID)
		}
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}

// ProcsNamed are the rows of pg_proc of a name in a schema, by OID.
func ProcsNamed(schema, name string) (out []*pgproc.Proc) {
	for _, i := range procs.byName[functionName{pgproc.OwnSchema(schema), name}] {
		out = append(out, &procs.all[i])
	}
	return out
}

func indexProcs() procTable {
	t := procTable{all: pgproc.Procs(), byOID: map[uint32]int{}, byName: map[functionName][]int{},
		bySource: map[string][]int{}}
	for _, f := range Tables() {
		if f.OID != 0 { // PostgreSQL does not have it
			t.all = append(t.all, proc(f))
		}
	}
	for _, a := range json.Aggregates {
		if a.OID != 0 {
			t.all = append(t.all, aggregateProc(pg.CatalogSchema, a))
		}
	}
	for _, x := range extension.All() {
		for _, a := range x.Aggregates {
			t.all = append(t.all, aggregateProc(pg.OfExtension(x.Name), a))
		}
	}
	slices.SortFunc(t.all, func(a, b pgproc.Proc) int { return int(a.OID) - int(b.OID) })
	for i, p := range t.all {
		key := functionName{pgproc.OwnSchema(p.Schema), p.Name}
		t.byOID[p.OID], t.byName[key] = i, append(t.byName[key], i)
		if p.Kind == 'f' && p.Language == pgproc.InternalLanguage {
			t.bySource[p.Source] = append(t.bySource[p.Source], i)
		}
	}
	return t
}

// proc is the row of a function that PostgreSQL does not have.
func proc(f *expr.Function) pgproc.Proc {
	p := pgproc.Proc{
		OID: f.OID, Schema: f.Schema, Name: f.Name, Kind: 'f', Comment: f.Doc,
		Signature: pgproc.Signature{
			Args: ArgumentOIDs(f), Result: f.Result, ArgNames: f.Params, Defaults: f.Defaults,
		},
		Traits: pgproc.Traits{
			Volatility: "isv"[f.Volatility], Strict: !f.NotStrict, ReturnsSet: f.Rows != nil, Parallel: 's', Cost: 1,
		},
		Definition: pgproc.Definition{Language: pgproc.InternalLanguage, Source: f.Name},
	}
	if p.Schema == "" {
		p.Schema = pg.CatalogSchema
	}
	if f.Variadic {
		p.Variadic = f.Args[len(f.Args)-1]
	}
	if f.Rows != nil {
		p.Rows = 1000
	}
	if f.Out != nil {
		p.AllArgs, p.ArgModes = slices.Clone(p.Args), strings.Repeat("i", len(p.Args))
		p.ArgNames = append(slices.Clone(p.ArgNames), make([]string, len(p.Args)-len(p.ArgNames))...)
		for _, c := range f.Out {
			p.AllArgs, p.ArgModes, p.ArgNames = append(p.AllArgs, c.Type), p.ArgModes+"o", append(p.ArgNames, c.Name)
		}
	}
	var args []string
	for i, oid := range p.Args {
		arg := types.Of(oid).String()
		if i < len(f.Params) {
			arg = f.Params[i] + " " + arg
		}
		args = append(args, arg)
	}
	p.Arguments = strings.Join(args, ", ")
	p.Identity, p.ResultText = p.Arguments, types.Of(p.Result).String()
	if p.ReturnsSet {
		p.ResultText = "SETOF " + p.ResultText
	}
	return p
}

// aggregateProc is the row of an aggregate that PostgreSQL does not have.
func aggregateProc(schema string, a *expr.Aggregate) pgproc.Proc {
	p := proc(&expr.Function{
		Name: a.Name, Schema: schema, OID: a.OID, Args: a.Args, Result: a.Result, Doc: a.Doc, NotStrict: true,
	})
	p.Kind, p.Source = 'a', "aggregate_dummy"
	return p
}

// ArgumentOIDs are the argument types as pg_proc has them: the arguments that repeat are
// an array there.
func ArgumentOIDs(f *expr.Function) []types.OID {
	args := slices.Clone(f.Args)
	last := len(args) - 1
	switch {
	case f.Variadic && f.AnyArgs:
		args[last] = types.OIDAny
	case f.Variadic && args[last] != types.OIDAny:
		args[last] = types.InfoOf(args[last]).Array
	}
	switch f.Name {
	case "pg_get_expr":
		args[0] = pg.NodeTree // which is a text here
	case "pg_mcv_list_items":
		args[0] = pg.Common // which is a text here
	case "aclexplode":
		args[0] = pg.ACLItems // which are texts here
	}
	if strings.HasPrefix(f.Name, "_pg_truetyp") {
		return []types.OID{pg.Attribute, pg.TypeRow} // which are records here
	}
	return args
}
