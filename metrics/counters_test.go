package metrics

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func call(id uint64, text string) *Call {
	return &Call{ID: id, User: "joe", Text: text, Normalize: strings.ToUpper, Now: time.Unix(int64(id), 0)}
}

func TestStatementTimes(t *testing.T) {
	s := NewStatements(10)
	var at *Entry
	durations := []time.Duration{4e6, 2e6, 9e6, 1e6}
	for _, d := range durations {
		at = s.Add(at, call(1, "a"), &Run{Duration: d, Usage: Usage{RowsRead: 2}})
	}
	st := s.Read()[0]
	// The oracle is the definition of the deviation.
	mean, squares := 0.0, 0.0
	for _, d := range durations {
		mean += float64(d) / float64(len(durations))
	}
	for _, d := range durations {
		squares += (float64(d) - mean) * (float64(d) - mean)
	}
	want := math.Sqrt(squares / float64(len(durations)))
	if math.Abs(float64(st.Deviation())-want) > 2 || float64(st.Mean()) != mean {
		t.Errorf("mean %v and deviation %v, want %v and %v", st.Mean(), st.Deviation(), mean, want)
	}
	if st.Text != "A" || st.Calls != 4 || st.Total != 16e6 || st.Min != 1e6 || st.Max != 9e6 ||
		st.Usage[RowsRead] != 8 {
		t.Errorf("%+v", st)
	}
}

// TestMakeRoom adds more texts than there is room for. Those used more stay.
func TestMakeRoom(t *testing.T) {
	const most = 100
	s := NewStatements(most)
	entries := map[uint64]*Entry{}
	add := func(id uint64) { entries[id] = s.Add(entries[id], call(id, fmt.Sprint(id)), &Run{}) }
	for id := range uint64(10) {
		for range 20 {
			add(id)
		}
	}
	for id := uint64(10); id < 1000; id++ {
		add(id)
	}
	list := s.Read()
	if len(list) > most || int(s.Dropped())+len(list) != 1000 {
		t.Errorf("%d texts of 1000 are there, and %d made room", len(list), s.Dropped())
	}
	there := map[uint64]int64{}
	for _, st := range list {
		there[st.ID] = st.Calls
	}
	for id := range uint64(10) {
		if there[id] != 20 {
			t.Errorf("a text with 20 calls has %d", there[id])
		}
	}
	if there[999] != 1 || there[11] != 0 {
		t.Errorf("the last text has %d calls, one of the first %d", there[999], there[11])
	}
	s.Reset()
	add(999) // its entry is gone
	if list := s.Read(); len(list) != 1 || list[0].Calls != 1 || s.Dropped() != 0 {
		t.Errorf("after a reset there is %+v", list)
	}
}

func TestLongTextsAreCut(t *testing.T) {
	s := NewStatements(1)
	s.Add(nil, call(1, strings.Repeat("é", mostText)), &Run{})
	if text := s.Read()[0].Text; len(text) > mostText || len(text) < mostText-1 || !utf8.ValidString(text) {
		t.Errorf("a text of %d bytes is left", len(text))
	}
}

func TestTotals(t *testing.T) {
	var totals Totals
	totals.Add(&Run{Kind: Select, Duration: 100 * time.Microsecond, Usage: Usage{Ranges: 2}})
	totals.Add(&Run{Kind: Select, Duration: 101 * time.Microsecond, State: "40001"})
	totals.Add(&Run{Kind: Insert, Duration: time.Hour})
	sum := totals.Read()
	for result, want := range map[Result]int64{{Select, "ok"}: 1, {Select, "40"}: 1, {Insert, "ok"}: 1,
		{Update, "ok"}: 0} {
		if got := sum.Statements[result]; got != want {
			t.Errorf("%v is counted %d times, want %d", result, got, want)
		}
	}
	selects, inserts := sum.Latency[Select], sum.Latency[Insert]
	if selects.Counts[0] != 1 || selects.Counts[1] != 1 || selects.Count() != 2 || selects.Sum != 201*time.Microsecond {
		t.Errorf("the latencies of SELECT are %+v", selects)
	}
	if inserts.Counts[len(latencyBounds)] != 1 || len(sum.Latency) != 2 || sum.Usage != (Usage{Ranges: 2}) {
		t.Errorf("the totals are %+v", sum)
	}
}
