package main

import (
	"encoding/json"
	"testing"
)

// TestPlans judges a plan in which some nodes did not need all of their rows.
func TestPlans(t *testing.T) {
	const text = `{"Node Type": "Limit", "Plan Rows": 10, "Actual Rows": 10, "Actual Loops": 1, "Plans": [
		{"Node Type": "Nested Loop", "Join Type": "Inner", "Plan Rows": 1000, "Actual Rows": 10, "Actual Loops": 1, "Plans": [
			{"Node Type": "Aggregate", "Strategy": "Hashed", "Plan Rows": 5, "Actual Rows": 10, "Actual Loops": 1, "Plans": [
				{"Node Type": "Hash Join", "Join Type": "Inner", "Plan Rows": 100, "Actual Rows": 0, "Actual Loops": 1, "Plans": [
					{"Node Type": "Seq Scan", "Plan Rows": 7000, "Actual Rows": 1, "Actual Loops": 1},
					{"Node Type": "Hash", "Plan Rows": 3, "Actual Rows": 0, "Actual Loops": 1, "Plans": [
						{"Node Type": "Seq Scan", "Plan Rows": 3, "Actual Rows": 0, "Actual Loops": 1}]}]}]},
			{"Node Type": "Index Scan", "Plan Rows": 1, "Actual Rows": 1, "Actual Loops": 10}]}]}`
	var n planNode
	if err := json.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	want := []estimate{{"Limit", 10, 10}, {"Hash Join", 100, 0}, {"Seq Scan", 3, 0}}
	got := n.estimates()
	if len(got) != len(want) {
		t.Fatalf("judged %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("judged %v, want %v", got[i], want[i])
		}
	}
	for i, q := range []float64{1, 100, 3} {
		if got[i].qError() != q {
			t.Errorf("%v is off by %g, want %g", got[i], got[i].qError(), q)
		}
	}
	if n.flown() != 10 {
		t.Errorf("%g rows have flown out of joins, want 10", n.flown())
	}
}
