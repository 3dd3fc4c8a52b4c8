package define

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/curve"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/planner/declared"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/normal"
)

// dimensions are those of a Z-order index: all its columns, the first one giving the first
// bit of the Z-address.
func dimensions(t *catalog.Table, s *ast.CreateIndex) ([]catalog.Dimension, error) {
	if s.Unique {
		return nil, lacking(catalog.ZOrder, "unique indexes").At(int(s.Table.Pos))
	}
	return dimensionsOf(t, s.Keys, s.Table.Pos)
}

func dimensionsOf(t *catalog.Table, keys []ast.KeyPart, pos ast.Pos) ([]catalog.Dimension, error) {
	parts, err := keyParts(t, keys, zorderKey)
	if err != nil {
		return nil, err
	}
	var dims []catalog.Dimension
	for i, k := range keys {
		if k.Desc {
			return nil, lacking(catalog.ZOrder, "ASC/DESC options").At(int(k.Pos))
		}
		if k.Nulls != ast.NullsDefault {
			return nil, lacking(catalog.ZOrder, "NULLS FIRST/LAST options").At(int(k.Pos))
		}
		of := t.Source(parts[i].Column)
		sources := []part.Source{of}
		if axes := axis.Of(of.ID, of.Type); axes != nil {
			sources = []part.Source{t.Source(axes[0]), t.Source(axes[1])}
		}
		for _, source := range sources {
			d, err := dimension(source, k)
			if err != nil {
				return nil, err
			}
			dims = append(dims, d)
		}
	}
	return dims, manyDimensions(dims, pos)
}

func manyDimensions(dims []catalog.Dimension, pos ast.Pos) error {
	if len(dims) <= maxDimensions {
		return nil
	}
	return sqlerr.New(sqlerr.TooManyColumns, "cannot use more than %d columns in a z-order index", maxDimensions).
		At(int(pos))
}

// keyCurve are the dimensions of a primary key in Z-order, nil for one by columns. USING says the same as the option
// key_order, which a dump keeps.
func (t *NewTable) keyCurve(s *ast.CreateTable) ([]catalog.Dimension, error) {
	switch s.KeyMethod {
	case "": // as the option says
	case string(catalog.ZOrder), string(catalog.BTree):
		t.keys.zorder = s.KeyMethod == string(catalog.ZOrder)
		t.Options = maps.Clone(t.Options) // which may be those of the table as others see it
		delete(t.Options, orderOption)
		if t.keys.zorder {
			t.Options[orderOption] = string(catalog.ZOrder)
		}
	default:
		return nil, sqlerr.New(sqlerr.UndefinedObject, "access method %q does not exist", s.KeyMethod).
			WithHint("A primary key is stored by btree or by zorder.").At(int(s.PrimaryPos))
	}
	if !t.keys.zorder {
		return nil, nil
	}
	dims, err := dimensionsOf(t.Table, s.PrimaryKey, s.PrimaryPos)
	if slices.ContainsFunc(dims, func(d catalog.Dimension) bool {
		return axis.Is(d.Column) && t.Columns[t.Ordinal(axis.Column(d.Column))].Type.OID == types.OIDPoint
	}) {
		return nil, sqlerr.Unsupported("a primary key with a column of type point").At(int(s.PrimaryPos)).
			WithDetail("Values of this type have no equality.").WithHint("Use the type geometry(Point).")
	}
	return dims, err
}

// LearnKey decides how a primary key in Z-order spreads the values of its columns: by what is known of the rows and by
// the bounds that conditions of the table declare.
func (b Builder) LearnKey(t *catalog.Table, of curve.Rows) error {
	if t.Primary.Curve() == nil {
		return nil
	}
	checks, err := b.Stored().Known(t)
	if err == nil {
		of.Declared = declared.BoundsOf(t, checks)
		curve.Learn(t, &t.Primary, of)
	}
	return err
}

// plainParts are the columns of a key by Z-order, which keyParts takes without what is said of dimensions.
func plainParts(keys []ast.KeyPart, curve []catalog.Dimension) []ast.KeyPart {
	if curve == nil {
		return keys
	}
	out := make([]ast.KeyPart, len(keys))
	for i, k := range keys {
		out[i] = ast.KeyPart{Column: k.Column, Pos: k.Pos}
	}
	return out
}

// maxDimensions is how many dimensions a Z-order index may have. Beyond eight, hardly a
// query bounds enough of them.
const maxDimensions = 8

// dimension reads zorder_ops (bits = n, bytes = n, map = 'raw' | 'range' | 'quantile', form = 'NFC').
// Without a map the index takes one when it is built; a text of so many bytes is cut to them.
func dimension(c part.Source, k ast.KeyPart) (catalog.Dimension, error) {
	d := catalog.Dimension{Column: c.ID}
	if !part.CanBeDimension(c.Type) {
		return d, noOrder(c.Type, catalog.ZOrder)
	}
	if k.OpClass != "" && k.OpClass != "zorder_ops" {
		return d, sqlerr.New(sqlerr.UndefinedObject, "operator class %q does not exist for access method \"zorder\"",
			k.OpClass).At(int(k.Pos))
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
		return d, sqlerr.New(sqlerr.InvalidParameterValue, "column %q cannot have %d bits with map %q",
			c.Name, d.Bits, d.Map).
			WithDetail("A map knows the first %d bits of a value.", catalog.MapBits).At(int(k.Pos))
	}
	return d, nil
}

// maxTextBytes is how many bytes a text may have as a dimension.
const maxTextBytes = 128

func dimensionOption(d *catalog.Dimension, c part.Source, o ast.Option) error {
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
	case "form":
		form, ok := normal.Parse(o.Value)
		if !ok {
			return bad("invalid value for \"form\" of column %q: %q", c.Name, o.Value)
		}
		if c.Type.Kind() != types.KindText && c.Type.Kind() != types.KindBpchar {
			return bad("column %q of type %s has no normal form", c.Name, c.Type)
		}
		d.Form = form.String()
	default:
		return bad("unrecognized parameter %q", o.Name)
	}
	return nil
}
