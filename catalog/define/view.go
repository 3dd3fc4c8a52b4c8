package define

import (
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// CreateView makes the view that a CREATE VIEW describes, in a schema. A view of old that
// it replaces keeps its number.
func (b Builder) CreateView(s *ast.CreateView, schema string, old *catalog.View) (*catalog.View, error) {
	v := &catalog.View{Version: 1, Schema: schema, Name: s.Name.Name, Query: s.Text, Path: slices.Clone(b.SearchPath),
		Read: b.Written()}
	var err error
	if v.Options, err = viewOptions(s.Options); err != nil {
		return nil, err
	}
	if err := bind.Noted(&b.Binder, v.Read, func() error { return b.viewColumns(v, s) }); err != nil {
		return nil, err
	}
	if err := writable(b, v); err != nil {
		return nil, err
	}
	if old != nil {
		v.ID, v.Version, v.Comment = old.ID, old.Version+1, old.Comment
		v.Triggers = old.Triggers
		return v, sameColumns(old, v)
	}
	id, err := b.Next()
	v.ID = uint32(id)
	return v, err
}

// writable notes where rows go that are written to a view. They must go somewhere if they are to be checked.
func writable(b Builder, v *catalog.View) error {
	base, of, reason, err := b.Through(v)
	if err != nil {
		return err
	}
	if v.Base = base; base != 0 {
		for i := range v.Columns {
			v.Columns[i].Of = of[i]
		}
	}
	if reason != "" && v.Option(catalog.CheckOption) != "" {
		return sqlerr.New(sqlerr.FeatureNotSupported,
			"WITH CHECK OPTION is supported only on automatically updatable views").WithHint("%s", reason)
	}
	return nil
}

// AlterView is a view after a command of ALTER VIEW: with other options, or another default of a column.
func AlterView(b Builder, old *catalog.View, cmd ast.AlterCommand) (*catalog.View, error) {
	v := *old
	v.Version++
	switch cmd.Kind {
	case ast.SetOptions, ast.ResetOptions:
		v.Options = slices.DeleteFunc(slices.Clone(old.Options), func(o string) bool {
			name, _, _ := strings.Cut(o, "=")
			return slices.ContainsFunc(cmd.Options, func(set ast.Option) bool { return set.Name == name })
		})
		if cmd.Kind == ast.ResetOptions {
			return &v, nil
		}
		set, err := viewOptions(cmd.Options)
		if err != nil {
			return nil, err
		}
		v.Options = append(v.Options, set...)
		return &v, writable(b, &v)
	}
	i := v.Column(cmd.Name)
	if i < 0 {
		return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", cmd.Name, v.Name)
	}
	c := v.Columns[i].AsColumn()
	c.Default, c.DefaultUses, c.DefaultRead = "", nil, nil
	if cmd.Kind == ast.SetDefault {
		if err := b.newDefault(&c, cmd.Column.Default, cmd.Column.DefaultText); err != nil {
			return nil, err
		}
	}
	v.Columns = slices.Clone(v.Columns)
	to := &v.Columns[i]
	to.Default, to.DefaultUses, to.DefaultRead = c.Default, c.DefaultUses, c.DefaultRead
	return &v, nil
}

// viewColumns plans the query of a view, and notes its columns and what it uses.
func (b Builder) viewColumns(v *catalog.View, s *ast.CreateView) error {
	b.Uses = &v.Uses
	defer func() { b.Uses = nil }()
	n, err := b.Plan(s.Query)
	if err != nil {
		return err
	}
	if len(b.Params) > 0 {
		return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1")
	}
	cols := n.Columns()
	if len(s.Columns) > len(cols) {
		return sqlerr.New(sqlerr.SyntaxError, "CREATE VIEW specifies more column names than columns")
	}
	for i, c := range cols {
		col := catalog.ViewColumn{Name: c.Name, Type: c.Type}
		if i < len(s.Columns) {
			col.Name = s.Columns[i]
		}
		if v.Column(col.Name) >= 0 {
			return sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", col.Name)
		}
		if c.Type.Collation == types.Mixed {
			return uncollated("could not determine which collation to use for view column \"%s\"", col.Name)
		}
		if types.InfoOf(c.Type.OID).Category == types.CategoryPseudo {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "column %q has pseudo-type %s", col.Name, c.Type)
		}
		v.Columns = append(v.Columns, col)
	}
	return nil
}

// sameColumns wants a view to have the columns of the one that it replaces, and perhaps
// more behind them.
func sameColumns(old, v *catalog.View) error {
	if len(v.Columns) < len(old.Columns) {
		return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot drop columns from view")
	}
	for i, was := range old.Columns {
		is := &v.Columns[i]
		if is.Name != was.Name {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change name of view column %q to %q",
				was.Name, is.Name).
				WithHint("Use ALTER VIEW ... RENAME COLUMN ... to change name of view column instead.")
		}
		if !is.Type.Same(was.Type) {
			return sqlerr.New(sqlerr.InvalidTableDefinition, "cannot change data type of view column %q from %s to %s",
				was.Name, was.Type, is.Type)
		}
		is.Comment, is.Default = was.Comment, was.Default
		is.DefaultUses, is.DefaultRead = was.DefaultUses, was.DefaultRead
	}
	return nil
}
