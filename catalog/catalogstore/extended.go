package catalogstore

import (
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/types"
)

// storedExtended is the form of what was found for a statistics object.
type storedExtended struct {
	extended.Data
	Common []storedCombination `json:",omitempty"`
}

type storedCombination struct {
	Values      []*string
	Share, Base float64
}

func encodeExtended(t *catalog.Table) map[uint32]storedExtended {
	var out map[uint32]storedExtended
	for id, data := range t.Stats.Extended {
		of, ok := typesOf(t, &data)
		if !ok {
			continue
		}
		s := storedExtended{Data: data}
		for _, c := range data.Common {
			stored := storedCombination{Share: c.Share, Base: c.Base}
			for i, v := range c.Values {
				stored.Values = append(stored.Values, textOf(v, of[i]))
			}
			s.Common = append(s.Common, stored)
		}
		if out == nil {
			out = map[uint32]storedExtended{}
		}
		out[id] = s
	}
	return out
}

// decodeExtended reads what was found for statistics objects. Values that are not of the types of their columns are
// left out, as those of single columns are.
func decodeExtended(t *catalog.Table, in map[uint32]storedExtended) map[uint32]extended.Data {
	var out map[uint32]extended.Data
	for id, s := range in {
		of, ok := typesOf(t, &s.Data)
		if !ok {
			continue
		}
		data := s.Data
		for _, c := range s.Common {
			if values, err := valuesOf(c.Values, of); err == nil {
				data.Common = append(data.Common, extended.Combination{Values: values, Share: c.Share, Base: c.Base})
			}
		}
		if out == nil {
			out = map[uint32]extended.Data{}
		}
		out[id] = data
	}
	return out
}

// typesOf are the types of columns and expressions; false if one is not there.
func typesOf(t *catalog.Table, d *extended.Data) ([]types.T, bool) {
	var out []types.T
	for _, id := range d.Columns {
		if at := slices.IndexFunc(d.Expressions, func(e extended.Expression) bool { return e.ID == id }); at >= 0 {
			out = append(out, d.Expressions[at].Type)
			continue
		}
		at := t.Ordinal(id)
		if at < 0 {
			return nil, false
		}
		out = append(out, t.Columns[at].Type)
	}
	return out, true
}

func valuesOf(texts []*string, of []types.T) ([]types.Value, error) {
	if len(texts) != len(of) {
		return nil, fmt.Errorf("%d values of %d columns", len(texts), len(of))
	}
	out := make([]types.Value, len(texts))
	for i := range texts {
		var err error
		if out[i], err = valueOf(texts[i], of[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}
