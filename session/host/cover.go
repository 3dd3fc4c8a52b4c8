package host

import (
	"encoding/hex"

	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/parser/ast"
	"zproxy/planner/declared"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/types"
)

// ZOrder tells how Z-order indexes are read. It implements system.ZOrder.
type ZOrder struct{ *Call }

// Cover implements system.ZOrder.
func (c ZOrder) Cover(index uint32, predicate string, most int64) expr.Set {
	return func(yield func(types.Row, error) bool) {
		v, err := c.coverOf(index, predicate, most)
		if err != nil {
			yield(nil, err)
			return
		}
		for i, r := range v.ranges {
			if !yield(v.row(i, r), nil) {
				return
			}
		}
	}
}

// maxCover is how many ranges one may ask for.
const maxCover = 100_000

// cover is the ranges of a Z-order index that hold some rows.
type cover struct {
	codec  *keys.Codec
	types  []types.T         // of the dimensions
	domain []declared.Bounds // that their values are declared to have, or have by their types
	ranges []zorder.Range
	shards float64 // that each range is read in, with its share of the rows
	env    *types.Env
}

// coverOf finds the boxes that a predicate makes, and covers them by ranges as the store would
// like them. Estimates tell of values, so who may not read the table may not ask.
func (c *Call) coverOf(index uint32, predicate string, most int64) (cover, error) {
	if most < 1 || most > maxCover {
		return cover{}, sqlerr.New(sqlerr.InvalidParameterValue, "max_ranges must be between 1 and %d", maxCover)
	}
	if _, err := c.Txn.Store(c.Ctx, false); err != nil { // the table is wanted as the transaction sees it
		return cover{}, err
	}
	snap := c.schema()
	x, err := zorderIndex(snap, index)
	if err != nil {
		return cover{}, err
	}
	read := privilege.Wanted{Privileges: catalog.MaySelect}
	if err := statement.Grants(snap, c.Role(), x.Table.ID, &read); err != nil {
		return cover{}, err
	}
	box, z, err := c.boxAccess(snap, x, predicate)
	if err != nil {
		return cover{}, err
	}
	codec, err := keys.NewCodec(x.Table, &x.Index.Layout)
	if err != nil {
		return cover{}, err
	}
	boxes, some, err := spans.Boxes(box, codec, c.Values(c.Ctx))
	if err != nil {
		return cover{}, err
	}
	out := cover{codec: codec, env: c.Env}
	checks, err := c.Statement().Planner(c.schema()).Stored().Known(x.Table)
	if err != nil {
		return cover{}, err
	}
	bounds := declared.BoundsOf(x.Table, checks)
	for _, d := range x.Index.Layout.Curve() {
		t, domain := x.Table.Source(d.Column).Type, bounds[d.Column]
		low, high := types.Ends(t)
		if domain.Low.IsNull() {
			domain.Low = low
		}
		if domain.High.IsNull() {
			domain.High = high
		}
		out.types, out.domain = append(out.types, t), append(out.domain, domain)
	}
	if some {
		o := keys.CoverOptions(x.Table, x.Index, c.Node.Store.Capabilities(), z.N, z.V)
		o.Most = int(most)
		out.ranges, out.shards = boxes.Cover(o), float64(boxes.Shards())
	}
	return out, nil
}

// zorderIndex is the Z-order index with a number.
func zorderIndex(snap *catalog.Snapshot, number uint32) (catalog.TableIndex, error) {
	switch r := snap.Numbered(number).(type) {
	case nil:
		return catalog.TableIndex{}, sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", number)
	case catalog.TableIndex:
		if r.Index != nil && r.Index.Method == catalog.ZOrder {
			return r, nil
		}
		return r, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not a Z-order index", r.Ref().Name)
	default:
		return catalog.TableIndex{}, sqlerr.New(sqlerr.WrongObjectType, "\"%s\" is not an index", r.Ref().Name)
	}
}

// boxAccess is how the rows of a table for which a predicate is true are read by a Z-order index, with the
// estimate of that.
func (c *Call) boxAccess(snap *catalog.Snapshot, x catalog.TableIndex, predicate string) (plan.Box,
	*plan.ZEstimate, error) {
	cond, err := c.parsePredicate(predicate)
	if err != nil {
		return plan.Box{}, nil, err
	}
	p := c.Statement().Planner(snap)
	p.NoParams = true
	n, err := p.Matching(x.Table, cond, plan.Hint{Indexes: []string{x.Index.Name}})
	if err == nil {
		n, err = optimizer.Optimize(n, c.Optimizer())
	}
	if err != nil {
		return plan.Box{}, nil, err
	}
	for n != nil {
		if scan, ok := n.(plan.Scan); ok {
			if a := scan.Access; a != nil {
				if box, ok := a.Path.(plan.Box); ok && box.Index.ID == x.Index.ID {
					return box, a.Estimate.ZOrder, nil
				}
			}
			break
		}
		in := n.Inputs()
		if n = nil; len(in) == 1 {
			n = in[0]
		}
	}
	return plan.Box{}, nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
		"index \"%s\" cannot serve this predicate", x.Index.Name)
}

// parsePredicate reads a condition that is a text of its own.
func (c *Call) parsePredicate(text string) (ast.Expr, error) {
	list, err := c.Parse("SELECT (" + text + "\n)")
	if err != nil {
		e := sqlerr.From(err)
		return nil, sqlerr.New(e.Code, "invalid predicate: %s", e.Message)
	}
	if len(list) == 1 {
		if q, ok := list[0].Statement.(*ast.Select); ok && len(q.Targets) == 1 {
			return q.Targets[0].Expr, nil
		}
	}
	return nil, sqlerr.New(sqlerr.SyntaxError, "invalid predicate: it is not one expression")
}

// row tells of one range, as system.CoverColumns say.
func (v *cover) row(i int, r zorder.Range) types.Row {
	low, high := v.codec.Corners(r.Lo, r.Hi)
	address := func(z []byte) types.Value { return types.NewText(hex.EncodeToString(z)) }
	return types.Row{
		types.NewInt(int64(i + 1)), address(r.Lo), address(r.Hi), types.NewBool(r.Inside),
		types.NewFloat(r.Rows * v.shards), v.texts(low), v.texts(high),
	}
}

// texts is an array of a corner's values as texts. Cells reach farther than the values that there can be.
func (v *cover) texts(corner types.Row) types.Value {
	items := make([]types.Value, len(corner))
	for i, value := range corner {
		if !value.IsNull() {
			items[i] = types.NewText(string(types.AppendText(nil, v.domain[i].Nearest(value), v.types[i], v.env)))
		}
	}
	return types.NewItems(types.OIDText, items)
}
