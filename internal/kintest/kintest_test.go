package kintest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestDraw wants tables of some draws to have everything that is to be kept whole.
func TestDraw(t *testing.T) {
	var all []string
	for i := range uint64(60) {
		r := rand.New(rand.NewPCG(1, i))
		k := Draw(r, 20)
		all = append(all, k.Create()...)
		all = append(all, k.Write(r))
	}
	for _, want := range [][]string{
		{"ON DELETE CASCADE"}, {"ON DELETE SET NULL"}, {"ON DELETE SET DEFAULT"}, {"ON DELETE RESTRICT"},
		{"ON DELETE NO ACTION"}, {"ON UPDATE CASCADE"}, {"ON UPDATE SET NULL"}, {"ON UPDATE SET DEFAULT"},
		{"CREATE TABLE c", "REFERENCES c", "CASCADE"}, {"(pid, n)", "MATCH FULL"}, {"(pid, n)", "INITIALLY DEFERRED"},
		{"CREATE TABLE p", "PARTITION BY"}, {"CREATE TABLE c", "PARTITION BY"}, {"(n)", "REFERENCES p (n)"},
		{"DELETE FROM p"}, {"UPDATE p SET id"}, {"UPDATE p SET n"}, {"UPDATE c SET id"}, {"UPDATE c SET up"},
		{"INSERT INTO d"}, {"INSERT INTO e"}, {"DELETE FROM c"},
	} {
		if !slices.ContainsFunc(all, func(sql string) bool {
			return !slices.ContainsFunc(want, func(part string) bool { return !strings.Contains(sql, part) })
		}) {
			t.Errorf("no statement has %q", want)
		}
	}
}
