package array

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// enums are the functions about the labels of an enum, which is that of their arguments.
var enums = []*expr.Function{
	{Name: "enum_first", Args: pg.Sig{pg.AnyEnum}, Result: pg.AnyEnum, NotStrict: true, Volatility: expr.Stable, Doc: "First label of an enum.", Typed: enumEnd(true)},
	{Name: "enum_last", Args: pg.Sig{pg.AnyEnum}, Result: pg.AnyEnum, NotStrict: true, Volatility: expr.Stable, Doc: "Last label of an enum.", Typed: enumEnd(false)},
	{Name: "enum_range", Args: pg.Sig{pg.AnyEnum}, Result: pg.AnyArray, NotStrict: true, Volatility: expr.Stable, Doc: "All labels of an enum, in order.", Typed: enumRange},
	{Name: "enum_range", Args: pg.Sig{pg.AnyEnum, pg.AnyEnum}, Result: pg.AnyArray, NotStrict: true, Volatility: expr.Stable, Doc: "Labels of an enum from one to another, either of which may be NULL.", Typed: enumRange},
}

func labelsOf(t types.T) ([]types.Value, error) {
	if t.Def == nil || t.Def.Labels == nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "could not determine actual enum type")
	}
	return t.Def.Labels.InOrder, nil
}

func enumEnd(first bool) func(*expr.Context, []types.T, []types.Value) (types.Value, error) {
	return func(_ *expr.Context, of []types.T, _ []types.Value) (types.Value, error) {
		labels, err := labelsOf(of[0])
		switch {
		case err != nil:
			return types.Null, err
		case len(labels) == 0:
			return types.Null, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "enum %s contains no values", of[0])
		case first:
			return labels[0], nil
		}
		return labels[len(labels)-1], nil
	}
}

func enumRange(_ *expr.Context, of []types.T, args []types.Value) (types.Value, error) {
	labels, err := labelsOf(of[0])
	if err != nil {
		return types.Null, err
	}
	var out []types.Value
	for _, v := range labels {
		if len(args) == 2 && (!args[0].IsNull() && types.Compare(v, args[0]) < 0 ||
			!args[1].IsNull() && types.Compare(v, args[1]) > 0) {
			continue
		}
		out = append(out, v)
	}
	return types.NewItems(of[0].OID, out), nil
}
