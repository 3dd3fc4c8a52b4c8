package syscat

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/routine"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/types"
)

// functionCatalogs are those that tell of functions, operators, aggregates and casts.
func functionCatalogs() []definition {
	return []definition{
		{
			name: "pg_proc", key: "oid", rows: functions,
			columns: `oid proname pronamespace prolang procost prorows provariadic prosupport prokind proleakproof proisstrict proretset
				provolatile proparallel pronargs pronargdefaults prorettype proargtypes proallargtypes proargmodes proargnames
				proargdefaults prosrc prosqlbody proowner prosecdef proconfig proacl`,
		},
		{
			name: "pg_operator", key: "oid", rows: operators,
			columns: `oid oprname oprkind oprcanmerge oprcanhash oprleft oprright oprresult oprcom oprnegate oprcode oprrest
				oprjoin oprnamespace oprowner`,
		},
		{
			name: "pg_aggregate", key: "aggfnoid", rows: aggregates,
			columns: `aggfnoid aggkind aggnumdirectargs aggtransfn aggfinalfn aggcombinefn aggserialfn aggdeserialfn aggmtransfn
				aggminvtransfn aggmfinalfn aggfinalextra aggmfinalextra aggfinalmodify aggmfinalmodify aggsortop aggtranstype
				aggtransspace aggmtranstype aggmtransspace agginitval aggminitval`,
		},
		{name: "pg_cast", key: "oid", columns: "oid castsource casttarget castfunc castcontext castmethod", rows: casts},
	}
}

func functions(r *rows) {
	for _, p := range builtin.Procs() {
		if r.wants(p.OID) {
			r.function(&p, superuser, types.Null)
		}
	}
	for _, f := range r.Catalog.Functions() {
		if r.wants(f.ID) {
			r.function(routine.Proc(f, types.T.String), f.OwnerID(), r.acl(f.ACL))
		}
	}
}

func (r *rows) function(p *pgproc.Proc, owner uint32, acl types.Value) {
	schema, name := uint32(pgCatalog), ProcSchema(r.Catalog, p)
	if name == "" {
		return
	}
	if s := r.Catalog.Schema(name); s != nil {
		schema = s.ID
	}
	support := uint32(0)
	if found := builtin.ProcsNamed(catalog.PgCatalogName, p.Support); len(found) > 0 {
		support = found[0].OID
	}
	all, modes, names, settings := types.Null, types.Null, types.Null, types.Null
	if p.Settings != nil {
		settings = texts(types.OIDText, p.Settings)
	}
	if p.AllArgs != nil {
		all = numbers(types.OIDOID, p.AllArgs)
	}
	if p.ArgModes != "" {
		modes = texts(types.OIDChar, strings.Split(p.ArgModes, ""))
	}
	if p.ArgNames != nil {
		names = texts(types.OIDText, p.ArgNames)
	}
	r.add(number(p.OID), text(p.Name), number(schema), number(p.Language), types.NewFloat(p.Cost),
		types.NewFloat(p.Rows), number(p.Variadic),
		number(support), letter(p.Kind), boolean(p.Leakproof), boolean(p.Strict), boolean(p.ReturnsSet),
		letter(p.Volatility), letter(p.Parallel), number(len(p.Args)), number(len(p.Defaults)), number(p.Result),
		vector(types.OIDOID, p.Args), all, modes, names, textOrNull(strings.Join(p.Defaults, ", ")), text(p.Source),
		textOrNull(p.Body), number(owner), boolean(p.Definer), settings, acl)
}

func operators(r *rows) {
	for _, o := range pgproc.OperatorRows() {
		if r.wants(o.OID) {
			addOperator(r, &o, pgCatalog, superuser)
		}
	}
	for _, p := range r.Catalog.Plains(catalog.OperatorKind) {
		if schema := r.Catalog.Schema(p.Schema); schema != nil && r.wants(p.ID) {
			addOperator(r, OperatorRow(p), schema.ID, p.OwnerID())
		}
	}
}

// OperatorRow is the row of pg_operator of an operator that users made.
func OperatorRow(p *catalog.Plain) *pgproc.OperatorRow {
	o := p.Operator
	return &pgproc.OperatorRow{OID: p.ID, Name: p.Name, Left: o.Left, Right: o.Right, Result: o.Result,
		Commutator: o.Commutator, Negator: o.Negator, Code: o.Function, Restrict: o.Restrict, Join: o.Join,
		Merges: o.Merges, Hashes: o.Hashes, Comment: p.Comment}
}

func addOperator(r *rows, o *pgproc.OperatorRow, schema, owner uint32) {
	kind := byte('b')
	if o.Left == 0 {
		kind = 'l'
	}
	r.add(number(o.OID), text(o.Name), letter(kind), boolean(o.Merges), boolean(o.Hashes), number(o.Left),
		number(o.Right),
		number(o.Result), number(o.Commutator), number(o.Negator), number(o.Code), number(o.Restrict),
		number(o.Join), number(schema), number(owner))
}

func aggregates(r *rows) {
	for _, a := range pgproc.AggregateRows() {
		if r.wants(a.OID) {
			r.aggregate(&a)
		}
	}
	for _, f := range r.Catalog.Functions() {
		if f.Aggregate != nil && r.wants(f.ID) {
			r.aggregate(routine.AggregateRow(f))
		}
	}
}

func (r *rows) aggregate(a *pgproc.AggregateRow) {
	p, m := &a.Plain, &a.Moving
	r.add(number(a.OID), letter(a.Kind), number(a.Direct), number(p.Transition), number(p.Final), number(a.Combine),
		number(a.Serialize), number(a.Deserialize), number(m.Transition), number(m.Inverse), number(m.Final),
		boolean(p.FinalExtra), boolean(m.FinalExtra), letter(p.FinalModify), letter(m.FinalModify),
		number(a.SortOperator),
		number(p.Type), number(p.Space), number(m.Type), number(m.Space), initialState(p), initialState(m))
}

// initialState is what the state of an aggregate is before the first row.
func initialState(s *pgproc.AggregateState) types.Value {
	if s.NoInitial {
		return types.Null
	}
	return text(s.Initial)
}

func casts(r *rows) {
	for _, c := range pgproc.CastRows() {
		if r.wants(c.OID) {
			r.add(number(c.OID), number(c.From), number(c.To), number(c.Function), letter(c.Context), letter(c.Method))
		}
	}
	for _, p := range r.Catalog.Plains(catalog.CastKind) {
		if c := p.Cast; r.wants(p.ID) {
			r.add(number(p.ID), number(c.From), number(c.To), number(c.Function), letter(c.Letter()),
				text(string(c.Method)))
		}
	}
	rangeCasts(r)
}

// functionComments adds what is said of functions and operators.
func (r *rows) functionComments() {
	for _, p := range builtin.Procs() {
		if _, ok := pg.ExtensionOf(p.Schema); !ok {
			r.comment(part{classFunctions, p.OID, 0}, p.Comment)
		}
	}
	for _, f := range r.Catalog.Functions() {
		r.comment(part{classFunctions, f.ID, 0}, f.Comment)
	}
	for _, o := range pgproc.OperatorRows() {
		r.comment(part{classOperators, o.OID, 0}, o.Comment)
	}
}
