package catalogstore

import (
	"encoding/json"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/extended"
	"zproxy/store"
	"zproxy/types"
	"zproxy/types/interval"
)

// storedStats is the form of statistics in the store: values as texts of their types.
type storedStats struct {
	Rows     float64
	Analyzed time.Time `json:",omitzero"`
	Renewed  time.Time `json:",omitzero"`
	Columns  map[uint32]storedColumn
	Held     map[uint32]float64        `json:",omitempty"`
	Groups   []extended.Group          `json:",omitempty"`
	Extended map[uint32]storedExtended `json:",omitempty"` // by statistics object
}

type storedColumn struct {
	Min, Max    *string
	Distinct    float64
	Nulls       float64
	Width       float64         `json:",omitempty"`
	Common      []string        `json:",omitempty"`
	Shares      []float64       `json:",omitempty"` // of Common
	Histogram   []string        `json:",omitempty"`
	Correlation float64         `json:",omitempty"`
	Grown       float64         `json:",omitempty"`
	Elements    *storedElements `json:",omitempty"`
}

// mostStatsBytes is how large the statistics of a table may be: well below the 400 KB of an item
// that DynamoDB takes.
const mostStatsBytes = 256 << 10

func putStats(txn store.Txn, t *catalog.Table) error {
	body, err := encodeStats(t)
	if err != nil {
		return err
	}
	return put(txn, kindStats, uint64(t.ID), body)
}

func encodeStats(t *catalog.Table) (string, error) {
	out := storedStats{Rows: t.Stats.Rows, Analyzed: t.Stats.Analyzed, Renewed: t.Stats.Renewed,
		Columns: map[uint32]storedColumn{}, Held: t.Stats.Held, Groups: t.Stats.Groups}
	for id, c := range t.Stats.Columns {
		if of, ok := typeOf(&t.Stats, t, id); ok {
			out.Columns[id] = encodeColumn(c, of)
		}
	}
	out.Extended = encodeExtended(t)
	for {
		body, err := json.Marshal(out)
		if err != nil {
			return "", fmt.Errorf("catalog: %w", err)
		}
		if len(body) <= mostStatsBytes || !out.thin() {
			return string(body), nil
		}
	}
}

// thin leaves out about half of what is known of values, the most common ones last. It says
// whether there was anything.
func (s *storedStats) thin() bool {
	some := false
	for id, c := range s.Columns {
		some = some || len(c.Common) > 0 || len(c.Histogram) > 0
		c.Common, c.Shares = c.Common[:len(c.Common)/2], c.Shares[:len(c.Shares)/2]
		c.Histogram = everySecond(c.Histogram)
		some = c.Elements.thin() || some
		s.Columns[id] = c
	}
	for id, x := range s.Extended {
		some = some || len(x.Common) > 0
		x.Common = x.Common[:len(x.Common)/2]
		s.Extended[id] = x
	}
	return some
}

// everySecond keeps the first and the last of some bounds, and nothing of two.
func everySecond(bounds []string) []string {
	if len(bounds) <= 2 {
		return nil
	}
	var out []string
	pieces := (len(bounds) - 1) / 2
	for i := range pieces + 1 {
		out = append(out, bounds[i*(len(bounds)-1)/pieces])
	}
	return out
}

// typeOf is the type of a column, an axis of one, or an expression; false: there is none with the number.
func typeOf(s *catalog.Stats, t *catalog.Table, id uint32) (types.T, bool) {
	if e, ok := s.Expression(id); ok {
		return e.Type, true
	}
	if t.Ordinal(id) < 0 {
		return types.T{}, false
	}
	return t.Source(id).Type, true
}

func encodeColumn(c catalog.ColumnStats, t types.T) storedColumn {
	out := storedColumn{
		Min: textOf(c.Min, t), Max: textOf(c.Max, t), Distinct: c.Distinct, Nulls: c.Nulls, Width: c.Width,
		Correlation: c.Correlation, Grown: c.Grown,
	}
	for _, common := range c.Common {
		out.Common, out.Shares = append(out.Common, *textOf(common.Value, t)), append(out.Shares, common.Share)
	}
	for _, bound := range c.Histogram {
		out.Histogram = append(out.Histogram, *textOf(bound, t))
	}
	out.Elements = encodeElements(c.Elements, t)
	return out
}

func textOf(v types.Value, t types.T) *string {
	if v.IsNull() {
		return nil
	}
	s := string(types.AppendText(nil, t.Stored(v), t, &types.Env{IntervalStyle: interval.ISO8601, Keys: true}))
	return &s
}

// decodeStats reads statistics. A column whose values are not of its type is left out:
// nothing depends on what it had.
func decodeStats(t *catalog.Table, body string) (catalog.Stats, error) {
	var in storedStats
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return catalog.Stats{}, err
	}
	s := catalog.Stats{Known: true, Rows: in.Rows, Analyzed: in.Analyzed, Renewed: in.Renewed,
		Columns: map[uint32]catalog.ColumnStats{}, Held: in.Held, Groups: in.Groups}
	s.Extended = decodeExtended(t, in.Extended)
	for id, c := range in.Columns {
		of, ok := typeOf(&s, t, id)
		if !ok {
			continue
		}
		if known, err := decodeColumn(c, of); err == nil {
			s.Columns[id] = known
		}
	}
	return s, nil
}

func decodeColumn(in storedColumn, t types.T) (catalog.ColumnStats, error) {
	out := catalog.ColumnStats{Distinct: in.Distinct, Nulls: in.Nulls, Width: in.Width, Correlation: in.Correlation,
		Grown: in.Grown}
	if len(in.Common) != len(in.Shares) {
		return out, fmt.Errorf("%d shares of %d values", len(in.Shares), len(in.Common))
	}
	var err error
	if out.Min, err = valueOf(in.Min, t); err != nil {
		return out, err
	}
	if out.Max, err = valueOf(in.Max, t); err != nil {
		return out, err
	}
	for i := range in.Common {
		v, err := valueOf(&in.Common[i], t)
		if err != nil {
			return out, err
		}
		out.Common = append(out.Common, catalog.Common{Value: v, Share: in.Shares[i]})
	}
	for i := range in.Histogram {
		v, err := valueOf(&in.Histogram[i], t)
		if err != nil {
			return out, err
		}
		out.Histogram = append(out.Histogram, v)
	}
	out.Elements, err = decodeElements(in.Elements, t)
	return out, err
}

func valueOf(s *string, t types.T) (types.Value, error) {
	if s == nil {
		return types.Null, nil
	}
	return types.ParseText(*s, t, &types.Env{Keys: true})
}
