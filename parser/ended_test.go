package parser

import (
	"errors"
	"strings"
	"testing"
)

// TestParseUntil ends the reading of large texts each time that it asks, and wants it to ask often.
func TestParseUntil(t *testing.T) {
	end := errors.New("end")
	for name, sql := range map[string]string{
		"list":       "SELECT 1 WHERE 1 IN (" + strings.Repeat("1, ", 20_000) + "1)",
		"operators":  "SELECT 1 WHERE " + strings.Repeat("a = 1 OR ", 20_000) + "b",
		"rows":       "VALUES " + strings.Repeat("(1, 2), ", 10_000) + "(1, 2)",
		"statements": strings.Repeat("SHOW INDEX FROM t; ", 500),
		"refused":    "SELECT " + strings.Repeat("1, ", 20_000) + "FROM FROM",
	} {
		asked := 0
		_, _ = ParseUntil(sql, Until{Ended: func() error { asked++; return nil }})
		if want := map[string]int{"refused": 3, "statements": 100}[name]; asked < max(want, 10) && name != "refused" ||
			asked < want {
			t.Errorf("%s: asked %d times", name, asked)
		}
		for _, last := range []int{1, 2, asked / 2, asked} {
			n := 0
			_, err := ParseUntil(sql, Until{Ended: func() error {
				if n++; n == last {
					return end
				}
				return nil
			}})
			if err != end && n >= last || n > last { // a fast run asks less often
				t.Errorf("%s, ended at %d of %d: %v after %d", name, last, asked, err, n)
			}
		}
	}
}

// TestLeave ends a large statement that waits for its turn. It wants the statement to tell of the work that it
// leaves, and to be told of its end.
func TestLeave(t *testing.T) {
	end := errors.New("end")
	left, worked := 0, make(chan bool, 1)
	<-parseSlot
	_, err := ParseUntil("SELECT 1"+strings.Repeat(", 1", largeText), Until{Ended: endsAt(3, end), Left: func() func() {
		left++
		return func() { worked <- true }
	}})
	if err != end || left != 1 {
		t.Errorf("%v, left %d times", err, left)
	}
	<-worked // it ends without its turn
	parseSlot <- struct{}{}
}

// TestLeaveOnce ends statements in whatever work they are, and wants them to leave it once at most.
func TestLeaveOnce(t *testing.T) {
	end := errors.New("end")
	columns := "1" + strings.Repeat(", 1", 40_000)
	for name, sql := range map[string]string{
		"hints":   "SELECT /*+ a(b) */ " + columns,
		"lifted":  "REPLACE INTO t VALUES (" + columns + ")",
		"refused": "SELECT FROM FROM " + columns,
		"view":    "CREATE VIEW v AS SELECT " + columns,
	} {
		for _, last := range []int{2, 6, 12, 20} {
			asked, left := 0, 0
			ends := endsAt(last, end)
			_, err := ParseUntil(sql, Until{
				Ended: func() error { asked++; return ends() },
				Left:  func() func() { left++; return func() {} },
			})
			if asked > last || asked == last && err != end || left > 1 {
				t.Errorf("%s, ended at %d: %v, asked %d times, left %d", name, last, err, asked, left)
			}
		}
	}
}

// TestSmall reads small statements while a large one has the turn: they do not wait.
func TestSmall(t *testing.T) {
	<-parseSlot
	defer func() { parseSlot <- struct{}{} }()
	for _, sql := range []string{"SELECT 1", "SELECT 1" + strings.Repeat(", 1", maxDepth)} {
		if list, err := Parse(sql); err != nil || len(list) != 1 {
			t.Error(len(list), err)
		}
	}
}

// TestWait ends a large statement that waits for its turn.
func TestWait(t *testing.T) {
	end := errors.New("end")
	<-parseSlot
	defer func() { parseSlot <- struct{}{} }()
	if _, err := ParseUntil("SELECT 1"+strings.Repeat(", 1", largeText), Until{Ended: endsAt(3, end)}); err != end {
		t.Error(err)
	}
}

// endsAt ends a statement when it asks for the n-th time.
func endsAt(n int, end error) func() error {
	return func() error {
		if n--; n > 0 {
			return nil
		}
		return end
	}
}
