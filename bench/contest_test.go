package main

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestParsePgbench(t *testing.T) {
	got, err := parsePgbench("number of transactions actually processed: 518\nnumber of failed transactions: 444 (46.154%)\n" +
		"tps = 180.107007 (without initial connection time)\n")
	if want := (turnout{committed: 518, failed: 444, perSecond: 180.107007}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := parsePgbench("tps = 180.1"); err == nil {
		t.Error("a text without the number of transactions is taken")
	}
}

func TestParseTPCC(t *testing.T) {
	text := "maxprocs: Leaving GOMAXPROCS=2\nFinished\n" +
		`[{"Avg(ms)":"27.3","Count":"31","Operation":"DELIVERY","TPM":"388.9"},{"Avg(ms)":"19.7","Count":"6",` +
		`"Operation":"DELIVERY_ERR","TPM":"75.3"},{"Avg(ms)":"47.7","Count":"226","Operation":"NEW_ORDER","TPM":"2789.2"}]` +
		"\n" + `[{"efficiency":"21688.1%","tpmC":"2789.1","tpmTotal":"5514.9"}]` + "\n"
	counts := tpccCounts{}
	for _, counted := range []bool{false, true} {
		got, err := parseTPCC(text, counts, counted)
		if want := (turnout{committed: 257, failed: 6, perSecond: 2789.1}); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	rows := table{}
	counts.addTo(&rows, "zproxy", 4)
	want := [][]string{{"zproxy", "4", "delivery", "6 of 37 (16.2 %)", "27.3"},
		{"zproxy", "4", "new order", "0 of 226 (0.0 %)", "47.7"}}
	if !reflect.DeepEqual(rows.rows, want) {
		t.Errorf("%q", rows.rows)
	}
	if _, err := parseTPCC("Finished\n", counts, true); err == nil {
		t.Error("a text without tpmC is taken")
	}
}

func TestVerdict(t *testing.T) {
	conditions := tpccCondition.FindAllString("begin to check warehouse 1 at condition 3.3.2.10\n"+
		"begin to check warehouse 1 at condition 3.3.2.3\nGot signal [terminated] to exit.\n", -1)
	want := "all 2 conditions of the check of consistency hold, which took 1.5 s."
	if got := verdict(conditions, false, 1500*time.Millisecond); got != want {
		t.Error(got)
	}
	want = "of the check of consistency, condition 3.3.2.3 did not end within 1m0s; before it 3.3.2.10 were found to hold."
	if got := verdict(conditions, true, time.Minute); got != want {
		t.Error(got)
	}
}

// TestTransact counts what is committed and what is refused, and ends with another error, or when there is no more.
func TestTransact(t *testing.T) {
	answers := []error{nil, &pgconn.PgError{Code: "40001"}, &pgconn.PgError{Code: "40P01"}, nil}
	at := 0
	run := func(context.Context, int) (bool, error) {
		if at++; at > len(answers) {
			return false, nil
		}
		return answers[at-1] == nil, answers[at-1]
	}
	got, err := transact(t.Context(), 1, time.Minute, run)
	if err != nil || got.committed != 2 || got.failed != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := transact(t.Context(), 1, time.Minute, func(context.Context, int) (bool, error) {
		return true, broken
	}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestContest(t *testing.T) {
	b := &bench{rounds: 2, sides: [2]*side{{name: "a"}, {name: "b"}}}
	l, err := b.contest("both", func(side, round int) (turnout, error) {
		return turnout{committed: 10, failed: side * 10, perSecond: float64(100*side + round)}, nil
	})
	want := line{"both", [2]samples{{0, 1}, {100, 101}}, "a 0 of 20 (0.0 %), b 20 of 40 (50.0 %)"}
	if err != nil || !reflect.DeepEqual(l, want) {
		t.Errorf("%+v, %v", l, err)
	}
}
