package ddl

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/define"
	"zproxy/catalog/privilege"
	"zproxy/catalog/routine"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// routines runs the statements about functions and procedures.
type routines struct{ *Definer }

func (d routines) create(ctx context.Context, tree *ast.CreateRoutine) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	schema, err := d.SchemaFor(ctx, change.Snap, ast.Name{Schema: tree.Name.Schema, Name: tree.Name.Name, Pos: -1})
	if err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	if err := d.tellColumnTypes(tree); err != nil {
		return err
	}
	if tree.Language != nil {
		if err := d.MayUseLanguage(snap, strings.ToLower(*tree.Language)); err != nil {
			return err
		}
	}
	f, err := define.Routines{Builder: d.Builder(ctx, snap)}.Routine(tree, schema)
	if err != nil {
		return err
	}
	if err := d.configure(f, tree.Settings); err != nil {
		return err
	}
	f.Rights = privilege.New(snap, f, d.Role)
	if old := snap.Function(schema, f.Name, f.ArgTypes()); old != nil {
		if err := d.replaces(snap, tree, old, f); err != nil {
			return err
		}
		f.ID, f.Version, f.Comment, f.Rights = old.ID, old.Version+1, old.Comment, old.Rights
	} else {
		id, err := d.NextID(ctx)()
		if err != nil {
			return err
		}
		f.ID = uint32(id)
	}
	if d.CheckBodies || f.Statements || f.Language == routine.InternalLanguage {
		if err := d.checkBody(ctx, tree, f); err != nil {
			return err
		}
	}
	return d.Txn.Put(ctx, f)
}

// tellColumnTypes tells of types of columns, which the function does not follow.
func (d routines) tellColumnTypes(tree *ast.CreateRoutine) error {
	all := []ast.TypeName{}
	for _, p := range tree.Params {
		all = append(all, p.Type.TypeName)
	}
	if tree.Returns != nil {
		all = append(all, tree.Returns.TypeName)
	}
	p := d.Planner(d.Txn.Changed().Snap)
	for _, n := range all {
		if n.Column == nil {
			continue
		}
		t, err := p.TypeNamed(n)
		if err == nil {
			err = d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "type reference %s%%TYPE converted to %s",
				strings.Join(n.Column, "."), t.Bare()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// kindWords say what a function is.
var kindWords = map[catalog.Kind]string{
	"function": "a function", "procedure": "a procedure", "aggregate": "an aggregate function",
}

// replaces checks whether a function may take the place of another one.
func (d routines) replaces(snap *catalog.Snapshot, tree *ast.CreateRoutine, old, f *catalog.Function) error {
	invalid := func(format string, args ...any) *sqlerr.Error {
		return sqlerr.New(sqlerr.InvalidFunctionDefinition, format, args...).WithHint("Use DROP %s %s first.",
			strings.ToUpper(string(old.Kind())), d.signature(snap, old))
	}
	switch {
	case !tree.Replace:
		return sqlerr.New(sqlerr.DuplicateFunction, "function %q already exists with same argument types", f.Name)
	case !snap.Owns(d.Role, old):
		return d.MustOwn(snap, old)
	case old.Kind() != f.Kind():
		return sqlerr.New(sqlerr.WrongObjectType, "cannot change routine kind").WithDetail("%q is %s.", f.Name,
			kindWords[old.Kind()])
	case old.Result.Number() != f.Result.Number() || old.Set != f.Set:
		return invalid("cannot change return type of existing function")
	case !slices.EqualFunc(old.Outputs(), f.Outputs(), func(a, b catalog.Param) bool {
		return a.Name == b.Name && a.Type.Number() == b.Type.Number()
	}) && len(old.Outputs())+len(f.Outputs()) > 2:
		return invalid("cannot change return type of existing function").
			WithDetail("Row type defined by OUT parameters is different.")
	}
	inputs := f.Inputs()
	for i, was := range old.Inputs() {
		switch {
		case was.Name != "" && was.Name != inputs[i].Name:
			return invalid("cannot change name of input parameter %q", was.Name)
		case was.Default != "" && inputs[i].Default == "":
			return invalid("cannot remove parameter defaults from existing function")
		}
	}
	return nil
}

// signature is a function with the types of its arguments, with its schema where it must be told.
func (d routines) signature(snap *catalog.Snapshot, f *catalog.Function) string {
	name := expr.QuoteIdent(f.Name)
	if !d.visible(snap, f) {
		name = expr.QuoteIdent(f.Schema) + "." + name
	}
	return name + "(" + d.typeList(snap, f.ArgTypes(), ",") + ")"
}

// visible says whether the name of a function leads to it.
func (d routines) visible(snap *catalog.Snapshot, f *catalog.Function) bool {
	for _, schema := range d.Path(snap) {
		if found := snap.Function(schema, f.Name, f.ArgTypes()); found != nil {
			return found.ID == f.ID
		}
	}
	return false
}

// typeList are the names of types, with something between them.
func (d routines) typeList(snap *catalog.Snapshot, oids []types.OID, between string) string {
	p := d.Planner(snap)
	out := make([]string, len(oids))
	for i, oid := range oids {
		out[i] = p.Typed(oid).String()
	}
	return strings.Join(out, between)
}

// named finds the function that a statement names. A nil function and no error mean one that is built in.
func (d routines) named(snap *catalog.Snapshot, kind ast.ObjectKind, s ast.Signature) (*catalog.Function, error) {
	p := d.Planner(snap)
	var args []types.OID
	for _, n := range s.Args {
		t, err := p.TypeNamed(n)
		if err != nil {
			return nil, err
		}
		args = append(args, t.Number())
	}
	path := d.Path(snap)
	switch schema := meantSchema(d.Definer, s.Schema); {
	case schema != "" && snap.Schema(schema) == nil:
		return nil, noSchema(schema)
	case schema != "":
		path = []string{schema}
	}
	var found []*catalog.Function
	for _, schema := range path {
		for _, f := range snap.FunctionsNamed(schema, s.Name.Name) {
			if s.Any && isA(f, kind) || !s.Any && slices.Equal(f.ArgTypes(), args) {
				found = append(found, f)
			}
		}
		if !s.Any && len(found) > 0 {
			break
		}
	}
	full := bind.Dotted(s.Name) + "(" + d.typeList(snap, args, ", ") + ")"
	switch {
	case len(found) == 0:
		return nil, d.noRoutine(kind, s, args, full)
	case s.Any && len(found) > 1:
		return nil, sqlerr.New(sqlerr.AmbiguousFunction, "%s name %q is not unique", kind, bind.Dotted(s.Name)).
			WithHint("Specify the argument list to select the %s unambiguously.", kind)
	}
	f := found[0]
	switch {
	case isA(f, kind):
		return f, nil
	case kind == ast.AggregateObject:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "function %s is not an aggregate", full)
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, "%s is not a %s", full, kind)
}

// isA says whether statements about a kind of objects may be about a function. An aggregate is a function, too.
func isA(f *catalog.Function, kind ast.ObjectKind) bool {
	switch kind {
	case ast.RoutineObject:
		return true
	case ast.FunctionObject:
		return !f.Procedure
	}
	return string(f.Kind()) == string(kind)
}

// noRoutine is the error about a function that is not in the catalog.
func (d routines) noRoutine(kind ast.ObjectKind, s ast.Signature, args []types.OID, full string) error {
	if s.Schema == "" || s.Schema == catalog.PgCatalogName {
		for _, p := range builtin.ProcsNamed(catalog.PgCatalogName, s.Name.Name) {
			if !s.Any && slices.Equal(p.Args, args) {
				return sqlerr.New(sqlerr.DependentObjectsStillExist,
					"cannot drop function %s because it is required by the database system",
					s.Name.Name+"("+d.typeList(d.Txn.Changed().Snap, args, ",")+")")
			}
		}
	}
	switch {
	case s.Any && kind == ast.AggregateObject:
		return sqlerr.New(sqlerr.UndefinedFunction, "could not find an aggregate named %q", bind.Dotted(s.Name))
	case s.Any:
		return sqlerr.New(sqlerr.UndefinedFunction, "could not find a %s named %q", kind, bind.Dotted(s.Name))
	case kind == ast.AggregateObject && len(args) == 0:
		full = bind.Dotted(s.Name) + "(*)"
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "%s %s does not exist", kind, full)
}

// own is named for a function that the present role must own.
func (d routines) own(kind ast.ObjectKind, s ast.Signature) (*catalog.Function, error) {
	snap := d.Txn.Changed().Snap
	f, err := d.named(snap, kind, s)
	if err == nil {
		err = d.MustOwn(snap, f)
	}
	return f, err
}

// put changes a function.
func (d routines) put(ctx context.Context, f *catalog.Function, change func(*catalog.Function)) error {
	c := *f
	c.Version++
	change(&c)
	return d.Txn.Put(ctx, &c)
}

func (d routines) alter(ctx context.Context, tree *ast.AlterRoutine) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	f, err := d.own(tree.Kind, tree.Of)
	if err != nil {
		return err
	}
	if f.Aggregate != nil {
		return sqlerr.New(sqlerr.WrongObjectType, "%q is an aggregate function", f.Name)
	}
	c := *f
	c.Version++
	if err := cmp.Or(define.Traits(&c, &tree.RoutineOptions), d.configure(&c, tree.Settings)); err != nil {
		return err
	}
	return d.Txn.Put(ctx, &c)
}

func (d routines) rename(ctx context.Context, tree *ast.Rename) error {
	f, err := d.own(tree.Kind, *tree.Routine)
	if err == nil {
		err = d.MayMakeIn(d.Txn.Changed().Snap, f.Schema)
	}
	if err == nil {
		err = d.free(f.Schema, tree.New, f)
	}
	if err == nil {
		err = d.notInTables(f)
	}
	if err != nil {
		return err
	}
	return d.put(ctx, f, func(c *catalog.Function) { c.Name = tree.New })
}

// free wants no function of a name to have the arguments of one.
func (d routines) free(schema, name string, f *catalog.Function) error {
	snap := d.Txn.Changed().Snap
	if snap.Function(schema, name, f.ArgTypes()) == nil {
		return nil
	}
	return sqlerr.New(sqlerr.DuplicateFunction, "function %s(%s) already exists in schema %q", name,
		d.typeList(snap, f.ArgTypes(), ", "), schema)
}

func (d routines) setSchema(ctx context.Context, tree *ast.SetSchema) error {
	f, err := d.own(tree.Kind, *tree.Routine)
	if err == nil {
		err = mayMove(ctx, d.Definer, f.Name, f.Schema, tree.Schema)
	}
	if err != nil || f.Schema == tree.Schema {
		return err
	}
	if err := d.free(tree.Schema, f.Name, f); err != nil {
		return err
	}
	if err := d.notInTables(f); err != nil {
		return err
	}
	return d.put(ctx, f, func(c *catalog.Function) { c.Schema = tree.Schema })
}

func (d routines) comment(ctx context.Context, tree *ast.Comment, text string) error {
	f, err := d.own(tree.Kind, *tree.Routine)
	if err != nil {
		return err
	}
	return d.put(ctx, f, func(c *catalog.Function) { c.Comment = text })
}

// drop runs DROP FUNCTION and PROCEDURE.
func (d routines) drop(ctx context.Context, tree *ast.Drop) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	var targets []Target
	for _, s := range tree.Routines {
		f, err := d.named(change.Snap, tree.Kind, s)
		if err != nil && tree.IfExists && skipsRoutine(err) {
			if err := d.Notice(d.skipping(tree.Kind, s, err)); err != nil {
				return err
			}
			continue
		}
		if err == nil && f.Aggregate != nil && tree.Kind == ast.FunctionObject {
			err = sqlerr.New(sqlerr.WrongObjectType, "%q is an aggregate function", f.Name).
				WithHint("Use DROP AGGREGATE to drop aggregate functions.")
		}
		if err == nil {
			if schema := change.Snap.Schema(f.Schema); schema == nil || !change.Snap.Owns(d.Role, schema) {
				err = d.MustOwn(change.Snap, f)
			}
		}
		if err != nil {
			return err
		}
		targets = append(targets, Target{Object: f})
	}
	return d.Drop(ctx, targets, tree.Cascade)
}

func skipsRoutine(err error) bool {
	for _, code := range []sqlerr.Code{sqlerr.UndefinedFunction, sqlerr.InvalidSchemaName, sqlerr.UndefinedObject} {
		if sqlerr.Has(err, code) {
			return true
		}
	}
	return false
}

func (d routines) skipping(kind ast.ObjectKind, s ast.Signature, err error) *sqlerr.Error {
	message := sqlerr.From(err).Message
	if s.Any {
		message = string(kind) + " " + bind.Dotted(s.Name) + "() does not exist"
	} else if sqlerr.Has(err, sqlerr.UndefinedFunction) {
		var list []string
		for _, n := range s.Args {
			list = append(list, asWritten(n))
		}
		message = string(kind) + " " + bind.Dotted(s.Name) + "(" + strings.Join(list, ",") + ") does not exist"
	}
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", message)
}

// asWritten is the name of a type as the grammar has it: of SQL's own words, with the schema.
func asWritten(n ast.TypeName) string {
	name := n.Name
	switch name {
	case "int2", "int4", "int8", "bool", "float4", "float8", "numeric", "varchar", "bpchar", "bit", "varbit", "time",
		"timetz", "timestamp", "timestamptz", "interval":
		name = catalog.PgCatalogName + "." + name
	}
	if n.Array {
		name += "[]"
	}
	return name
}

// notInTables refuses to give a function that expressions of tables call another name, which they would not know.
func (d routines) notInTables(f *catalog.Function) error {
	for _, c := range (&drop{of: d.Definer, snap: d.Txn.Changed().Snap}).callers(f) {
		if t, ok := c.Object.(*catalog.Table); ok {
			return sqlerr.Unsupported("another name for function %q, which expressions of table %q call,", f.Name, t.Name)
		}
	}
	return nil
}

// objectsToGrant are the functions that a GRANT names, or all of some schemas.
func (d routines) objectsToGrant(tree *ast.Grant) (out []catalog.Owned, err error) {
	snap := d.Txn.Changed().Snap
	for _, s := range tree.Routines {
		f, err := d.named(snap, tree.Kind, s)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	if !tree.InSchemas {
		return out, nil
	}
	for _, n := range tree.Objects {
		if _, err := owners(d).schemaNamed(snap, n.Name); err != nil {
			return nil, err
		}
		for _, f := range snap.Functions() {
			if f.Schema == n.Name && isA(f, tree.Kind) {
				out = append(out, f)
			}
		}
	}
	return out, nil
}
