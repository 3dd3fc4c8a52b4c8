package define

import (
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/keytext"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// likes are the relations that a table is made like.
type likes []likeOne

// likeOne is one of them. Its columns have the numbers that they have in the new table.
type likeOne struct {
	*catalog.Table
	of        *catalog.Table // with its own numbers
	including ast.LikeOptions
	inherited bool
}

// addColumns adds the columns of a CREATE TABLE, and those of relations that it is to be like.
func (t *NewTable) addColumns(s *ast.CreateTable) (likes, error) {
	if len(s.Columns) > maxColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", maxColumns)
	}
	for i, d := range s.Columns {
		if slices.ContainsFunc(s.Columns[:i], func(o ast.ColumnDef) bool { return o.Name == d.Name }) {
			return nil, columnTwice(d.Name)
		}
	}
	if s.OfType != nil {
		return nil, t.ofType(*s.OfType, s.Columns)
	}
	out, err := (heir{t}).inherit(s.Inherits)
	if err != nil {
		return nil, err
	}
	next := s.Likes
	for i := 0; i <= len(s.Columns); i++ {
		for ; len(next) > 0 && next[0].After == i; next = next[1:] {
			one, err := t.like(next[0])
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
		if i == len(s.Columns) {
			break
		}
		if err := (heir{t}).addOwnColumn(s.Columns[i], i+1); err != nil {
			return nil, err
		}
	}
	if len(t.Columns) > maxColumns {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "tables can have at most %d columns", maxColumns)
	}
	return out, nil
}

func columnTwice(name string) error {
	return sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", name)
}

// like adds the columns of a relation.
func (t *NewTable) like(tree ast.LikeTable) (likeOne, error) {
	of, err := likeable(t.by, tree.Table)
	if err != nil {
		return likeOne{}, err
	}
	numbers := map[uint32]uint32{}
	from := t.NextColumn
	for i := range of.Columns {
		c := of.Columns[i]
		if c.Hidden {
			continue
		}
		if at := t.Column(c.Name); at >= 0 {
			if err := (heir{t}).mergeLike(at, c); err != nil {
				return likeOne{}, err
			}
			numbers[c.ID] = t.Columns[at].ID
			continue
		}
		numbers[c.ID] = max(t.NextColumn, 1)
		if err := t.likeColumn(c, tree.Including); err != nil {
			return likeOne{}, err
		}
	}
	if tree.Including&ast.LikeIndexes != 0 {
		t.Columns = WithExpressions(t.Table, of).Columns
		for _, c := range of.Columns {
			if i := slices.IndexFunc(t.Columns, sameExpression(c)); i >= 0 && c.Unstored() {
				numbers[c.ID] = t.Columns[i].ID
			}
		}
	}
	return heir{t}.likeWith(of, tree.Including, numbers, from), nil
}

// likeWith is a relation that the table is like, of which the numbers that its columns have in the table are known. So
// those are that expressions of columns from a number on name.
func (t heir) likeWith(of *catalog.Table, including ast.LikeOptions, numbers map[uint32]uint32,
	from uint32) likeOne {
	at := func(id uint32) uint32 { return numbers[id] }
	for i := range t.Columns {
		if c := &t.Columns[i]; c.ID >= from && c.Generated != nil && !c.Expression() {
			g := *c.Generated
			g.Over.ID, g.Over.Columns = t.ID, renumberedBounds(g.Over.Columns, at)
			c.Generated = &g
		}
	}
	return likeOne{of: of, including: including, Table: renumber(of, at)}
}

// likeable is a relation that LIKE names, as a table.
func likeable(b Builder, name ast.Name) (*catalog.Table, error) {
	r, err := b.Relation(name)
	if err != nil {
		return nil, err
	}
	kind := ""
	switch r := r.(type) {
	case nil:
		return nil, bind.NoRelation(name).At(int(name.Pos))
	case *catalog.Table:
		return r, mayLike(b, r, r.Ref())
	case *catalog.View:
		t := &catalog.Table{ID: r.ID, Schema: r.Schema, Name: r.Name}
		for i, c := range r.Columns {
			t.Columns = append(t.Columns, catalog.Column{ID: uint32(i + 1), Name: c.Name, Type: c.Type})
		}
		return t, mayLike(b, r, r.Ref())
	case *catalog.Virtual:
		t := &catalog.Table{ID: r.ID, Schema: r.Schema, Name: r.Name}
		for i, c := range r.Columns {
			t.Columns = append(t.Columns,
				catalog.Column{ID: uint32(i + 1), Name: c.Name, Type: c.Type, NotNull: c.NotNull})
		}
		return t, nil
	case *catalog.Sequence:
		kind = "sequences"
	default:
		kind = "indexes"
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, "relation %q is invalid in LIKE clause", name.Name).
		WithDetail("This operation is not supported for %s.", kind).At(int(name.Pos))
}

// mayLike wants the present role to have the right to read a relation.
func mayLike(b Builder, o catalog.Owned, r catalog.Ref) error {
	if b.Role == 0 {
		return nil
	}
	if have, _ := b.Catalog.Privileges(b.Role, o); have&catalog.MaySelect == 0 {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for %s %s", r.Kind, r.Name)
	}
	return nil
}

// likeColumn adds a column like one of another table.
func (t *NewTable) likeColumn(of catalog.Column, including ast.LikeOptions) error {
	c := catalog.Column{ID: max(t.NextColumn, 1), Name: of.Name, Type: of.Type, NotNull: of.NotNull || of.Declared}
	if including&ast.LikeDefaults != 0 {
		c.Default, c.DefaultUses, c.DefaultRead = of.Default, of.DefaultUses, of.DefaultRead
	}
	if including&ast.LikeGenerated != 0 {
		c.Generated = of.Generated
	}
	if including&ast.LikeComments != 0 {
		c.Comment = of.Comment
	}
	if including&ast.LikeStorage != 0 {
		c.Storage = of.Storage
	}
	if including&ast.LikeCompression != 0 {
		c.Compression = of.Compression
	}
	t.nameInStore(&c)
	if including&ast.LikeIdentity != 0 && of.Identity != catalog.NoIdentity {
		if err := t.addSequence(&c, ast.ColumnDef{Name: c.Name, Identity: string(of.Identity)}); err != nil {
			return err
		}
		if from, ok := t.by.Catalog.ByID(of.Sequence).(*catalog.Sequence); ok {
			q := t.Sequences[len(t.Sequences)-1]
			q.Start, q.Increment, q.Min, q.Max = from.Start, from.Increment, from.Min, from.Max
			q.Cache, q.Cycle, q.From = from.Cache, from.Cycle, from.Start
		}
	}
	t.Columns, t.NextColumn = append(slices.Clip(t.Columns), c), c.ID+1
	return nil
}

// key is the CREATE TABLE with the primary key of a relation that the table is like, and what says how it is laid out.
func (l likes) key(t *NewTable, s *ast.CreateTable) (*ast.CreateTable, error) {
	for _, one := range l {
		if one.including&ast.LikeIndexes == 0 || one.PrimaryKey == "" || one.Primary.Columns() == nil {
			continue
		}
		if len(s.PrimaryKey) > 0 {
			return nil, sqlerr.New(sqlerr.InvalidTableDefinition, "multiple primary keys for table %q are not allowed",
				t.Name)
		}
		out := *s
		out.PrimaryPos = -1
		for _, k := range one.of.Primary.Declared() {
			out.PrimaryKey = append(out.PrimaryKey,
				ast.KeyPart{Column: one.of.Columns[one.of.Ordinal(k.ID)].Name, Desc: k.Desc, Pos: -1})
		}
		options := keytext.Options(one.of, one.of.Options)
		for _, name := range slices.Sorted(maps.Keys(options)) {
			if t.Options[name] != "" {
				continue
			}
			isKey, err := t.keys.read(ast.Option{Name: name, Value: options[name], Pos: -1})
			if err != nil {
				return nil, err
			}
			if isKey || name == keytext.KeyOption || name == keytext.PartitionOption {
				t.Options[name] = options[name]
			}
		}
		written, err := keyAsWritten(t.Table, &out)
		if err != nil {
			return nil, err
		}
		s = written
		t.KeyInclude, t.KeyOptions = one.KeyInclude, one.KeyOptions
		if one.including&ast.LikeComments != 0 {
			t.KeyComment, t.IndexComment = one.KeyComment, one.IndexComment
		}
	}
	return s, nil
}

// constraints gives the table the checks, indexes and statistics objects of relations that it is like.
func (l likes) constraints(t *NewTable) error {
	for _, one := range l {
		if one.inherited {
			continue // which come before the table's own
		}
		if one.including&ast.LikeConstraints != 0 {
			if err := one.checks(t); err != nil {
				return err
			}
		}
		if one.including&ast.LikeIndexes != 0 {
			if err := one.indexes(t); err != nil {
				return err
			}
		}
		if one.including&ast.LikeStatistics != 0 {
			if err := one.statistics(t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *likeOne) checks(t *NewTable) error {
	for _, k := range l.Checks {
		if l.inherited {
			if k.NoInherit {
				continue
			}
			if there, err := (heir{t}).mergesCheck(&k); there || err != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if t.HasConstraint(k.Name) {
			return sqlerr.New(sqlerr.DuplicateObject, "check constraint %q already exists", k.Name)
		}
		id, err := t.by.Next()
		if err != nil {
			return err
		}
		k.ID, k.NotValid = uint32(id), k.NotEnforced
		if l.including&ast.LikeComments == 0 {
			k.Comment = ""
		}
		t.Checks = append(slices.Clip(t.Checks), k)
	}
	return nil
}

func (l *likeOne) indexes(t *NewTable) error {
	for i := range l.Indexes {
		x, err := indexLike(t.by, t.Table, &l.Indexes[i])
		if err != nil {
			return err
		}
		if l.including&ast.LikeComments != 0 {
			x.Comment, x.ConstraintComment = l.Indexes[i].Comment, l.Indexes[i].ConstraintComment
		}
		if x.Where != nil {
			x.Where.Over.ID = t.ID
		}
		t.Indexes = append(slices.Clip(t.Indexes), *x)
	}
	return nil
}

func (l *likeOne) statistics(t *NewTable) error {
	for _, of := range t.by.Catalog.Statistics(l.of.ID) {
		x := Renumbered(of, l.of, t.Table)
		x.Table, x.Version, x.Schema, x.Computed, x.Rights = t.ID, 1, t.Schema, nil, catalog.Rights{}
		var names []string
		for _, id := range x.Columns {
			names = append(names, t.Columns[t.Ordinal(id)].Name)
		}
		for i := range x.Expressions {
			x.Expressions[i].Over.ID = t.ID
			names = append(names, "")
		}
		x.Name = StatisticsName(t.Table, names, func(name string) bool {
			return t.by.Catalog.StatisticsNamed(t.Schema, name) != nil || slices.ContainsFunc(t.Statistics,
				func(o *catalog.Statistics) bool { return o.Name == name })
		})
		if l.including&ast.LikeComments == 0 {
			x.Comment = ""
		}
		for range len(x.Expressions) {
			id, err := t.by.Next()
			if err != nil {
				return err
			}
			x.Computed = append(x.Computed, uint32(id))
		}
		id, err := t.by.Next()
		if err != nil {
			return err
		}
		x.ID = uint32(id)
		t.Statistics = append(t.Statistics, x)
	}
	return nil
}
