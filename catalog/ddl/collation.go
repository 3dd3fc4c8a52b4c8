package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/locale"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/collation"
)

// collations runs the statements about collations alone.
type collations struct{ *Definer }

func (d collations) run(ctx context.Context, tree *ast.Collation) error {
	change, err := d.Txn.Changes(ctx)
	if err != nil {
		return err
	}
	if tree.Refresh {
		return d.refresh(ctx, change.Snap, tree.Name)
	}
	schema, err := d.SchemaFor(ctx, change.Snap, tree.Name)
	if err != nil {
		return err
	}
	def, err := d.definition(change.Snap, tree)
	if err != nil {
		return err
	}
	if snap := d.Txn.Changed().Snap; snap.PlainsNamed(catalog.CollationKind, schema, tree.Name.Name) != nil {
		if tree.IfNotExists {
			return d.Notice(sqlerr.Notice(sqlerr.DuplicateObject, "collation %s already exists, skipping",
				encoded(tree.Name.Name, def)))
		}
		return sqlerr.New(sqlerr.DuplicateObject, "collation %s already exists", encoded(tree.Name.Name, def))
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	return d.Txn.Put(ctx, &catalog.Plain{ID: uint32(id), Version: 1, Kind: catalog.CollationKind, Schema: schema,
		Name: tree.Name.Name, Collation: def, Rights: catalog.Rights{Owner: d.Role}})
}

// encoded is the name of a collation, with the encoding if it is of one.
func encoded(name string, def *locale.Definition) string {
	if def.Provider == locale.Libc {
		return "\"" + name + "\" for encoding \"UTF8\""
	}
	return "\"" + name + "\""
}

func invalidCollation(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidObjectDefinition, format, args...)
}

// definition reads what a collation is to be.
func (d collations) definition(snap *catalog.Snapshot, tree *ast.Collation) (*locale.Definition, error) {
	values := map[string]string{}
	for _, o := range tree.Options {
		known := []string{"from", "locale", "lc_collate", "lc_ctype", "provider", "deterministic", "version"}
		if !slices.Contains(known, o.Name) {
			return nil, sqlerr.New(sqlerr.SyntaxError, "collation attribute %q not recognized", o.Name).At(int(o.Pos))
		}
		if _, twice := values[o.Name]; twice {
			return nil, redundant().At(int(o.Pos))
		}
		values[o.Name] = o.Value
	}
	if tree.From != nil {
		if len(values) > 1 {
			return nil, redundant().WithDetail("FROM cannot be specified together with any other options.")
		}
		return d.copied(snap, *tree.From)
	}
	_, whole := values["locale"]
	_, collates := values["lc_collate"]
	_, classes := values["lc_ctype"]
	if whole && (collates || classes) {
		return nil, redundant().WithDetail("LOCALE cannot be specified together with LC_COLLATE or LC_CTYPE.")
	}
	return defined(values)
}

func redundant() *sqlerr.Error {
	return sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options")
}

// copied is the definition of another collation.
func (d collations) copied(snap *catalog.Snapshot, name ast.Name) (*locale.Definition, error) {
	name.Pos = -1
	from, err := d.Planner(snap).Names.Collation(name)
	if err != nil {
		return nil, err
	}
	if p := snap.PlainByID(from.OID); p != nil {
		def := *p.Collation
		return &def, nil
	}
	n, _ := collation.ByOID(from.OID)
	switch {
	case n.OID == collation.Default:
		return nil, invalidCollation("collation \"%s\" cannot be copied", n.Name)
	case n.Locale != "":
		return &locale.Definition{Provider: locale.ICU, Locale: n.Locale, Version: collation.Version,
			Order: n.Order}, nil
	case n.OID == collation.POSIX:
		return &locale.Definition{Provider: locale.Libc, Collate: "POSIX", Ctype: "POSIX"}, nil
	}
	return &locale.Definition{Provider: locale.Libc, Collate: "C", Ctype: "C"}, nil
}

// defined makes the definition of options.
func defined(values map[string]string) (*locale.Definition, error) {
	def := &locale.Definition{Provider: locale.Libc, Version: values["version"]}
	if text, given := values["deterministic"]; given {
		v, err := types.ParseText(text, types.Bool, nil)
		if err != nil {
			return nil, sqlerr.New(sqlerr.SyntaxError, "deterministic requires a Boolean value")
		}
		def.Nondeterministic = !v.Bool()
	}
	switch provider := values["provider"]; provider {
	case "icu":
		def.Provider, def.Locale = locale.ICU, values["locale"]
		return def, icu(def, values)
	case "", "libc":
		return def, libc(def, values)
	default:
		return nil, invalidCollation("unrecognized collation provider: %s", provider)
	}
}

func icu(def *locale.Definition, values map[string]string) (err error) {
	if _, given := values["locale"]; !given {
		return invalidCollation("parameter \"%s\" must be specified", "locale")
	}
	if def.Version == "" {
		def.Version = collation.Version
	}
	if def.Order, err = collation.Parse(def.Locale, !def.Nondeterministic); err != nil {
		return sqlerr.Unsupported("%s", err)
	}
	return nil
}

// libc reads a collation of the C library, which all order by bytes.
func libc(def *locale.Definition, values map[string]string) error {
	def.Collate, def.Ctype = values["lc_collate"], values["lc_ctype"]
	if whole, given := values["locale"]; given {
		def.Collate, def.Ctype = whole, whole
	}
	for _, of := range []struct{ name, value string }{{"lc_collate", def.Collate}, {"lc_ctype", def.Ctype}} {
		switch of.value {
		case "C", "POSIX", "C.UTF-8", "C.utf8":
		case "":
			return invalidCollation("parameter \"%s\" must be specified", of.name)
		default:
			return sqlerr.New(sqlerr.InvalidParameterValue, "could not create locale \"%s\": No such file or directory",
				of.value).
				WithDetail("The operating system could not find any locale data for the locale name \"%s\".", of.value)
		}
	}
	if def.Nondeterministic {
		return sqlerr.New(sqlerr.FeatureNotSupported, "nondeterministic collations not supported with this provider")
	}
	return nil
}

// named finds a collation that users made.
func (d collations) named(snap *catalog.Snapshot, n ast.Name) (*catalog.Plain, error) {
	n.Pos = -1
	if n.Schema != "" && snap.Schema(n.Schema) == nil && n.Schema != ast.TemporarySchema {
		return nil, noSchema(n.Schema)
	}
	c, err := d.Planner(snap).Names.Collation(n)
	if err != nil {
		return nil, err
	}
	if p := snap.PlainByID(c.OID); p != nil {
		return p, nil
	}
	return nil, sqlerr.New(sqlerr.DependentObjectsStillExist,
		"cannot change collation %s because it is required by the database system", bind.Dotted(n))
}

// refresh takes the present version of the tables in, after what depends on them was made anew.
func (d collations) refresh(ctx context.Context, snap *catalog.Snapshot, n ast.Name) error {
	same := sqlerr.Notice(sqlerr.SuccessfulCompletion, "version has not changed")
	n.Pos = -1
	if c, err := d.Planner(snap).Names.Collation(n); err != nil {
		return err
	} else if _, builtIn := collation.ByOID(c.OID); builtIn && d.Superuser() {
		return d.Notice(same)
	}
	p, err := plains(d).own(snap, ast.CollationObject, n, nil)
	if err != nil {
		return err
	}
	def := *p.Collation
	if def.Provider == locale.Libc || def.Version == collation.Version {
		return d.Notice(same)
	}
	before := def.Version
	def.Version = collation.Version
	if err := plains(d).put(ctx, p, func(c *catalog.Plain) { c.Collation = &def }); err != nil {
		return err
	}
	return d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "changing version from %s to %s", before, def.Version))
}

// collating are the columns, domains and attributes whose texts have a collation.
func (d *drop) collating(id uint32) (out []dependent) {
	for _, t := range d.snap.Tables() {
		for i := range t.Columns {
			if c := &t.Columns[i]; c.Type.Collation.OID == id && !c.Expression() {
				out = append(out, dependent{Target: Target{Object: t, Column: c.ID}})
			}
		}
	}
	for _, t := range d.snap.Types() {
		if t.Domain != nil && t.Domain.Base.Collation.OID == id {
			out = append(out, dependent{Target: Target{Object: t}})
		}
		for _, f := range t.Fields {
			if f.Type.Collation.OID == id {
				out = append(out, dependent{Target: Target{Object: t, Column: f.ID}})
			}
		}
	}
	return out
}
