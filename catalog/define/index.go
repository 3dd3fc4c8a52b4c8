package define

import (
	"maps"
	"slices"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/keytext"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
)

// CreateIndex makes the index that a CREATE INDEX describes, and gives the table with the columns of its expressions.
// Nothing is stored yet, and the maps of a Z-order index are not learned.
func (b Builder) CreateIndex(s *ast.CreateIndex, t *catalog.Table) (*catalog.Table, *catalog.Index, error) {
	if t.Foreign != nil {
		return nil, nil, sqlerr.New(sqlerr.WrongObjectType, "cannot create index on relation %q", t.Name).
			WithDetail("This operation is not supported for foreign tables.")
	}
	t, keys, err := Expressions{b}.inKey(t, s.Keys)
	if err != nil {
		return nil, nil, err
	}
	named := *s
	named.Keys = keys
	t = withElements(t, catalog.Method(s.Method))
	x, err := b.createIndex(&named, t, indexKey)
	return t, x, err
}

func (b Builder) createIndex(s *ast.CreateIndex, t *catalog.Table, what string) (*catalog.Index, error) {
	if err := b.Limits.allow(t, len(s.Keys)); err != nil {
		return nil, err
	}
	x := &catalog.Index{Name: s.Name, Method: catalog.Method(s.Method), Unique: s.Unique, Keys: len(s.Keys),
		Options: map[string]string{}}
	// Fetching a row costs far more than an entry that is near in all dimensions.
	x.Covers = x.Method == catalog.ZOrder && len(s.Include) == 0
	keys, in, err := indexOptions(x, s.Options)
	if err != nil {
		return nil, err
	}
	switch x.Method {
	case catalog.BTree, catalog.Hash, catalog.BRIN:
		err = b.layOutOrdered(x, t, s, keys, what)
	case catalog.ZOrder:
		var curve []catalog.Dimension
		if curve, err = dimensions(t, s); err == nil {
			err = b.layOutCurve(x, t, curve, keys)
		}
	case catalog.GIN, catalog.GiST:
		err = layOutInverted(b, x, t, s, keys)
	case "spgist":
		err = sqlerr.Unsupported("an index of method %s", s.Method).At(int(s.Table.Pos))
	default:
		err = sqlerr.New(sqlerr.UndefinedObject, "access method %q does not exist", s.Method)
	}
	if err != nil {
		return nil, err
	}
	if x.Unique {
		if err := dividedBy(t, x.Layout.Columns(), "UNIQUE"); err != nil {
			return nil, err
		}
	}
	x.Layout.NullsEqual = s.NullsEqual
	named := ""
	if what == uniqueKey {
		named = " named in key"
	}
	if x.Include, err = includedIDs(t, s.Include, named); err != nil {
		return nil, err
	}
	if err := b.leaveOut(x, t, s); err != nil {
		return nil, err
	}
	t.IncludeExpiry(x)
	x.Loose = t.StartsLoose(x)
	if err := b.Limits.follow(x, t, s, in); err != nil {
		return nil, err
	}
	if x.Name == "" {
		x.Name = b.indexName(t, s, what)
	}
	if err := b.number(&x.ID, &x.Space, t.Schema, t.Name, x.Name); err != nil || in.parent == "" {
		return x, err
	}
	return x, b.interleaveIndex(x, t, in, keys)
}

// layOutOrdered lays out the entries of an index whose keys are in order.
func (b Builder) layOutOrdered(
	x *catalog.Index, t *catalog.Table, s *ast.CreateIndex, o *keyOptions, what string) error {
	if x.Method != catalog.BTree {
		if err := clausesOf(s); err != nil {
			return err
		}
	}
	parts, err := keyParts(t, s.Keys, what)
	if err != nil {
		return err
	}
	if x.Classes, err = operatorClasses(x.Method, t, parts, s.Keys); err != nil {
		return err
	}
	return b.layOutIndex(x, t, parts, o)
}

// indexName is the name of an index without one, as PostgreSQL makes it: t_a_b_idx.
func (b Builder) indexName(t *catalog.Table, s *ast.CreateIndex, what string) string {
	var ids []uint32
	for _, k := range s.Keys {
		ids = append(ids, t.Columns[t.Column(k.Column)].ID)
	}
	words := keytext.Names(t, ids)
	for _, c := range s.Include {
		words = append(words, c.Name)
	}
	label := "idx"
	if what == uniqueKey {
		label = "key"
	}
	return freeName(t.Name, strings.Join(words, "_"), label, func(name string) bool {
		return t.Index(name) != nil || t.PrimaryKey == name || b.Catalog.Relation(t.Schema, name) != nil
	})
}

// tieBreaker is the columns of the table's key that an index does not have yet. What a
// column part holds is exact; what is computed from a column is not.
func tieBreaker(t *catalog.Table, have []catalog.Part) []catalog.Part {
	var tie []catalog.Part
	for _, id := range t.Primary.Sources() {
		if !slices.ContainsFunc(have, func(q catalog.Part) bool { return q.Is(id) }) {
			tie = append(tie, catalog.Part{Column: id})
		}
	}
	return tie
}

// includedIDs are the numbers of the columns of an INCLUDE: those that entries hold besides their key.
func includedIDs(t *catalog.Table, list []ast.ColumnName, named string) (out []uint32, err error) {
	for _, name := range list {
		i, err := planner.TableColumn(t, name)
		if err != nil {
			return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q%s does not exist", name.Name, named).
				At(int(name.Pos))
		}
		out = append(out, t.Columns[i].ID)
	}
	return out, nil
}

// indexLike makes the index of a table that is like one of another table, whose columns have the same numbers.
func indexLike(b Builder, t *catalog.Table, of *catalog.Index) (*catalog.Index, error) {
	x := *of
	x.Of, x.Comment, x.ConstraintComment, x.State = 0, "", "", catalog.Readable
	x.Clustered = false
	reshard(&x, t)
	x.Layout.Tie = tieBreaker(t, x.Layout.Parts()) // the table may have another key
	x.Options = maps.Clone(of.Options)
	words := keytext.Names(t, x.Layout.Columns())
	words = words[:min(x.Keys, len(words))]
	for _, id := range x.Include {
		words = append(words, t.Columns[t.Ordinal(id)].Name)
	}
	label := map[bool]string{true: "key", false: "idx"}[x.Constraint]
	x.Name = freeName(t.Name, strings.Join(words, "_"), label, func(name string) bool {
		return name == t.Name || name == t.PrimaryKey || t.Index(name) != nil ||
			b.Catalog.Relation(t.Schema, name) != nil
	})
	return &x, b.number(&x.ID, &x.Space, t.Schema, t.Name, x.Name)
}
