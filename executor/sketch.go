package executor

import (
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/zorder"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// sketchBounds is how many addresses a sketch has: enough that between two there are fewer entries
// than are worth a request of their own, in an index of a few million.
const sketchBounds = 4096

// Sketches are the sketches (catalog.Stats) of the Z-order indexes of the surveyed table, of its
// sampled rows. The indexes are those of t, which may have others than when it was read; those
// whose maps are not learned yet are left out.
func (s *Survey) Sketches(t plan.Indexed) (map[uint32][]uint64, error) {
	var out map[uint32][]uint64
	for _, x := range t.TableIndexes() {
		if x.Method() != catalog.ZOrder || !learned(x.Layout()) {
			continue
		}
		addresses, err := s.addresses(t, x)
		if err != nil {
			return nil, err
		}
		if len(addresses) < 2 {
			continue
		}
		if out == nil {
			out = map[uint32][]uint64{}
		}
		out[x.Number()] = zorder.Quantiles(addresses, min(len(addresses), sketchBounds)).Knots
	}
	return out, nil
}

// learned says whether the dimensions of a layout have their widths.
func learned(l *catalog.Layout) bool {
	return !slices.ContainsFunc(l.Curve(), func(d catalog.Dimension) bool { return d.Bits == 0 })
}

// addresses are the beginnings of the Z-addresses of the sampled rows that an index, or the table, holds.
func (s *Survey) addresses(t plan.Indexed, x catalog.TableIndex) ([]uint64, error) {
	codec, err := keys.NewCodec(t.Table, x.Layout())
	if err != nil {
		return nil, fmt.Errorf("sketch of index %q: %w", x.Ref().Name, err)
	}
	held := s.sample
	if x.Index != nil {
		held, err = s.held(t, x.Index)
	}
	var out []uint64
	for _, r := range held {
		if address, ok := codec.Address(r.row); ok {
			out = append(out, address)
		}
	}
	return out, err
}

// held are the sampled rows that an index holds.
func (s *Survey) held(t plan.Indexed, x *catalog.Index) ([]sampledRow, error) {
	holds, err := partial([]*layout{{index: x}}, t.Holds, &expr.Context{Env: &types.Env{}})
	if err != nil || holds == nil {
		return s.sample, err
	}
	var out []sampledRow
	for _, r := range s.sample {
		if held, err := holds[0](r.row); err == nil && held { // a sampled row may be cut, so that an error says nothing
			out = append(out, r)
		}
	}
	return out, nil
}

// Learn adds to the statistics what the survey tells of the indexes of t: Sketches and Held.
func (s *Survey) Learn(t plan.Indexed, stats *catalog.Stats) (err error) {
	if stats.Sketches, err = s.Sketches(t); err != nil {
		return err
	}
	stats.Held = map[uint32]float64{}
	for i := range t.Indexes {
		x := &t.Indexes[i]
		if !x.Partial() || len(s.sample) == 0 {
			continue
		}
		held, err := s.held(t, x)
		if err != nil {
			return err
		}
		stats.Held[x.ID] = float64(len(held)) / float64(len(s.sample))
	}
	return nil
}
