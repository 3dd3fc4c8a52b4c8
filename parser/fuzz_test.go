package parser

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"zproxy/parser/ast"
)

// FuzzParse looks for text that panics, and for positions outside of the text.
func FuzzParse(f *testing.F) {
	for _, sql := range scripted(f) {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		if !utf8.ValidString(sql) || strings.Contains(sql, "\x00") {
			t.Skip("no client can send it")
		}
		all, err := Parse(sql)
		if err != nil {
			return
		}
		for _, p := range all {
			if p.Offset < 0 || p.Offset+len(p.Text) > len(sql) || sql[p.Offset:p.Offset+len(p.Text)] != p.Text {
				t.Errorf("statement %q is not at %d", p.Text, p.Offset)
			}
			for _, n := range p.Notices {
				if n.Pos < 0 || n.Pos > ast.Pos(len(sql)) {
					t.Errorf("notice %q at %d", n.Message, n.Pos)
				}
			}
		}
	})
}

// scripted is every text of the scripts.
func scripted(f testing.TB) []string {
	files, err := filepath.Glob("testdata/scripts/*")
	if err != nil {
		f.Fatal(err)
	}
	var out []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n\n") {
			_, sql, _ := strings.Cut(block, "\n")
			sql, _, _ = strings.Cut(sql, "\n----")
			out = append(out, sql)
		}
	}
	return out
}

// A parse must not depend on what was parsed before.
func TestParseTwice(t *testing.T) {
	const sql = "SELECT /*+ use_index(t i) */ * FROM t WHERE a = $1"
	if a, b := parse(sql, tree{}), parse(sql, tree{}); a != b || !strings.Contains(a, "use_index") {
		t.Error(a, b)
	}
}
