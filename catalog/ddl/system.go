package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/amendment"
	"zproxy/catalog/syscat"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/charset"
)

// systemObjects runs what statements do to objects of kinds of which users make none. They find those of the system,
// or none. Comments, owners and privileges of what they find are kept as amendments.
type systemObjects struct{ *Definer }

// systemCatalogs are the catalogs of the kinds of objects of which users make none; empty: there are none at all.
var systemCatalogs = map[ast.ObjectKind]string{
	ast.AccessMethodObject: "pg_am", ast.ConversionObject: "", ast.EventTriggerObject: "",
	ast.WrapperObject: "pg_foreign_data_wrapper", ast.ServerObject: "pg_foreign_server",
	ast.LanguageObject: "pg_language", ast.OperatorClassObject: "pg_opclass", ast.OperatorFamilyObject: "pg_opfamily",
	ast.RuleObject: "", ast.SubscriptionObject: "", ast.TablespaceObject: "pg_tablespace", ast.TransformObject: "",
	ast.ConfigurationObject: "pg_ts_config", ast.DictionaryObject: "pg_ts_dict", ast.ParserObject: "pg_ts_parser",
	ast.TemplateObject: "pg_ts_template",
}

// isSystem says whether a kind is one of those.
func isSystem(kind ast.ObjectKind) bool {
	_, ok := systemCatalogs[kind]
	return ok
}

// run runs the statements that there are for these objects alone, and those about roles.
func (d systemObjects) run(ctx context.Context, tree ast.Statement) error {
	switch tree := tree.(type) {
	case *ast.AlterSystemObject:
		return d.alter(ctx, tree)
	case *ast.UserMapping:
		return d.mapping(ctx, tree)
	case *ast.CreateServer:
		return d.createServer(ctx, tree)
	case *ast.CreateTransform:
		return d.createTransform(ctx, tree)
	case *ast.CreateConversion:
		return d.createConversion(ctx, tree)
	case *ast.CreateAccessMethod:
		return d.createAccessMethod(tree)
	}
	return roles(d).roleStatement(ctx, tree)
}

// named finds an object of the system.
func (d systemObjects) named(snap *catalog.Snapshot, kind ast.ObjectKind, s ast.Signature) (*amendment.Definition,
	error) {
	if kind == ast.TransformObject {
		return nil, d.noTransform(snap, s)
	}
	method := ""
	if s.Using != "" {
		if syscat.All().KnownOID("pg_am", s.Using) == 0 {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "access method %q does not exist", s.Using)
		}
		method = " for access method "
	}
	if schema := meantSchema(d.Definer, s.Schema); schema != "" && snap.Schema(schema) == nil {
		return nil, noSchema(schema)
	}
	out := &amendment.Definition{Catalog: systemCatalogs[kind], Kind: string(kind), Name: s.Name.Name}
	if s.Schema == "" || s.Schema == catalog.PgCatalogName {
		out.OID = syscat.All().KnownOID(out.Catalog, s.Name.Name)
	}
	if _, err := d.ServerNamed(s.Name.Name); err == nil {
		out.OID = map[ast.ObjectKind]uint32{ast.WrapperObject: syscat.WrapperID,
			ast.ServerObject: syscat.ServerID}[kind]
	}
	if out.OID == 0 {
		text := string(kind) + " \"" + bind.Dotted(s.Name) + "\" does not exist"
		if method != "" {
			text += method + "\"" + s.Using + "\""
		}
		return nil, sqlerr.New(sqlerr.UndefinedObject, "%s", text)
	}
	if method != "" {
		out.Name += method + s.Using
	}
	out.Class = syscat.All().System().Relation(catalog.PgCatalogName, out.Catalog).ID
	return out, nil
}

// noTransform is the error about a transform.
func (d systemObjects) noTransform(snap *catalog.Snapshot, s ast.Signature) error {
	of, err := d.Planner(snap).TypeNamed(s.Args[0])
	if err == nil {
		err = noLanguage(s.Using)
	}
	if err != nil {
		return err
	}
	return sqlerr.New(sqlerr.UndefinedObject, "transform for type %s language %q does not exist",
		routines(d).typeList(snap, []types.OID{of.Number()}, ""), s.Using)
}

// noLanguage is the error about a language that there is not, if so.
func noLanguage(name string) error {
	if syscat.All().KnownOID("pg_language", name) != 0 {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedObject, "language %q does not exist", name)
}

// own is named for one that the present role must own.
func (d systemObjects) own(ctx context.Context, kind ast.ObjectKind, s ast.Signature) (*catalog.Plain, error) {
	snap := d.Txn.Changed().Snap
	of, err := d.named(snap, kind, s)
	if err != nil {
		return nil, err
	}
	p, err := d.amended(ctx, snap, of)
	if err == nil {
		err = d.MustOwn(snap, p)
	}
	return p, err
}

// amended is the amendment of an object, a new one if there is none yet.
func (d systemObjects) amended(ctx context.Context, snap *catalog.Snapshot, of *amendment.Definition) (
	*catalog.Plain, error) {
	if p := snap.Amended(of.Catalog, of.OID); p != nil {
		return p, nil
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return nil, err
	}
	p := &catalog.Plain{ID: uint32(id), Kind: catalog.AmendmentKind, Name: of.Key(), Amendment: of,
		Comment: syscat.All().Comment(of.Catalog, of.OID)}
	if v, ok := snap.Numbered(of.OID).(*catalog.Virtual); ok && of.Catalog == "pg_class" {
		p.ACL = syscat.InitialACL(v)
	}
	return p, nil
}

// relation is the amendment of a relation of the system.
func (d systemObjects) relation(ctx context.Context, snap *catalog.Snapshot, v *catalog.Virtual) (*catalog.Plain,
	error) {
	of := &amendment.Definition{Catalog: "pg_class", OID: v.ID, Kind: string(v.Kind), Name: v.Name}
	of.Class = syscat.All().System().Relation(catalog.PgCatalogName, of.Catalog).ID
	return d.amended(ctx, snap, of)
}

// signatures are what a statement names, with access methods and types or without.
func signatures(tree *ast.Drop) []ast.Signature {
	out := slices.Clone(tree.Routines)
	for _, n := range tree.Names {
		out = append(out, ast.Signature{Name: n})
	}
	return out
}

// drop runs DROP: there is nothing that may be dropped.
func (d systemObjects) drop(ctx context.Context, tree *ast.Drop) error {
	if tree.Kind == ast.RuleObject {
		return d.dropRule(ctx, tree)
	}
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	for _, s := range signatures(tree) {
		p, err := d.own(ctx, tree.Kind, s)
		switch {
		case err != nil && tree.IfExists && mayMiss(tree.Kind, s, err):
			err = d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
			if err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case tree.Kind == ast.TablespaceObject:
			return statement.Denied("permission denied for tablespace %s", s.Name.Name)
		case tree.Kind == ast.LanguageObject && d.Txn.Changed().Snap.Extension(s.Name.Name) != nil:
			return sqlerr.New(sqlerr.DependentObjectsStillExist,
				"cannot drop language %s because extension %s requires it", s.Name.Name, s.Name.Name).
				WithHint("You can drop extension %s instead.", s.Name.Name)
		}
		return sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot drop %s because it is required by the database system", plains(d).describe(nil, p))
	}
	return nil
}

// mayMiss says whether IF EXISTS is about an error, as it is about all but a missing access method.
func mayMiss(kind ast.ObjectKind, s ast.Signature, err error) bool {
	return sqlerr.Has(err, sqlerr.InvalidSchemaName) || sqlerr.Has(err, sqlerr.UndefinedObject) &&
		(s.Using == "" || kind == ast.TransformObject || syscat.All().KnownOID("pg_am", s.Using) != 0)
}

// dropRule runs DROP RULE. Only a view has a rule, which it cannot be without.
func (d systemObjects) dropRule(ctx context.Context, tree *ast.Drop) error {
	on, err := relationOf(ctx, d.Definer, tree.Names[0], tree.IfExists)
	if err != nil || on == nil {
		return err
	}
	err = noRule(on, tree.Part)
	if err != nil && tree.IfExists {
		return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
	}
	if err != nil {
		return err
	}
	view := d.Describe(d.Txn.Changed().Snap, Target{Object: on.(catalog.Object)})
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop rule %s on %s because %s requires it",
		tree.Part, view, view).WithHint("You can drop %s instead.", view)
}

// noRule is the error about a rule that a relation has not.
func noRule(on catalog.Relation, name string) error {
	if _, ok := on.(*catalog.View); ok && name == viewRule {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedObject, "rule %q for relation %q does not exist", name, on.Ref().Name)
}

// viewRule is the rule that makes a relation a view.
const viewRule = "_RETURN"

// rule runs what a statement does to a rule but DROP.
func (d systemObjects) rule(ctx context.Context, on ast.Name, name string) error {
	r, err := relationOf(ctx, d.Definer, on, false)
	if err == nil {
		err = noRule(r, name)
	}
	if err != nil {
		return err
	}
	return sqlerr.New(sqlerr.InvalidObjectDefinition, "renaming an ON SELECT rule is not allowed")
}

// change runs what a statement does to an object besides its owner, its comment and privileges on it.
func (d systemObjects) change(ctx context.Context, kind ast.ObjectKind, n ast.Name, s *ast.Signature) error {
	p, err := d.own(ctx, kind, signatureOf(n, s))
	if err != nil {
		return err
	}
	return sqlerr.Unsupported("changing %s, which is part of the system,", plains(d).describe(nil, p))
}

// signatureOf is what a statement names an object by.
func signatureOf(n ast.Name, s *ast.Signature) ast.Signature {
	if s != nil {
		return *s
	}
	return ast.Signature{Name: n}
}

func (d systemObjects) comment(ctx context.Context, tree *ast.Comment, text string) error {
	if tree.Kind == ast.RuleObject {
		return d.rule(ctx, tree.Name, tree.Column)
	}
	p, err := d.own(ctx, tree.Kind, signatureOf(tree.Name, tree.Routine))
	if err != nil {
		return err
	}
	return plains(d).put(ctx, p, func(c *catalog.Plain) { c.Comment = text })
}

// toGrant is what privileges are granted on.
func (d systemObjects) toGrant(ctx context.Context, snap *catalog.Snapshot, kind ast.ObjectKind, n ast.Name) (
	catalog.Owned, error) {
	of, err := d.named(snap, kind, ast.Signature{Name: n})
	switch {
	case err != nil:
		return nil, err
	case kind == ast.LanguageObject && !syscat.Trusted(n.Name):
		return nil, sqlerr.New(sqlerr.WrongObjectType, "language %q is not trusted", n.Name).
			WithDetail("GRANT and REVOKE are not allowed on untrusted languages, " +
				"because only superusers can use untrusted languages.")
	}
	return d.amended(ctx, snap, of)
}

// toOwn is what is to have another owner.
func (d systemObjects) toOwn(ctx context.Context, snap *catalog.Snapshot, tree *ast.SetOwner) (catalog.Owned, error) {
	switch tree.Kind {
	case ast.LanguageObject, ast.TablespaceObject:
		of, err := d.named(snap, tree.Kind, ast.Signature{Name: tree.Name})
		if err != nil {
			return nil, err
		}
		return d.amended(ctx, snap, of)
	}
	return nil, d.change(ctx, tree.Kind, tree.Name, tree.Routine)
}

// alter runs ALTER in words of a kind.
func (d systemObjects) alter(ctx context.Context, tree *ast.AlterSystemObject) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	return d.change(ctx, tree.Kind, ast.Name{}, &tree.Of)
}

// mapping runs CREATE, ALTER and DROP USER MAPPING.
func (d systemObjects) mapping(ctx context.Context, tree *ast.UserMapping) error {
	snap, err := owners(d).schemaFor(ctx, ast.ServerObject)
	if err != nil {
		return err
	}
	who := "public"
	if tree.Role.Kind != ast.PublicRole {
		var r *catalog.Role
		if r, err = d.RoleOf(snap, tree.Role); err == nil {
			who = d.RoleName(snap, r.ID)
		}
	}
	if err == nil {
		_, err = d.named(snap, ast.ServerObject, ast.Signature{Name: ast.Name{Name: tree.Server}})
	}
	switch {
	case err == nil && tree.Verb == "CREATE":
		return sqlerr.New(sqlerr.WrongObjectType, "server %q has no user mappings", tree.Server)
	case err == nil:
		err = sqlerr.New(sqlerr.UndefinedObject, "user mapping for %q does not exist for server %q", who, tree.Server)
	}
	if tree.IfExists {
		return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s, skipping", sqlerr.From(err).Message))
	}
	return err
}

// createServer runs CREATE SERVER.
func (d systemObjects) createServer(ctx context.Context, tree *ast.CreateServer) error {
	snap, err := owners(d).schemaFor(ctx, ast.ServerObject)
	if err == nil {
		_, err = d.named(snap, ast.WrapperObject, ast.Signature{Name: ast.Name{Name: tree.Wrapper}})
	}
	if err != nil {
		return err
	}
	return sqlerr.New(sqlerr.WrongObjectType, "foreign-data wrapper %q has no servers but its own", tree.Wrapper)
}

// createTransform runs CREATE TRANSFORM. A function of a transform has a parameter of type internal, which no function
// of users has.
func (d systemObjects) createTransform(ctx context.Context, tree *ast.CreateTransform) error {
	snap, err := owners(d).schemaFor(ctx, ast.TransformObject)
	if err != nil {
		return err
	}
	if _, err = d.Planner(snap).TypeNamed(tree.Type); err == nil {
		err = noLanguage(tree.Language)
	}
	if err != nil {
		return err
	}
	wrong := "return data type of FROM SQL function must be internal"
	if tree.From == nil {
		tree.From, wrong = tree.To, "first argument of transform function must be type internal"
	}
	_, err = routines(d).named(snap, ast.FunctionObject, *tree.From)
	if err != nil && !sqlerr.Has(err, sqlerr.DependentObjectsStillExist) { // it is built in
		return err
	}
	return sqlerr.New(sqlerr.InvalidObjectDefinition, "%s", wrong)
}

// createConversion runs CREATE CONVERSION. Its function has a parameter of type internal, which no function has here.
func (d systemObjects) createConversion(ctx context.Context, tree *ast.CreateConversion) error {
	snap, err := owners(d).schemaFor(ctx, ast.ConversionObject)
	if err == nil {
		_, err = d.SchemaFor(ctx, snap, tree.Name)
	}
	if err != nil {
		return err
	}
	from, to := charset.Find(tree.From), charset.Find(tree.To)
	switch {
	case from == nil:
		return sqlerr.New(sqlerr.UndefinedObject, "source encoding \"%s\" does not exist", tree.From)
	case to == nil:
		return sqlerr.New(sqlerr.UndefinedObject, "destination encoding \"%s\" does not exist", tree.To)
	case from.Name == "SQL_ASCII" || to.Name == "SQL_ASCII":
		return sqlerr.New(sqlerr.InvalidObjectDefinition, "encoding conversion to or from \"SQL_ASCII\" is not supported")
	}
	return noInternal(tree.Function, "integer, integer, cstring, internal, integer, boolean")
}

// createAccessMethod runs CREATE ACCESS METHOD, whose handler has a parameter of type internal, too.
func (d systemObjects) createAccessMethod(tree *ast.CreateAccessMethod) error {
	switch {
	case !d.Superuser():
		return statement.Denied("permission denied to create access method \"%s\"", tree.Name).
			WithHint("Must be superuser to create an access method.")
	case syscat.All().KnownOID("pg_am", tree.Name) != 0:
		return sqlerr.New(sqlerr.DuplicateObject, "access method \"%s\" already exists", tree.Name)
	}
	return noInternal(tree.Handler, "internal")
}

// noInternal is the error about a function with parameters that only PostgreSQL's own functions have.
func noInternal(name ast.Name, args string) error {
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s(%s) does not exist", bind.Dotted(name), args)
}
