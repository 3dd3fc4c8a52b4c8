package keys

import (
	"testing"

	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/types"
)

func TestFormatSpan(t *testing.T) {
	kinds := []types.T{types.Text, types.Int4}
	b, one, two := types.NewText(`b"`), types.NewInt(1), types.NewInt(2)
	for want, s := range map[string]span.Span{
		"all":                 {},
		`/"b\""`:              {Prefix: []types.Value{b}},
		"/NULL/1":             {Prefix: []types.Value{types.Null, one}},
		`/"b\""/1 - /"b\""/2`: {Prefix: []types.Value{b}, Last: &span.Interval{Low: one, High: two}},
		`/ - /"b\""`:          {Last: &span.Interval{High: b}},
		`/NULL/ - /NULL/`:     {Prefix: []types.Value{types.Null}, Last: &span.Interval{}},
	} {
		if got := FormatSpan(s, kinds); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFormatSet(t *testing.T) {
	one, two := types.NewInt(1), types.NewInt(2)
	for want, s := range map[string]span.Set{
		"all":             span.Everything,
		"none":            {},
		"NULL":            span.OnlyNull,
		"= 1":             span.Points(one),
		"= 1 or = 2":      span.Points(two, one),
		"[1 - 2] or NULL": {Intervals: []span.Interval{{Low: one, High: two}}, Null: true},
		"(1 - )":          span.Of(span.Interval{Low: one, LowOpen: true}),
		"( - 2)":          span.Of(span.Interval{High: two, HighOpen: true}),
		"( - )":           span.NotNull,
	} {
		if got := FormatSet(s, types.Int4); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestFormatShowsWhatItCannotRead(t *testing.T) {
	key := append(ordered.Append(nil, types.NewInt(7), false), 0, 1)
	kinds, asc := []types.T{types.Int4, types.Int4}, []bool{false, false}
	if got, want := Format(key, kinds, asc), `/7/"\x00\x01"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := Format(key, kinds[:1], asc[:1]), `/7/"\x00\x01"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
