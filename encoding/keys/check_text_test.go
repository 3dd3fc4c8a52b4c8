package keys

import (
	"errors"
	"math"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/sqlerr"
	"zproxy/types"
)

// misfit is a value of one column of a text, and what is wrong with it.
type misfit struct {
	pieces []catalog.Part
	column uint32
	value  types.Value
	want   string
}

// misfits are values on both sides of where they begin to have no place in a text.
func misfits() []misfit {
	literal := func(text string) catalog.Part { return catalog.Part{Kind: part.Literal, Text: text} }
	text := func(pieces ...catalog.Part) []catalog.Part { return pieces }
	n, s, d, u, c := catalog.Part{Column: 1}, catalog.Part{Column: 2}, catalog.Part{Column: 3}, catalog.Part{Column: 5},
		catalog.Part{Column: 6}
	padded := func(width int) catalog.Part { return catalog.Part{Column: 1, Width: width} }
	year := func(column uint32) catalog.Part {
		return catalog.Part{Kind: part.Bucket, Column: column, Format: "YYYY"}
	}
	hash := catalog.Part{Kind: part.Prefix, Count: 2, Pieces: []catalog.Part{s}}
	number, word, day, moment := types.NewInt, types.NewText, types.NewDate, types.NewTimestamp
	const negative, digits, infinite, years = "it is negative", "it has more digits than its place", "it is infinite",
		"its year is not one of 1 to 9999"
	return []misfit{
		{text(padded(3)), 1, number(999), ""},
		{text(padded(3)), 1, number(1000), digits},
		{text(padded(3)), 1, number(0), ""},
		{text(padded(3)), 1, number(-1), negative},
		{text(padded(19)), 1, number(math.MaxInt64), ""},
		{text(padded(18)), 1, number(math.MaxInt64), digits},
		{text(n), 1, number(math.MinInt64), ""},
		{text(literal("x"), n), 1, number(-1), ""},
		{text(literal("x-"), n), 1, number(0), ""},
		{text(literal("x-"), n), 1, number(-1), negative},
		{text(literal("x-"), hash), 1, number(-1), ""},
		{text(s, literal("-")), 2, word("a-"), ""},
		{text(s, literal("-"), padded(3)), 2, word("a-"), ""},
		{text(s, literal("-x"), u), 2, word("a-"), `it contains "-", which ends it there`},
		{text(s, literal("-x"), u), 5, word("a-"), ""},
		{text(s, literal("-x"), u), 2, word("ax"), ""},
		{text(s, literal("-x"), u), 2, word(""), ""},
		{text(s, literal("-"), n, literal("/"), u), 2, word("-"), `it contains "-", which ends it there`},
		{text(s, literal("-"), n, literal("/"), c), 2, word("-"), `it contains "-", which ends it there`},
		{text(s, literal("-"), hash), 2, word("-"), ""},
		{text(s, literal("-"), hash, literal("-")), 2, word("-"), ""},
		{text(c, literal(" "), u), 6, types.NewBpchar("a  "), ""},
		{text(c, literal(" "), u), 6, types.NewBpchar("a b"), `it contains " ", which ends it there`},
		{text(d), 3, day(math.MaxInt32), ""},
		{text(year(3)), 3, day(math.MaxInt32), infinite},
		{text(year(3)), 3, day(math.MinInt32), infinite},
		{text(year(3)), 3, day(endDays), years},
		{text(year(3)), 3, day(2_921_939), ""},    // 9999-12-31
		{text(year(3)), 3, day(2_921_940), years}, // 10000-01-01
		{text(year(3)), 3, day(-730_119), ""},     // 0001-01-01
		{text(year(3)), 3, day(-730_120), years},  // 0001-12-31 BC
		{text(year(4)), 4, moment(math.MaxInt64), infinite},
		{text(year(4)), 4, moment(math.MinInt64), infinite},
		{text(year(4)), 4, moment(2_921_940*microsPerDay - 1), ""},
		{text(year(4)), 4, moment(2_921_940 * microsPerDay), years},
		{text(year(4)), 4, moment(-730_119 * microsPerDay), ""},
		{text(year(4)), 4, moment(-730_119*microsPerDay - 1), years},
		{text(year(4)), 4, types.Null, ""},
		{text(padded(3), literal("-"), s), 1, types.Null, ""},
	}
}

// TestCheckValues tells values that have no place in a text from those that have.
func TestCheckValues(t *testing.T) {
	for _, q := range misfits() {
		tab := table(types.Int8, types.Text, types.Date, types.Timestamp, types.Text, types.Bpchar)
		codec, err := NewCodec(tab, &catalog.Layout{Partition: []catalog.Part{{Column: 1},
			{Kind: part.Text, Pieces: q.pieces}}, Unique: true})
		if err != nil {
			t.Fatal(err)
		}
		row := types.Row{types.NewInt(7), types.NewText("b"), types.NewDate(0), types.NewTimestamp(0),
			types.NewText("c"), types.NewBpchar("d")}
		row[q.column-1] = q.value
		err = codec.CheckValues(row, "i")
		name := tab.Columns[q.column-1].Name
		want := ""
		if q.want != "" {
			want = `value of column "` + name + `" cannot stand in the key of "i": ` + q.want
		}
		var e *sqlerr.Error
		switch {
		case err == nil && want == "":
		case !errors.As(err, &e) || e.Message != want || e.Column != name || e.Code != sqlerr.InvalidParameterValue:
			t.Errorf("%s of %s: %v, want %q", types.FormatText(q.value, tab.Columns[q.column-1].Type, &types.Env{}),
				codec.table.Describe(codec.layout), err, want)
		}
	}
}
