package define

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/sqlerr"
)

// CreateIndex makes the index that a CREATE INDEX describes. Nothing is stored yet, and
// the maps of a Z-order index are not learned.
func (b Builder) CreateIndex(s *ast.CreateIndex, t *catalog.Table) (*catalog.Index, error) {
	if t.Foreign != nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot create index on relation %q", t.Name).
			WithDetail("This operation is not supported for foreign tables.")
	}
	return b.createIndex(s, t, indexKey)
}

func (b Builder) createIndex(s *ast.CreateIndex, t *catalog.Table, what string) (*catalog.Index, error) {
	if err := b.Limits.allow(t, len(s.Keys)); err != nil {
		return nil, err
	}
	x := &catalog.Index{Name: s.Name, Method: catalog.Method(s.Method), Unique: s.Unique, Keys: len(s.Keys), Options: map[string]string{}}
	// Fetching a row costs far more than an entry that is near in all dimensions.
	x.Covers = x.Method == catalog.ZOrder && len(s.Include) == 0
	keys, err := indexOptions(x, s.Options)
	if err != nil {
		return nil, err
	}
	switch x.Method {
	case catalog.BTree:
		var parts []catalog.Part
		if parts, err = keyParts(t, s.Keys, what); err == nil {
			err = layOutIndex(x, t, parts, keys)
		}
	case catalog.ZOrder:
		var curve []catalog.Dimension
		if curve, err = dimensions(t, s); err == nil {
			err = layOutCurve(x, t, curve, keys)
		}
	case "hash", "gin", "gist", "spgist", "brin":
		err = sqlerr.Unsupported("an index of method %s", s.Method).At(int(s.Pos))
	default:
		err = sqlerr.New(sqlerr.UndefinedObject, "access method %q does not exist", s.Method)
	}
	if err != nil {
		return nil, err
	}
	x.Layout.NullsEqual = s.NullsEqual
	if err := included(x, t, s); err != nil {
		return nil, err
	}
	if err := b.leaveOut(x, t, s); err != nil {
		return nil, err
	}
	t.TellsDue(x)
	x.Loose = t.StartsLoose(x)
	if x.Name == "" {
		x.Name = b.indexName(t, s, what)
	}
	return x, b.number(&x.ID, &x.Space, t.Schema, t.Name, x.Name)
}

// indexName is the name of an index without one, as PostgreSQL makes it: t_a_b_idx.
func (b Builder) indexName(t *catalog.Table, s *ast.CreateIndex, what string) string {
	var words []string
	for _, k := range s.Keys {
		words = append(words, k.Column)
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

// dimensions are those of a Z-order index: all its columns, the first one giving the first
// bit of the Z-address.
func dimensions(t *catalog.Table, s *ast.CreateIndex) ([]catalog.Dimension, error) {
	if s.Unique {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "access method \"zorder\" does not support unique indexes").At(int(s.Pos))
	}
	if len(s.Keys) > MaxDimensions {
		return nil, sqlerr.New(sqlerr.TooManyColumns, "cannot use more than %d columns in a z-order index", MaxDimensions).At(int(s.Pos))
	}
	parts, err := keyParts(t, s.Keys, zorderKey)
	if err != nil {
		return nil, err
	}
	var dims []catalog.Dimension
	for i, k := range s.Keys {
		if k.Desc {
			return nil, sqlerr.New(sqlerr.FeatureNotSupported, "access method \"zorder\" does not support ASC/DESC options").At(int(k.Pos))
		}
		d, err := dimension(t.Columns[t.Ordinal(parts[i].Column)], k)
		if err != nil {
			return nil, err
		}
		dims = append(dims, d)
	}
	return dims, nil
}

// MaxDimensions is how many columns a Z-order index may have. Beyond eight, hardly a
// query bounds enough of them.
const MaxDimensions = 8

// dimension reads zorder_ops (bits = n, bytes = n, map = 'raw' | 'range' | 'quantile').
// Without a map the index takes one when it is built; a text of so many bytes is cut to them.
func dimension(c catalog.Column, k ast.KeyPart) (catalog.Dimension, error) {
	d := catalog.Dimension{Column: c.ID}
	if !part.CanBeDimension(c.Type) {
		return d, noOrder(c.Type, catalog.ZOrder)
	}
	if k.OpClass != "" && k.OpClass != "zorder_ops" {
		return d, sqlerr.New(sqlerr.UndefinedObject, "operator class %q does not exist for access method \"zorder\"", k.OpClass).At(int(k.Pos))
	}
	cut := false
	for _, o := range k.OpParams {
		if err := dimensionOption(&d, c, o); err != nil {
			return d, err
		}
		cut = cut || o.Name == "bytes" && part.EncodedBits(c.Type) == 0
	}
	if cut && d.Map == "" {
		d.Map = catalog.MapRaw
	}
	if d.Bits > catalog.MapBits && (d.Map == catalog.MapRange || d.Map == catalog.MapQuantile) {
		return d, sqlerr.New(sqlerr.InvalidParameterValue, "column %q cannot have %d bits with map %q", c.Name, d.Bits, d.Map).
			WithDetail("A map knows the first %d bits of a value.", catalog.MapBits).At(int(k.Pos))
	}
	return d, nil
}

// maxTextBytes is how many bytes a text may have as a dimension.
const maxTextBytes = 128

func dimensionOption(d *catalog.Dimension, c catalog.Column, o ast.Option) error {
	bad := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, "%s", fmt.Sprintf(format, args...)).At(int(o.Pos))
	}
	n, err := strconv.Atoi(o.Value)
	mostBits := max(64, part.EncodedBits(c.Type))
	mostBytes := mostBits / 8
	if part.EncodedBits(c.Type) == 0 {
		mostBytes = maxTextBytes
	}
	switch o.Name {
	case "bits":
		if err != nil || n < 1 || n > mostBits {
			return bad("bits of column %q must be between 1 and %d", c.Name, mostBits)
		}
		d.Bits = n
	case "bytes":
		if err != nil || n < 1 || n > mostBytes {
			return bad("bytes of column %q must be between 1 and %d", c.Name, mostBytes)
		}
		d.Bits = 8 * n
	case "map":
		switch m := catalog.MapKind(strings.ToLower(o.Value)); m {
		case catalog.MapRaw, catalog.MapRange, catalog.MapQuantile:
			d.Map = m
		default:
			return bad("invalid value for \"map\" of column %q: %q", c.Name, o.Value)
		}
	default:
		return bad("unrecognized parameter %q", o.Name)
	}
	return nil
}

// included are the columns that entries hold besides their key.
func included(x *catalog.Index, t *catalog.Table, s *ast.CreateIndex) error {
	for _, name := range s.Include {
		i, err := planner.TableColumn(t, name)
		if err != nil {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", name.Name).At(int(name.Pos))
		}
		x.Include = append(x.Include, t.Columns[i].ID)
	}
	return nil
}

// indexOptions reads the WITH options of an index, and tells those that lay out its keys.
func indexOptions(x *catalog.Index, options []ast.Option) (*keyOptions, error) {
	keys := &keyOptions{}
	if err := once(options); err != nil {
		return nil, err
	}
	for _, o := range options {
		laysOut, err := keys.read(o)
		if !laysOut {
			err = indexOption(x, o)
		}
		if err != nil {
			return nil, err
		}
		x.Options[o.Name] = o.Value
	}
	if err := capacityFits(x.Options, options); err != nil {
		return nil, err
	}
	return keys, keys.forIndex(x.Method)
}

// The WITH options that say what entries hold besides their keys.
const (
	coveringOption = "covering"
	coveredOption  = "index_covered_type"
)

func indexOption(x *catalog.Index, o ast.Option) error {
	if catalog.IsCapacityOption(o.Name) {
		return capacityOption(o)
	}
	switch value := strings.ToUpper(o.Value); o.Name {
	case coveredOption:
		if value != "COVERED_ALL_COLUMNS_IN_SCHEMA" {
			return sqlerr.Unsupported("INDEX_COVERED_TYPE = '%s'", o.Value).At(int(o.Pos))
		}
		x.Covers = true
	case coveringOption:
		if value != "ALL" && value != "NONE" {
			return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter \"covering\": %q", o.Value).
				WithHint("Available values: all, none.").At(int(o.Pos))
		}
		x.Covers = value == "ALL"
	case ttlOption, ttlColumnOption:
		return sqlerr.New(sqlerr.InvalidParameterValue, "an index cannot have parameter %q", o.Name).
			WithHint("Its entries live as long as the rows of the table: ALTER TABLE ... SET (%s = ...).", ttlOption).At(int(o.Pos))
	default:
		return storageOption(o, ofIndex)
	}
	return nil
}
