package parser

import (
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"zproxy/parser/ast"
)

// TestDeparse reads the text that a view of each query of the scripts would be kept as: it
// must say the same, but for the hints of vendors.
func TestDeparse(t *testing.T) {
	views := 0
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			all, err := Parse("CREATE VIEW v AS " + d.Input)
			if err != nil || len(all) != 1 {
				return d.Expected
			}
			views++
			view := all[0].Statement.(*ast.CreateView)
			again, err := Parse(view.Text)
			if err != nil {
				t.Errorf("%s: %v", view.Text, err)
			} else if got, want := (tree{}).format(again[0].Statement), (tree{}).format(view.Query); got != want && filepath.Base(path) != "vendor" {
				t.Errorf("%s\ngot  %s\nwant %s", view.Text, got, want)
			}
			return d.Expected
		})
	})
	if views < 40 {
		t.Errorf("only %d views", views)
	}
}
