package analyze_test

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestMeasure wants the rows that the process has added to a table without statistics to be known soon.
func TestMeasure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "CREATE TABLE a (id int PRIMARY KEY, b int) WITH (autovacuum_enabled = off)")
		defer w.Node.Close()
		w.insert(1, 20)
		w.at(2*time.Second, -1, 0)
		if n := w.Table("a").RowCount(); n != 20 {
			t.Errorf("there are thought to be %v rows", n)
		}
		w.Exec("DELETE FROM a WHERE id > 15")
		w.at(4*time.Second, -1, w.scans.Load())
		if n := w.Table("a").RowCount(); n != 15 {
			t.Errorf("there are thought to be %v rows", n)
		}
	})
}
