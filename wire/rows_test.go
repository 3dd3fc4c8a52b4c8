package wire

import (
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/planner/plan"
	"zproxy/session"
	"zproxy/types"
)

func testPortal() (*session.Portal, types.Row) {
	columns := []plan.Column{
		{Name: "a", Type: types.Int4, Table: 16384, Attribute: 1},
		{Name: "b", Type: types.Text, Table: 16384, Attribute: 2},
		{Name: "ä", Type: types.Float8},
		{Name: "n", Type: types.Bool},
	}
	row := types.Row{types.NewInt(-5), types.NewText("x"), types.NewFloat(1.5), types.Null}
	return &session.Portal{Columns: columns, Formats: []int16{0, 0, 1, 1}}, row
}

// TestMessagesOfRows reads what is written by hand with pgproto3.
func TestMessagesOfRows(t *testing.T) {
	p, row := testPortal()
	var data pgproto3.DataRow
	if err := data.Decode(appendDataRow(nil, row, p, nil)[5:]); err != nil {
		t.Fatal(err)
	}
	_, got := formatMessage(t, &data)
	if want := `DataRow [{"text":"-5"},{"text":"x"},{"binary":"3ff8000000000000"},null]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var columns pgproto3.RowDescription
	if err := columns.Decode(appendRowDescription(nil, p.Columns, p.Formats)[5:]); err != nil {
		t.Fatal(err)
	}
	again, err := columns.Encode(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := appendRowDescription(nil, p.Columns, p.Formats); string(got) != string(again) {
		t.Errorf("got  %q\nwant %q", got, again)
	}
}

func TestRowsDoNotAllocate(t *testing.T) {
	p, row := testPortal()
	buf := make([]byte, 0, 1024)
	allocs := testing.AllocsPerRun(100, func() { buf = appendDataRow(buf[:0], row, p, nil) })
	if allocs != 0 {
		t.Errorf("%v allocations for a row", allocs)
	}
}
