package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
	"zproxy/types"
)

// bounds makes the values in FOR VALUES of a partition of a table.
type bounds struct {
	Builder
	parent *catalog.Table
	eval   *expr.Context
}

// PartitionOf is what the partition of a name takes, whose values are computed.
func (b Builder) PartitionOf(parent *catalog.Table, name string, tree *ast.PartitionOf, c *expr.Context) (
	partition.Of, error) {
	by := parent.Partitioning
	if by == nil {
		return partition.Of{}, sqlerr.New(sqlerr.InvalidObjectDefinition, "%q is not partitioned", parent.Name)
	}
	bad := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidTableDefinition, format, args...).At(int(tree.Pos))
	}
	out := partition.Of{Parent: parent.ID, By: *by, Default: tree.Default}
	in := bounds{b, parent, c}
	switch {
	case tree.Default && by.Strategy == partition.Hash:
		return out, sqlerr.New(sqlerr.InvalidTableDefinition,
			"a hash-partitioned table may not have a default partition")
	case tree.Default:
		return out, nil
	case tree.Strategy != string(by.Strategy):
		return out, bad("invalid bound specification for a %s partition", string(by.Strategy))
	case by.Strategy == partition.Hash:
		out.Modulus, out.Remainder = tree.Modulus, tree.Remainder
		switch {
		case out.Modulus <= 0:
			return out, sqlerr.New(sqlerr.InvalidTableDefinition,
				"modulus for hash partition must be an integer value greater than zero")
		case out.Remainder < 0:
			return out, sqlerr.New(sqlerr.InvalidTableDefinition,
				"remainder for hash partition must be an integer value greater than or equal to zero")
		case out.Remainder >= out.Modulus:
			return out, sqlerr.New(sqlerr.InvalidTableDefinition,
				"remainder for hash partition must be less than modulus")
		}
		return out, nil
	case by.Strategy == partition.List:
		for _, e := range tree.In {
			v, err := in.value(0, e)
			if err != nil {
				return out, err
			}
			if !partition.Lists(out.In, v) {
				out.In = append(out.In, v)
			}
		}
		return out, nil
	}
	return out, in.rangeOf(name, &out, tree)
}

// rangeOf is the range of a partition.
func (b bounds) rangeOf(name string, out *partition.Of, tree *ast.PartitionOf) (err error) {
	if out.From, err = b.end("FROM", tree.From); err != nil {
		return err
	}
	if out.To, err = b.end("TO", tree.To); err != nil {
		return err
	}
	if partition.CompareEnds(out.From, out.To) < 0 {
		return nil
	}
	return sqlerr.New(sqlerr.InvalidObjectDefinition, "empty range bound specified for partition %q", name).
		WithDetail("Specified lower bound %s is greater than or equal to upper bound %s.", out.By.EndText(out.From),
			out.By.EndText(out.To)).At(int(tree.From[0].Pos))
}

// end is one end of the range of a partition.
func (b bounds) end(what string, list []ast.Edge) ([]partition.Edge, error) {
	if len(list) != len(b.parent.Partitioning.Keys) {
		return nil, sqlerr.New(sqlerr.InvalidTableDefinition,
			"%s must specify exactly one value per partitioning column", what)
	}
	var out []partition.Edge
	for i, tree := range list {
		edge := partition.Edge{Infinity: tree.Infinity}
		if i > 0 && out[i-1].Infinity != 0 && edge.Infinity != out[i-1].Infinity {
			word := map[int8]string{-1: "MINVALUE", 1: "MAXVALUE"}[out[i-1].Infinity]
			return nil, sqlerr.New(sqlerr.DatatypeMismatch, "every bound following %s must also be %s", word, word).
				At(int(tree.Pos))
		}
		if edge.Infinity == 0 {
			v, err := b.value(i, tree)
			if err == nil && v.IsNull() {
				err = sqlerr.New(sqlerr.InvalidObjectDefinition, "cannot specify NULL in range bound")
			}
			if err != nil {
				return nil, err
			}
			edge.Value = v
		}
		out = append(out, edge)
	}
	return out, nil
}

// value is a value in FOR VALUES, for one of the keys.
func (b bounds) value(key int, tree ast.Edge) (types.Value, error) {
	if err := constantBound(tree); err != nil {
		return types.Null, err
	}
	e, err := b.Over(bind.NewScope(), nil, "partition bound").Expr(tree.Value)
	if err != nil {
		return types.Null, err
	}
	k := b.parent.Partitioning.Keys[key]
	e, ok, err := b.Coerce(e, k.Type, types.Assignment, tree.Pos)
	if err == nil && !ok {
		name := "?column?"
		if k.Column != 0 {
			name = b.parent.Columns[b.parent.Ordinal(k.Column)].Name
		}
		err = sqlerr.New(sqlerr.DatatypeMismatch, "specified value cannot be cast to type %s for column %q",
			k.Type.Bare(), name).At(int(tree.Pos))
	}
	if err != nil {
		return types.Null, err
	}
	return e.Eval(b.eval, nil)
}

// constantBound refuses what FOR VALUES cannot have as a value.
func constantBound(tree ast.Edge) error {
	if e, ok := tree.Value.(*ast.Column); ok {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot use column reference in partition bound expression").
			At(int(e.Pos))
	}
	return nil
}

// Disjoint refuses a partition that would have rows of another one.
func (b Builder) Disjoint(of *partition.Of, name string, tree *ast.PartitionOf) error {
	all := b.Catalog.Partitions(of.Parent)
	if of.By.Strategy == partition.Hash {
		if err := factors(of, all); err != nil {
			return err
		}
	}
	for _, p := range all {
		switch {
		case !of.Overlaps(p.PartitionOf):
		case of.Default:
			return sqlerr.New(sqlerr.InvalidObjectDefinition,
				"partition %q conflicts with existing default partition %q", name, p.Name).At(int(tree.Pos))
		default:
			return sqlerr.New(sqlerr.InvalidObjectDefinition, "partition %q would overlap partition %q", name, p.Name).
				At(int(overlapPos(of, p.PartitionOf, tree)))
		}
	}
	return nil
}

// overlapPos is where a statement says what another partition has.
func overlapPos(of, other *partition.Of, tree *ast.PartitionOf) ast.Pos {
	switch of.By.Strategy {
	case partition.Hash:
		return tree.Pos
	case partition.List:
		at := slices.IndexFunc(of.In, func(v types.Value) bool { return partition.Lists(other.In, v) })
		if len(of.In) == len(tree.In) {
			return tree.In[at].Pos
		}
		return tree.Pos
	}
	return tree.From[0].Pos
}

// factors wants each modulus of hash partitions to be a factor of the next larger one.
func factors(of *partition.Of, all []*catalog.Table) error {
	var below, above *catalog.Table // those with the next smaller or equal and the next larger modulus
	for _, p := range all {
		if m := p.PartitionOf.Modulus; m <= of.Modulus {
			below = p
		} else if above == nil {
			above = p
		}
	}
	refused := sqlerr.New(sqlerr.InvalidObjectDefinition,
		"every hash partition modulus must be a factor of the next larger modulus")
	switch {
	case below != nil && of.Modulus%below.PartitionOf.Modulus != 0:
		return refused.WithDetail("The new modulus %d is not divisible by %d, the modulus of existing partition %q.",
			of.Modulus, below.PartitionOf.Modulus, below.Name)
	case above != nil && above.PartitionOf.Modulus%of.Modulus != 0:
		return refused.WithDetail("The new modulus %d is not a factor of %d, the modulus of existing partition %q.",
			of.Modulus, above.PartitionOf.Modulus, above.Name)
	}
	return nil
}
